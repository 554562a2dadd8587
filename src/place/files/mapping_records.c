/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/mapping_records.h"

#include <string.h>

#include "elf/elf_file.h"

struct mapping_record {
	str_id path;
	uint64_t dev, inode;
	struct elf_build_id build_id;
	uint32_t value;
};

static uint64_t record_hash(const struct mapping_record *record)
{
	uint64_t hash = hash_bytes(record->build_id.bytes, record->build_id.size);

	hash = hash_combine(hash, record->path);
	return hash_combine(hash_combine(hash, record->dev), record->inode);
}

static bool record_equal(const void *owner, uint32_t id, const void *wanted)
{
	const struct mapping_record *a = &((const struct mapping_records *)owner)->list.items[id];
	const struct mapping_record *b = wanted;

	return a->path == b->path && a->dev == b->dev && a->inode == b->inode &&
	       a->build_id.size == b->build_id.size &&
	       memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.size) == 0;
}

uint32_t *mapping_records_find(struct mapping_records *records, const struct mapped_file *mapped,
			       str_id path, uint32_t fresh, bool *ret_fresh)
{
	struct mapping_record record = {
		.path = path, .dev = mapped->dev, .inode = mapped->inode, .value = fresh
	};
	uint64_t hash;
	uint32_t id;

	if (mapped->build_id_size > 0)
		memcpy(record.build_id.bytes, mapped->build_id, mapped->build_id_size);
	record.build_id.size = mapped->build_id_size;
	hash = record_hash(&record);
	*ret_fresh = !hashidx_find(&records->index, hash, record_equal, records, &record, &id);
	if (*ret_fresh) {
		id = (uint32_t)records->list.count;
		*vec_push(&records->list) = record;
		hashidx_add(&records->index, hash, id);
	}
	return &records->list.items[id].value;
}

void mapping_records_done(struct mapping_records *records)
{
	vec_free(&records->list);
	hashidx_done(&records->index);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hashidx.h"
#include "base/xalloc.h"

/* Increase this when an ELF file would give other rows than before, or the layout changes. */
enum { ROW_FILE_VERSION = 13 };

static const char magic[8] = "prosrows";

struct header {
	char magic[8];
	uint32_t version;
	uint16_t machine;
	uint16_t rule_size;
	uint64_t checksum; /* of everything after it */
	uint64_t base;
	uint32_t page_count, row_count, rule_count;
	uint32_t unreadable;
};

static const struct header *header_of(const void *bytes)
{
	return bytes;
}

/* Cannot overflow: the counts have 32 bits. */
static uint64_t file_size(const struct header *header)
{
	return sizeof(*header) + ((uint64_t)header->page_count + 1) * sizeof(uint32_t) +
	       (uint64_t)header->rule_count * sizeof(struct unwind_rule) +
	       (uint64_t)header->row_count * sizeof(uint32_t);
}

/* Detects damage, not tampering. All parts consist of 32-bit words. */
static uint64_t checksum(const void *bytes, size_t size)
{
	const size_t start = offsetof(struct header, checksum) + sizeof(uint64_t);
	const uint8_t *at = (const uint8_t *)bytes + start;
	uint64_t sum = size;
	uint32_t word;

	for (size_t left = size - start; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
		at += sizeof(word);
	}
	return hash_u64(sum);
}

void row_file_seal(void *bytes, size_t size)
{
	struct header header;

	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	header.checksum = checksum(bytes, size);
	memcpy(bytes, &header, sizeof(header));
}

static struct row_table *table_of(void *bytes, size_t size, enum row_file_owned owned)
{
	const struct header *header = header_of(bytes);
	struct row_table *table = xcalloc(1, sizeof(*table));
	const uint8_t *at = (const uint8_t *)bytes + sizeof(*header);

	table->owned = owned;
	table->bytes = bytes;
	table->size = size;
	table->unreadable = header->unreadable;
	table->rows = (struct unwind_table){ .base = header->base,
					     .page_count = header->page_count,
					     .row_count = header->row_count,
					     .rule_count = header->rule_count,
					     .machine = header->machine };
	table->rows.pages = (const void *)at;
	at += ((size_t)header->page_count + 1) * sizeof(uint32_t);
	table->rows.rules = (const void *)at;
	at += header->rule_count * sizeof(struct unwind_rule);
	table->rows.rows = (const void *)at;
	return table;
}

struct row_table *row_file_make(const struct row_builder *builder, uint16_t machine,
				uint32_t unreadable)
{
	struct header header = { .version = ROW_FILE_VERSION,
				 .machine = machine,
				 .rule_size = sizeof(struct unwind_rule),
				 .base = builder->base,
				 .page_count = (uint32_t)builder->pages.count - 1,
				 .row_count = (uint32_t)builder->rows.count,
				 .rule_count = (uint32_t)builder->rules.count,
				 .unreadable = unreadable };
	size_t size = file_size(&header);
	uint8_t *bytes = xmalloc(size);
	uint8_t *at = bytes;

	memcpy(header.magic, magic, sizeof(magic));
	at = mempcpy(at, &header, sizeof(header));
	at = mempcpy(at, builder->pages.items, builder->pages.count * sizeof(uint32_t));
	at = mempcpy(at, builder->rules.items, builder->rules.count * sizeof(struct unwind_rule));
	memcpy(at, builder->rows.items, builder->rows.count * sizeof(uint32_t));
	row_file_seal(bytes, size);
	return table_of(bytes, size, ROW_FILE_ALLOCATED);
}

const void *row_file_bytes(const struct row_table *table, size_t *ret_size)
{
	*ret_size = table->size;
	return table->bytes;
}

static bool right_header(const struct header *header, uint64_t size)
{
	return memcmp(header->magic, magic, sizeof(magic)) == 0 &&
	       header->version == ROW_FILE_VERSION &&
	       header->rule_size == sizeof(struct unwind_rule) &&
	       (header->machine == EM_X86_64 || header->machine == EM_AARCH64) &&
	       header->base % (1 << UNWIND_PAGE_BITS) == 0 &&
	       header->page_count <= ROW_BUILDER_MAX_PAGES &&
	       header->row_count <= ROW_BUILDER_MAX_ROWS && header->rule_count > 0 &&
	       header->rule_count <= UNWIND_MAX_RULES && file_size(header) == size &&
	       checksum(header, size) == header->checksum;
}

/* True if the page's rows begin at offset 0 and ascend. */
static bool right_page(const struct unwind_table *table, uint32_t page)
{
	uint32_t from = table->pages[page], to = table->pages[page + 1];

	if (from >= to || to > table->row_count || UNWIND_ROW_OFFSET(table->rows[from]) != 0)
		return false;
	for (uint32_t i = from; i < to; i++) {
		if (UNWIND_ROW_RULE(table->rows[i]) >= table->rule_count)
			return false;
		if (i > from &&
		    UNWIND_ROW_OFFSET(table->rows[i]) <= UNWIND_ROW_OFFSET(table->rows[i - 1]))
			return false;
	}
	return true;
}

static bool right_rule(const struct unwind_rule *rule)
{
	const uint8_t flags = UNWIND_RULE_SIGNAL | UNWIND_RULE_SWITCH | UNWIND_RULE_INJECTED |
			      UNWIND_RULE_AFTER_RETURN | UNWIND_RULE_SCHEDULER;

	return rule->cfa <= UNWIND_CFA_GO_RESUMED && rule->ra <= UNWIND_SAVED_REGISTER &&
	       rule->fp <= UNWIND_SAVED_MAYBE_LINK && rule->fp != UNWIND_SAVED_REGISTER &&
	       (rule->flags & ~flags) == 0;
}

static bool right_table(const struct unwind_table *table)
{
	static const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };

	if (table->pages[0] != 0 || table->pages[table->page_count] != table->row_count ||
	    memcmp(&table->rules[0], &none, sizeof(none)) != 0)
		return false;
	for (uint32_t i = 0; i < table->rule_count; i++) {
		if (!right_rule(&table->rules[i]))
			return false;
	}
	for (uint32_t i = 0; i < table->page_count; i++) {
		if (!right_page(table, i))
			return false;
	}
	return true;
}

/* On failure the caller still owns the bytes. */
static int read_bytes(void *bytes, size_t size, enum row_file_owned owned,
		      struct row_table **ret_table, struct err *err)
{
	struct row_table *table;

	if (size < sizeof(struct header) || !right_header(header_of(bytes), size))
		return err_set(err, -EBADMSG, "not a file of unwind rows of this version");
	table = table_of(bytes, size, owned);
	if (!right_table(&table->rows)) {
		free(table);
		return err_set(err, -EBADMSG, "the file of unwind rows is damaged");
	}
	*ret_table = table;
	return 0;
}

int row_file_read(const void *bytes, size_t size, struct row_table **ret_table, struct err *err)
{
	return read_bytes((void *)(uintptr_t)bytes, size, ROW_FILE_BORROWED, ret_table, err);
}

int row_file_map(int fd, uint64_t size, struct row_table **ret_table, struct err *err)
{
	void *bytes;
	int rc;

	if (size < sizeof(struct header))
		return err_set(err, -EBADMSG, "the file of unwind rows is truncated");
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return err_set(err, -errno, "cannot map the file of unwind rows: %m");
	rc = read_bytes(bytes, size, ROW_FILE_MAPPED, ret_table, err);
	if (rc < 0)
		munmap(bytes, size);
	return rc;
}

void row_file_release(struct row_table *table)
{
	if (table->owned == ROW_FILE_MAPPED)
		munmap(table->bytes, table->size);
	else if (table->owned == ROW_FILE_ALLOCATED)
		free(table->bytes);
}

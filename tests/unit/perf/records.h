/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf records made by hand, byte for byte as perf_event_open(2) lays them out. */
#ifndef TESTS_UNIT_COLLECT_RECORDS_H
#define TESTS_UNIT_COLLECT_RECORDS_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

enum {
	MADE_MISC_BUILD_ID = 1 << 14, /* PERF_RECORD_MISC_MMAP_BUILD_ID */
	MADE_MMAP_IDENTITY_AT = 40,   /* bytes into PERF_RECORD_MMAP2 */
};

struct made_record {
	uint64_t words[64]; /* aligned as in a ring */
	size_t size;
};

static inline void made_add(struct made_record *made, const void *bytes, size_t size)
{
	memcpy((char *)made->words + made->size, bytes, size);
	made->size += size;
}

static inline void made_u32(struct made_record *made, uint32_t value)
{
	made_add(made, &value, sizeof(value));
}

static inline void made_u64(struct made_record *made, uint64_t value)
{
	made_add(made, &value, sizeof(value));
}

static inline void made_text(struct made_record *made, const char *text)
{
	char padded[128] = { 0 };

	strcpy(padded, text);
	made_add(made, padded, (strlen(text) + 8) / 8 * 8);
}

static inline void made_begin(struct made_record *made)
{
	memset(made, 0, sizeof(*made));
	made->size = sizeof(struct perf_event_header);
}

static inline void made_end(struct made_record *made, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { type, misc, (uint16_t)made->size };

	memcpy(made->words, &header, sizeof(header));
}

static inline void made_trailer(struct made_record *made, uint32_t pid, uint32_t tid,
				uint64_t time_ns, uint32_t cpu, uint64_t id)
{
	made_u32(made, pid);
	made_u32(made, tid);
	made_u64(made, time_ns);
	made_u32(made, cpu);
	made_u32(made, 0);
	made_u64(made, id);
}

static inline void made_comm(struct made_record *made, uint64_t time_ns, uint32_t pid,
			     const char *comm, uint16_t misc)
{
	made_begin(made);
	made_u32(made, pid);
	made_u32(made, pid);
	made_text(made, comm);
	made_trailer(made, pid, pid, time_ns, 1, 77);
	made_end(made, PERF_RECORD_COMM, misc);
}

/* @build_id: 20 bytes, or NULL for a record with dev 8:1 and inode 99. */
static inline void made_mmap(struct made_record *made, uint64_t time_ns, uint64_t start,
			     const uint8_t *build_id)
{
	const uint32_t size_word = 20;

	made_begin(made);
	made_u32(made, 5);
	made_u32(made, 6);
	made_u64(made, start);
	made_u64(made, 0x1000);
	made_u64(made, 0x2000);
	if (build_id) {
		made_u32(made, size_word);
		made_add(made, build_id, 20);
	} else {
		made_u32(made, 8);
		made_u32(made, 1);
		made_u64(made, 99);
		made_u64(made, 0);
	}
	made_u64(made, 5);
	made_text(made, "/bin/thing");
	made_trailer(made, 5, 6, time_ns, 0, 78);
	made_end(made, PERF_RECORD_MMAP2, build_id ? MADE_MISC_BUILD_ID : 0);
}

static inline void made_set_misc(struct made_record *made, uint16_t misc)
{
	struct perf_event_header header;

	memcpy(&header, made->words, sizeof(header));
	header.misc = misc;
	memcpy(made->words, &header, sizeof(header));
}

static inline void made_sample(struct made_record *made, uint64_t time_ns, uint64_t ip,
			       const uint64_t *chain, uint64_t chain_length)
{
	made_begin(made);
	made_u64(made, 79);
	made_u64(made, ip);
	made_u32(made, 5);
	made_u32(made, 6);
	made_u64(made, time_ns);
	made_u32(made, 1);
	made_u32(made, 0);
	made_u64(made, 1003009);
	made_u64(made, chain_length);
	for (uint64_t i = 0; chain && i < chain_length; i++)
		made_u64(made, chain[i]);
	made_end(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

#endif

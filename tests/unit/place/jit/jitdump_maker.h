/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps as linux:tools/perf/Documentation/jitdump-specification.txt has them, in both byte
 * orders. */
#ifndef TESTS_UNIT_RESOLVE_JITDUMP_MAKER_H
#define TESTS_UNIT_RESOLVE_JITDUMP_MAKER_H

#include <byteswap.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

struct jitdump_maker {
	struct buf bytes;
	int swap;
};

static inline void make_u32(struct jitdump_maker *maker, uint32_t value)
{
	value = maker->swap ? bswap_32(value) : value;
	buf_add(&maker->bytes, &value, sizeof(value));
}

static inline void make_u64(struct jitdump_maker *maker, uint64_t value)
{
	value = maker->swap ? bswap_64(value) : value;
	buf_add(&maker->bytes, &value, sizeof(value));
}

static inline void make_header(struct jitdump_maker *maker, uint32_t extra, uint64_t flags)
{
	make_u32(maker, 0x4A695444);
	make_u32(maker, 1);
	make_u32(maker, 40 + extra);
	make_u32(maker, 62);
	make_u32(maker, 0);
	make_u32(maker, 1234);
	make_u64(maker, 1);
	make_u64(maker, flags);
	for (uint32_t i = 0; i < extra; i++)
		buf_add_char(&maker->bytes, 'h');
}

static inline void make_prefix(struct jitdump_maker *maker, uint32_t id, size_t body, uint64_t time)
{
	make_u32(maker, id);
	make_u32(maker, 16 + (uint32_t)body);
	make_u64(maker, time);
}

static inline void make_load(struct jitdump_maker *maker, uint64_t time, uint64_t start,
			     const char *name, const char *code, uint64_t index)
{
	make_prefix(maker, 0, 40 + strlen(name) + 1 + strlen(code), time);
	make_u32(maker, 1234);
	make_u32(maker, 1234);
	make_u64(maker, 0x666000); /* vma: of the twin */
	make_u64(maker, start);
	make_u64(maker, strlen(code));
	make_u64(maker, index);
	buf_add(&maker->bytes, name, strlen(name) + 1);
	buf_add(&maker->bytes, code, strlen(code));
}

static inline void make_move(struct jitdump_maker *maker, uint64_t time, uint64_t from, uint64_t to,
			     uint64_t size, uint64_t index)
{
	make_prefix(maker, 1, 48, time);
	make_u32(maker, 1234);
	make_u32(maker, 1234);
	make_u64(maker, to);
	make_u64(maker, from);
	make_u64(maker, to);
	make_u64(maker, size);
	make_u64(maker, index);
}

/* Two lines of the same file, the second by the short form of its name. */
static inline void make_lines(struct jitdump_maker *maker, uint64_t time, uint64_t start,
			      const char *file)
{
	make_prefix(maker, 2, 16 + 2 * 16 + strlen(file) + 1 + 2, time);
	make_u64(maker, start);
	make_u64(maker, 2);
	make_u64(maker, start);
	make_u32(maker, 10);
	make_u32(maker, 0);
	buf_add(&maker->bytes, file, strlen(file) + 1);
	make_u64(maker, start + 4);
	make_u32(maker, 11);
	make_u32(maker, 0);
	buf_add(&maker->bytes, "\xff", 2);
}

/* As V8 writes them: @count lines of one file, at @start + @first, and 4 bytes further each, from
 * line 1 on; padded to 8 bytes. */
static inline void make_many_lines(struct jitdump_maker *maker, uint64_t start, uint64_t first,
				   uint32_t count, const char *file)
{
	size_t size = 16 + count * (16 + strlen(file) + 1), padding = -size & 7;

	make_prefix(maker, 2, size + padding, 1);
	make_u64(maker, start);
	make_u64(maker, count);
	for (uint32_t i = 0; i < count; i++) {
		make_u64(maker, start + first + i * 4);
		make_u32(maker, 1 + i);
		make_u32(maker, 0);
		buf_add(&maker->bytes, file, strlen(file) + 1);
	}
	buf_add(&maker->bytes, "\0\0\0\0\0\0\0", padding);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings made by hand, as perf.data-file-format.txt of Linux lays them out, and what is to be
 * read in them. */
#ifndef TESTS_UNIT_COLLECT_PERF_DATA_MADE_H
#define TESTS_UNIT_COLLECT_PERF_DATA_MADE_H

#include <byteswap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "import/perf_data.h"

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

enum { HEAD = 104, MOST_SEEN = 32, ATTR_AT = HEAD, FIRST_ID = 70, SECOND_ID = 71 };

/* Bytes in one order or the other. */
struct made {
	struct buf bytes;
	bool swap;
};

static inline void u16(struct made *made, uint16_t value)
{
	value = made->swap ? bswap_16(value) : value;
	buf_add(&made->bytes, &value, sizeof(value));
}

static inline void u32(struct made *made, uint32_t value)
{
	value = made->swap ? bswap_32(value) : value;
	buf_add(&made->bytes, &value, sizeof(value));
}

static inline void u64(struct made *made, uint64_t value)
{
	value = made->swap ? bswap_64(value) : value;
	buf_add(&made->bytes, &value, sizeof(value));
}

static inline void text(struct made *made, const char *value, size_t size)
{
	char field[128] = { 0 };

	snprintf(field, sizeof(field), "%s", value);
	buf_add(&made->bytes, field, size);
}

static inline void header(struct made *made, uint32_t type, uint16_t misc, size_t body)
{
	u32(made, type);
	u16(made, misc);
	u16(made, (uint16_t)(body + 8));
}

/* Of @size bytes, with the two ids in a section of their own at @ids. */
static inline void attr(struct made *made, uint32_t size, uint64_t config)
{
	size_t start = made->bytes.size;
	uint64_t flags = 1ULL << 18; /* sample_id_all */

	u32(made, PERF_TYPE_SOFTWARE);
	u32(made, size);
	u64(made, config);
	u64(made, 1000);
	u64(made, TYPE);
	u64(made, 0);
	/* bit 18 counts from the other end */
	if (made->swap) {
		flags = 0;
		((uint8_t *)&flags)[2] = 1 << 5;
	}
	buf_add(&made->bytes, &flags, sizeof(flags));
	while (made->bytes.size < start + size)
		u64(made, 0xa5a5a5a5a5a5a5a5 & (size > 200 ? UINT64_MAX : 0));
}

static inline void sample(struct made *made, uint64_t id, uint64_t time_ns, uint64_t period)
{
	header(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32);
	u64(made, id);
	u64(made, 0x401000 + time_ns);
	u64(made, time_ns);
	u64(made, period);
}

static inline void comm(struct made *made, uint64_t time_ns, const char *name)
{
	header(made, PERF_RECORD_COMM, 0, 8 + 16 + 16);
	u32(made, 5);
	u32(made, 5);
	text(made, name, 16);
	u64(made, time_ns);
	u64(made, FIRST_ID);
}

static inline void round_end(struct made *made)
{
	header(made, 68, 0, 0);
}

/* The head of a file of two events whose records will have @size bytes. */
static inline void file_head(struct made *made, uint32_t attr_size, uint64_t size,
			     uint64_t features)
{
	uint64_t magic = 0x32454c4946524550;
	uint64_t ids_at = HEAD + 2 * (attr_size + 16ULL);

	u64(made, magic);
	u64(made, HEAD);
	u64(made, attr_size + 16ULL);
	u64(made, ATTR_AT);
	u64(made, 2 * (attr_size + 16ULL));
	u64(made, ids_at + 16);
	u64(made, size);
	u64(made, 0);
	u64(made, 0);
	u64(made, features);
	for (int i = 0; i < 3; i++)
		u64(made, 0);
	for (uint64_t i = 0; i < 2; i++) {
		attr(made, attr_size, i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CPU_CLOCK);
		u64(made, ids_at + 8 * i);
		u64(made, 8);
	}
	u64(made, FIRST_ID);
	u64(made, SECOND_ID);
}

struct seen {
	uint64_t times[MOST_SEEN], periods[MOST_SEEN];
	size_t events[MOST_SEEN];
	uint32_t types[MOST_SEEN];
	char comm[16];
	size_t count;
};

static inline int take(void *context, const struct perf_record *record, size_t event)
{
	struct seen *seen = context;

	assert_true(seen->count < MOST_SEEN);
	seen->times[seen->count] = record->time_ns;
	seen->events[seen->count] = event;
	seen->types[seen->count] = record->type;
	if (record->type == PERF_RECORD_SAMPLE)
		seen->periods[seen->count] = record->sample.period;
	if (record->type == PERF_RECORD_COMM)
		snprintf(seen->comm, sizeof(seen->comm), "%s", record->comm.comm);
	seen->count++;
	return 0;
}

static inline int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static inline int open_bytes(const void *bytes, size_t size, struct perf_data **ret_data,
			     struct err *err)
{
	struct perf_data_input input;

	perf_data_input_begin(&input, file_of(bytes, size));
	return perf_data_open(&input, ret_data, err);
}

static inline struct perf_data *open_ok(const struct made *made)
{
	struct perf_data *data;
	struct err err;

	if (open_bytes(made->bytes.bytes, made->bytes.size, &data, &err) < 0)
		fail_msg("%s", err.text);
	return data;
}

/* Three CPUs' buffers in two rounds, a record of no kind known, and one made up at the start. */
static inline void records(struct made *made)
{
	comm(made, 0, "first");
	sample(made, FIRST_ID, 30, 3);
	sample(made, FIRST_ID, 50, 5);
	sample(made, SECOND_ID, 20, 2);
	round_end(made);
	sample(made, SECOND_ID, 40, 4);
	sample(made, FIRST_ID, 70, 7);
	header(made, 60, 0, 16);
	u64(made, 60);
	u64(made, FIRST_ID);
	header(made, 99, 0, 8);
	u64(made, 1);
	round_end(made);
	sample(made, FIRST_ID, 60, 6);
}

static inline uint64_t records_size(void)
{
	struct made made = { .swap = false };
	uint64_t size;

	records(&made);
	size = made.bytes.size;
	buf_done(&made.bytes);
	return size;
}

static inline void make_file(struct made *made, uint32_t attr_size)
{
	file_head(made, attr_size, records_size(), 0);
	records(made);
}

static inline void check_records(struct perf_data *data)
{
	static const uint64_t times[] = { 0, 20, 30, 40, 50, 60, 60, 70 };
	struct seen seen = { .count = 0 };
	size_t samples = 0;

	assert_int_equal(perf_data_run(data, take, &seen), 0);
	assert_int_equal(seen.count, 8);
	for (size_t i = 0; i < seen.count; i++) {
		bool second = times[i] == 20 || times[i] == 40;

		if (seen.types[i] != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		assert_int_equal(seen.times[i], times[i]);
		assert_int_equal(seen.periods[i], times[i] / 10);
		assert_int_equal(seen.events[i], second);
	}
	assert_int_equal(samples, 6);
	assert_int_equal(seen.types[0], PERF_RECORD_COMM);
	assert_string_equal(seen.comm, "first");
	assert_int_equal(perf_data_counts(data).late, 0);
	assert_int_equal(perf_data_counts(data).malformed, 0);
	assert_string_equal(perf_data_damage(data), "");
}

#endif

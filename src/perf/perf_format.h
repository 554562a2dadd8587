/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to read an event's records: the parts of its perf_event_attr that determine the layout of
 * samples and trailers (perf_event_open(2)).
 */
#ifndef PERF_PERF_FORMAT_H
#define PERF_PERF_FORMAT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Missing in the kernel headers of Debian 12. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif
#define PERF_BRANCH_COUNTERS (1U << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* The most words a record can have: its size is a 16-bit field. */
enum { PERF_FORMAT_MAX_WORDS = 65536 / 8 };

struct perf_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user;   /* the registers of PERF_SAMPLE_REGS_USER: PERF_REG_*, a bit each */
	uint64_t regs_intr;   /* those of PERF_SAMPLE_REGS_INTR */
	bool sample_id_all;   /* records other than samples end in a trailer */
	/* NULL: the records have our byte order. Otherwise they have the other one, and this is a
	 * buffer of PERF_FORMAT_MAX_WORDS words for the swapped arrays of a record. The record last
	 * read borrows it. */
	uint64_t *swap_room;
};

/* The format of an event with these attributes, which are in our byte order. */
struct perf_format perf_format_of(const struct perf_event_attr *attr);

/* Bytes of the trailer; 0 if there is none. */
size_t perf_format_trailer_size(const struct perf_format *format);

/* Where time and id are. In a sample: bytes from the start of the record. In other records: bytes
 * before the end. Events that share a buffer agree on these places, so the id can be read before
 * the event is known. False if the format has no such field. */
bool perf_format_time_at(const struct perf_format *format, bool sample, size_t *ret_bytes);
bool perf_format_id_at(const struct perf_format *format, bool sample, size_t *ret_bytes);

#endif

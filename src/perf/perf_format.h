/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event writes into its records, and so how they are read: the parts of its
 * perf_event_attr that perf_event_open(2) lays samples and trailers out by.
 */
#ifndef PERF_PERF_FORMAT_H
#define PERF_PERF_FORMAT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Younger than the kernel header of Debian 12. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif
#define PERF_BRANCH_COUNTERS (1U << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* A record's size is a 16-bit field, so it has at most so many words. */
enum { PERF_FORMAT_MAX_WORDS = 65536 / 8 };

struct perf_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user;   /* the registers of PERF_SAMPLE_REGS_USER: PERF_REG_*, a bit each */
	uint64_t regs_intr;   /* those of PERF_SAMPLE_REGS_INTR */
	bool sample_id_all;   /* records that are no samples end in a trailer */
	/* NULL: our own byte order. Else the bytes have the other one, and this is room for
	 * PERF_FORMAT_MAX_WORDS words, to which what a record has in arrays is turned; borrowed by
	 * the record last read. */
	uint64_t *swap_room;
};

/* That of an event opened with (or found in a file with) these attributes, in our byte order. */
struct perf_format perf_format_of(const struct perf_event_attr *attr);

/* Bytes of the trailer; 0: there is none. */
size_t perf_format_trailer_size(const struct perf_format *format);

/* Where time and id are: of a sample, bytes behind the start of its record; of others, bytes before
 * the end. Events that share a buffer agree on these places, so that the id is found before its
 * event is known. false: the format has it not. */
bool perf_format_time_at(const struct perf_format *format, bool sample, size_t *ret_bytes);
bool perf_format_id_at(const struct perf_format *format, bool sample, size_t *ret_bytes);

#endif

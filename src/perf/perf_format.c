/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_format.h"

#define TRAILER                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define BEFORE_TIME (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define BEFORE_ID   (BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
/* Fields of the trailer from the named one to the record's end. */
#define FROM_TIME (TRAILER & ~PERF_SAMPLE_TID)
#define FROM_ID	  (FROM_TIME & ~PERF_SAMPLE_TIME)

struct perf_format perf_format_of(const struct perf_event_attr *attr)
{
	return (struct perf_format){ .sample_type = attr->sample_type,
				     .read_format = attr->read_format,
				     .branch_type = attr->branch_sample_type,
				     .regs_user = attr->sample_regs_user,
				     .regs_intr = attr->sample_regs_intr,
				     .sample_id_all = attr->sample_id_all };
}

/* Every one of these fields is one word. */
static size_t bytes_of(const struct perf_format *format, uint64_t fields)
{
	return 8 * (size_t)__builtin_popcountll(format->sample_type & fields);
}

size_t perf_format_trailer_size(const struct perf_format *format)
{
	return format->sample_id_all ? bytes_of(format, TRAILER) : 0;
}

bool perf_format_time_at(const struct perf_format *format, bool sample, size_t *ret_bytes)
{
	if (!(format->sample_type & PERF_SAMPLE_TIME) || (!sample && !format->sample_id_all))
		return false;
	*ret_bytes = sample ? sizeof(struct perf_event_header) + bytes_of(format, BEFORE_TIME)
			    : bytes_of(format, FROM_TIME);
	return true;
}

bool perf_format_id_at(const struct perf_format *format, bool sample, size_t *ret_bytes)
{
	if (!sample && !format->sample_id_all)
		return false;
	if (format->sample_type & PERF_SAMPLE_IDENTIFIER)
		*ret_bytes = sample ? sizeof(struct perf_event_header) : 8;
	else if (format->sample_type & PERF_SAMPLE_ID)
		*ret_bytes = sample ? sizeof(struct perf_event_header) + bytes_of(format, BEFORE_ID)
				    : bytes_of(format, FROM_ID);
	else
		return false;
	return true;
}

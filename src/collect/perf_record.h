/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's perf records, from bytes to a struct: perf_event_open(2), "MMAP layout". All our
 * events share one sample_type, PERF_RECORD_SAMPLE_TYPE, so that every record ends in the same
 * trailer (sample_id_all) and is understood without knowing its event first.
 */
#ifndef COLLECT_PERF_RECORD_H
#define COLLECT_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

#define PERF_RECORD_SAMPLE_TYPE                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

enum {
	PERF_RECORD_MAX_CHAIN = 1024, /* kernel.perf_event_max_stack may be raised */
	PERF_RECORD_MIN_BYTES = sizeof(struct perf_event_header),
};

struct perf_sample {
	uint64_t ip;
	uint64_t period;
	const uint64_t *chain; /* innermost first, with PERF_CONTEXT_* marks; borrowed */
	size_t chain_length;
};

struct perf_mmap {
	uint64_t start, size, offset;
	uint64_t dev, inode; /* 0 when the record carries a build id instead */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0 when the record carries dev and inode */
	const char *path;      /* borrowed */
};

struct perf_task {
	int32_t parent_pid, parent_tid;
};

struct perf_comm {
	const char *comm; /* borrowed */
	bool exec;
};

struct perf_lost {
	uint64_t count; /* records, of any kind, that found the ring full */
};

struct perf_ksymbol {
	uint64_t address;
	uint32_t size;
	bool removed;
	const char *name; /* borrowed */
};

struct perf_record {
	uint32_t type;	  /* PERF_RECORD_* */
	uint8_t cpu_mode; /* PERF_RECORD_MISC_KERNEL, _USER ... */
	uint64_t id;	  /* of the event (PERF_EVENT_IOC_ID); 0: the record has no trailer */
	uint64_t time_ns;
	int32_t pid, tid; /* of the record's subject: for a fork the child, for an exit who left */
	uint32_t cpu;
	union {
		struct perf_sample sample;
		struct perf_mmap mmap;
		struct perf_task task; /* PERF_RECORD_FORK and _EXIT */
		struct perf_comm comm;
		struct perf_lost lost; /* PERF_RECORD_LOST and _LOST_SAMPLES */
		struct perf_ksymbol ksymbol;
	};
};

/* Reads one whole record (@size is its header's size, 8-byte aligned memory). 0, or -EINVAL for
 * bytes that are no such record. Types we have no use for come back with only type, id and time. */
int perf_record_read(const void *bytes, size_t size, struct perf_record *ret_record);

/* Only the trailer's or the sample's time, for sorting; 0 when there is none. */
uint64_t perf_record_time(const void *bytes, size_t size);

#endif

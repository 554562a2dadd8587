/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes the kernel's perf records: perf_event_open(2), "MMAP layout". The layout of a record
 * depends on its event's struct perf_format. Where events of several formats share a buffer,
 * perf_record_id finds the event; all our own events agree on the fields of
 * PERF_RECORD_SAMPLE_TYPE.
 */
#ifndef PERF_PERF_RECORD_H
#define PERF_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "perf/perf_sample.h"

/* The sample fields of a live recording. */
#define PERF_RECORD_SAMPLE_TYPE                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

enum {
	PERF_RECORD_MAX_CHAIN = PERF_FORMAT_MAX_WORDS, /* a record cannot hold a longer one */
};

struct perf_mmap {
	uint64_t start, size, offset;
	uint64_t dev, inode; /* 0 when the record carries a build id instead */
	uint64_t generation; /* of the inode number; only if has_generation */
	bool has_generation;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0 when the record carries dev and inode */
	bool executable;       /* the mapping is executable */
	const char *path;      /* borrowed */
};

struct perf_task {
	int32_t parent_pid, parent_tid;
};

struct perf_comm {
	const char *comm; /* borrowed */
	bool exec;
};

/* The subject is the thread that leaves or enters a CPU. */
struct perf_switch {
	bool out;	/* leaves */
	bool preempted; /* it could have gone on; only if it leaves */
};

struct perf_lost {
	uint64_t count; /* records, of any kind, that found the ring full */
	bool filtered;	/* samples that the user's filter rejected: no loss */
};

struct perf_ksymbol {
	uint64_t address;
	uint32_t size;
	bool removed;
	const char *name; /* borrowed */
};

struct perf_cgroup {
	uint64_t id;	  /* as in perf_sample.cgroup */
	const char *path; /* in the hierarchy; borrowed */
};

struct perf_record {
	uint32_t type;	  /* PERF_RECORD_* */
	uint8_t cpu_mode; /* PERF_RECORD_MISC_KERNEL, _USER ... */
	uint64_t id;	  /* of the event (PERF_EVENT_IOC_ID); 0: not in the record */
	uint64_t time_ns; /* 0: not in the record */
	int32_t pid, tid; /* of the subject: a fork's child, an exit's exiting thread */
	uint32_t cpu;
	union {
		struct perf_sample sample;
		struct perf_mmap mmap; /* PERF_RECORD_MMAP and _MMAP2 */
		struct perf_task task; /* PERF_RECORD_FORK and _EXIT */
		struct perf_comm comm;
		struct perf_lost lost;	     /* PERF_RECORD_LOST and _LOST_SAMPLES */
		struct perf_switch switched; /* PERF_RECORD_SWITCH and _SWITCH_CPU_WIDE */
		struct perf_ksymbol ksymbol;
		struct perf_cgroup cgroup;
	};
};

/* The format of live events with exactly the fields of PERF_RECORD_SAMPLE_TYPE. */
struct perf_format perf_record_live_format(void);

/* Reads one whole record from 8-byte aligned memory; @size is the size in its header. 0, or -EINVAL
 * if the bytes are not such a record. Of types that we do not use, only type, id, task, time and
 * CPU are set. */
int perf_record_read(const void *bytes, size_t size, const struct perf_format *format,
		     struct perf_record *ret_record);

/* Only the time of the trailer or the sample, for sorting; 0 if there is none. */
uint64_t perf_record_time(const void *bytes, size_t size, const struct perf_format *format);

/* Only the id of the event that a record belongs to. @format may be that of any event in the
 * buffer. 0 if there is none. */
uint64_t perf_record_id(const void *bytes, size_t size, const struct perf_format *format);

/* Turns a record of an output event into the sample it stands for: id, period, chain, user stack
 * and context come from its raw part, which the BPF stack program wrote (bpf/stack_wire.h); the
 * rest stays. Every length is checked. False if it has no such raw part; *record is then
 * unchanged. */
bool perf_record_unpack(struct perf_record *record);

#endif

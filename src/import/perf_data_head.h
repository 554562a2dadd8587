/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a perf recording says about itself: its events, by whose ids records name them, and facts.
 * They are before and after the records of a file, or records in a pipe
 * (tools/perf/Documentation/perf.data-file-format.txt of Linux, "HEADER_*"). Attributes may have
 * any size, from older and newer kernels, and either byte order.
 */
#ifndef IMPORT_PERF_DATA_HEAD_H
#define IMPORT_PERF_DATA_HEAD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hashidx.h"
#include "base/reader.h"
#include "base/vec.h"
#include "import/perf_data_input.h"
#include "model/profile.h"
#include "perf/perf_sample.h"

enum {
	PERF_DATA_MAX_EVENTS = 4096,
	PERF_DATA_MAX_IDS = 1 << 20, /* of all events */
	PERF_DATA_MAX_BUILD_IDS = 1 << 20,
	PERF_DATA_MAGIC_BYTES = 8,
	PERF_DATA_PIPE_HEAD_BYTES = 16,
};

struct perf_data_event {
	struct perf_event_attr attr; /* in our byte order; fields that the recording lacks are 0 */
	struct perf_format format;
	char *name; /* owned; as perf calls it */
	bool named; /* the recording names it; else its attributes do */
};

struct perf_data_id {
	uint64_t id;
	uint32_t event;
};

/* The build id of a file, of the kernel ("[kernel.kallsyms]", by cpu_mode) or of a module. */
struct perf_data_build_id {
	char *path; /* owned */
	uint8_t cpu_mode;
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size;
};

/* Texts are owned; NULL and 0: unknown. */
struct perf_data_facts {
	char *hostname, *os_release, *perf_version, *machine;
	char *command;		     /* of perf, words joined by blanks */
	uint64_t cpus;		     /* online */
	uint64_t realtime_ns, at_ns; /* the time of day when the clock of the records was at_ns */
	VEC(struct perf_data_build_id) build_ids;
};

struct perf_data_head {
	VEC(struct perf_data_event) events;
	struct perf_data_facts facts;
	/* For perf_data.c: */
	struct perf_data_input input;
	bool pipe;
	bool swap; /* the recording has the other byte order than this machine */
	uint64_t swap_room[PERF_FORMAT_MAX_WORDS];
	VEC(struct perf_data_id) ids;
	struct hashidx index; /* of ids */
	struct err damage;    /* "" none */
};

/* The event of an id, 0 being that of records without one; events.count: unknown. */
size_t perf_data_head_find(const struct perf_data_head *head, uint64_t id);

/* ---- for perf_data.c ---- */

/* A reader of bytes in the recording's byte order. */
struct reader perf_data_head_reader(const struct perf_data_head *head, const void *bytes,
				    size_t size);
/* Reads from the first bytes whether it is a pipe or a file, and the byte order. Errors as
 * perf_data_open. */
int perf_data_head_magic(struct perf_data_head *head, struct err *err);
/* Reads the events and facts of a file, and moves the input to the records. */
int perf_data_head_file(struct perf_data_head *head, struct err *err);
void perf_data_head_done(struct perf_data_head *head);

/* The records of a pipe, from after their header unless it says otherwise. Damaged ones are
 * skipped. */
void perf_data_head_attr(struct perf_data_head *head, struct reader body);
void perf_data_head_update(struct perf_data_head *head, struct reader body);
void perf_data_head_feature(struct perf_data_head *head, struct reader body);
/* The old table of event names, a row for each config; in a file's head too. */
void perf_data_head_types(struct perf_data_head *head, struct reader table);
/* A PERF_RECORD_HEADER_BUILD_ID, header included. */
void perf_data_head_build_id(struct perf_data_head *head, struct reader record);

#endif

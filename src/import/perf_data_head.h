/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording has before and after its records. Private to perf_data.c. */
#ifndef IMPORT_PERF_DATA_HEAD_H
#define IMPORT_PERF_DATA_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/reader.h"
#include "import/perf_data_events.h"
#include "import/perf_data_features.h"
#include "import/perf_data_input.h"

enum {
	PERF_DATA_MAGIC_BYTES = 8,
	PERF_DATA_PIPE_HEAD_BYTES = 16,
	PERF_DATA_FEATURES = 256, /* bits for them in the head of a file */
};

struct perf_data_head {
	struct perf_data_input input;
	bool pipe;
	bool swap; /* the recording has the other byte order than this machine */
	uint64_t swap_room[PERF_FORMAT_MAX_WORDS];
	struct perf_data_events events;
	struct perf_data_facts facts;
	struct err damage; /* "" none */
};

/* A reader of bytes in the recording's byte order. */
struct reader perf_data_head_reader(const struct perf_data_head *head, const void *bytes,
				    size_t size);

/* Reads from the first bytes whether it is a pipe or a file, and the byte order. Errors as
 * perf_data_open. */
int perf_data_head_magic(struct perf_data_head *head, struct err *err);
/* Reads the events and facts of a file, and moves the input to the records. */
int perf_data_head_file(struct perf_data_head *head, struct err *err);

/* Adds an event from all bytes of a perf_event_attr; perf_data_head_ids adds ids of the last
 * event. */
int perf_data_head_attr(struct perf_data_head *head, struct reader attr, struct err *err);
void perf_data_head_ids(struct perf_data_head *head, struct reader ids);

void perf_data_head_done(struct perf_data_head *head);

#endif

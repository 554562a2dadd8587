/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in front of the records of a recording and behind them. Private to perf_data.c. */
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
	PERF_DATA_FEATURES = 256, /* as many bits the head of a file has for them */
};

struct perf_data_head {
	struct perf_data_input input;
	bool pipe;
	bool swap; /* the recording has the other byte order */
	uint64_t swap_room[PERF_FORMAT_MAX_WORDS];
	struct perf_data_events events;
	struct perf_data_facts facts;
	struct err damage; /* "" none */
};

/* A reader of bytes of this recording. */
struct reader perf_data_head_reader(const struct perf_data_head *head, const void *bytes,
				    size_t size);

/* Pipe or file, our byte order or the other: what the first bytes say. Errors as perf_data_open. */
int perf_data_head_magic(struct perf_data_head *head, struct err *err);
/* Of a file: events, facts, and input is put where the records are. */
int perf_data_head_file(struct perf_data_head *head, struct err *err);

/* Adds an event, of all bytes of a perf_event_attr; then ids of the last event. */
int perf_data_head_attr(struct perf_data_head *head, struct reader attr, struct err *err);
void perf_data_head_ids(struct perf_data_head *head, struct reader ids);

void perf_data_head_done(struct perf_data_head *head);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of table total by less than its key, read from the pages of the file and added up when
 * they are asked for. */
#ifndef STORE_SUM_ROWS_H
#define STORE_SUM_ROWS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"

enum sum_kind {
	SUM_FRAME, /* by innermost frame */
	SUM_TASK,
	SUM_STACK,
	SUM_KINDS,
};

struct sum {
	uint32_t id;		      /* of the frame, task or stack */
	uint8_t event, mode, context; /* the last two are 0 for stacks */
	uint64_t samples, weight;
};

struct sums_of_kind {
	bool known;
	VEC(struct sum) rows; /* by id, event, mode, context */
	struct hashidx index; /* private: while they are added up */
};

/* Zero-initialised knows nothing so far. */
struct sum_rows {
	bool temporary; /* total is a TEMP table, which is no part of the file */
	struct sums_of_kind kinds[SUM_KINDS];
	uint32_t *frames; /* private: by stack; NULL: not read so far */
	size_t frame_count;
};

/* Makes those of a kind known, once. -EBADMSG: table total or stack is wrong; else as sql_step. */
int sum_rows_read(struct sum_rows *rows, enum sum_kind kind, sqlite3 *db);
void sum_rows_done(struct sum_rows *rows);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of table total by part of its key, read from the pages of the file when they are needed. */
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
	struct hashidx index; /* private: only while rows are added */
};

/* Zero-initialised: nothing is known yet. */
struct sum_rows {
	bool temporary; /* total is a TEMP table, not part of the file */
	struct sums_of_kind kinds[SUM_KINDS];
	uint32_t *frames; /* private: by stack; NULL: not read yet */
	size_t frame_count;
};

/* Reads the sums of a kind, once. -EBADMSG: table total or stack is wrong. Other errors as
 * sql_step. */
int sum_rows_read(struct sum_rows *rows, enum sum_kind kind, sqlite3 *db);
void sum_rows_done(struct sum_rows *rows);

#endif

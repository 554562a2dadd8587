/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a history become one profile in memory (model/merge.h). Several threads load files, each
 * the next one, and merge them in order. Of a file that was merged only the numbers of its rows in the
 * merged profile are kept.
 */
#ifndef LOAD_FILE_MERGE_H
#define LOAD_FILE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "load/selection.h"
#include "load/total_sums.h"
#include "model/merge.h"
#include "store/store.h"

struct merged_file {
	const char *path;	    /* borrowed, as the next one */
	struct store_reader *store; /* open */
	uint64_t start_ns, end_ns;  /* by its own clock */
	struct merge_map map;	    /* tasks, frames, stacks and events */
	bool is_whole;		    /* all its samples are in the window */
};

void merged_file_done(struct merged_file *file);

/* A window by the clock of the merged profile, from one of CLOCK_REALTIME. */
struct selection_window file_merge_window(const struct profile *merged,
					  const struct selection_window *window);
/* A time of the merged profile by a file's own clock; 0 and UINT64_MAX stay. */
uint64_t merged_file_time(const struct merged_file *file, uint64_t time_ns);

struct merged_totals {
	struct total_sums all;
	struct total_sums whole; /* of the files that lie in the window as a whole */
};

/* Merges @files, the earliest first, into @into, which is new. @window is of CLOCK_REALTIME. Errors as
 * store_load_profile and merge_add. The caller frees *totals, and calls merged_file_done, also after an
 * error. */
int file_merge_run(struct merged_file *files, size_t count, const struct selection_window *window,
		   struct profile *into, struct merged_totals *totals, struct err *err);

#endif

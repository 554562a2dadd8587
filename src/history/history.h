/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Always on: a supervisor keeps the machine profiled from start to stop. The history that it leaves
 * is a folder of ordinary profiles, the segments, one after another without a gap; each is made by a
 * recorder of its own, a child of the supervisor. The next recorder is ready before the cut, and
 * keeps the samples from then on; the old one keeps those before. So nothing is lost or doubled,
 * memory cannot grow for ever, and a recorder that crashes costs one segment.
 *
 * A socket in the folder answers status, and takes orders: docs/history.md.
 *
 * Texts of options are borrowed. A folder that is NULL means the one in the variable
 * PROSPECT_HISTORY, else /var/lib/prospect for root and "history" in the state folder for others
 * (store/state_files.h). All functions return 0, or a negative errno
 * and one line; -ESRCH: no supervisor runs there.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

struct history_options {
	const char *folder;
	double rate_hz;
	bool off_cpu;
	double segment_s; /* length of a segment; they begin at multiples of it, by UTC */
	double keep_s;	  /* older segments are removed; 0: none is for its age */
	double max_bytes; /* the oldest are removed until all take less; 0: no limit */
	bool foreground;  /* the caller becomes the supervisor, as systemd wants it */
	/* Reads the options anew; only those that recorders and the folder's limits depend on are
	 * taken over. NULL: they cannot change. Negative errno and one line. */
	int (*reread)(void *context, struct history_options *ret_options, struct err *err);
	void *reread_context;
};

enum { HISTORY_PATH_MAX = 4096 };

/* Sets *ret_path. */
int history_folder(const char *wanted, char *ret_path, struct err *err);
/* Finds the history to view: the user's own, else the machine's. False: neither has a profile that the
 * user can see. */
bool history_find(char *ret_path, size_t size);
/* True if there is a history that this user may not read. Appends a clause that says for whom it is,
 * and what to do. */
bool history_is_closed(struct buf *text);
/* Starts the supervisor and returns when its first recorder is at work; with options->foreground
 * when it was stopped. -EALREADY: one runs there already, and the line says since when. */
int history_start(const struct history_options *options, struct err *err);
/* Each returns when it is done. */
int history_stop(const char *folder, struct err *err);
int history_pause(const char *folder, struct err *err);
int history_resume(const char *folder, struct err *err);
/* Begins another profile, without a gap; history_reload with options that are read anew. */
int history_restart(const char *folder, struct err *err);
int history_reload(const char *folder, struct err *err);
/* All samples up to now are in the files. */
int history_flush(const char *folder, struct err *err);
/* Notes a mark of now. -EINVAL: the text cannot be one. */
int history_mark(const char *folder, const char *text, struct err *err);
/* Removes all profiles but the one that is recorded; it works without a supervisor, too. */
int history_reset(const char *folder, struct err *err);
enum history_format {
	HISTORY_TEXT,
	HISTORY_JSON,
	HISTORY_OPENMETRICS, /* https://prometheus.io/docs/specs/om/open_metrics_spec/ */
};

/* Prints what runs and what the folder has; it works without a supervisor, too. */
int history_print_status(const char *folder, enum history_format format, FILE *out,
			 struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the progress of long work on stderr: on a terminal in one line that is rewritten, otherwise
 * in a new line every few seconds. Short work shows nothing. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *command; /* as typed */
	bool redraws;
	bool shown; /* there is a line to rewrite */
	const char *act;
	uint64_t began_ns, next_ns; /* of the act, of the next line */
};

/* @command is borrowed. */
void progress_begin(struct progress *progress, const char *command);
/* @done of @count items of @act ("attaching", borrowed) are done. Cheap enough for every item. */
void progress_tell(struct progress *progress, const char *act, size_t done, size_t count);
/* Removes the line. Call it before printing anything else. */
void progress_clear(struct progress *progress);

#endif

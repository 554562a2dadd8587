/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the progress of long work on stderr: on a terminal in one line that is rewritten, otherwise
 * in a new line every few seconds. Short work shows nothing. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *command; /* as it is called */
	bool redraws;
	bool shown; /* there is a line to be written over */
	const char *act;
	uint64_t began_ns, next_ns; /* of the act, of the next line */
};

/* @command is borrowed. */
void progress_begin(struct progress *progress, const char *command);
/* @done of @count are done of @act ("attaching", borrowed). May be called as often as one likes. */
void progress_tell(struct progress *progress, const char *act, size_t done, size_t count);
/* Takes the line away, before anything else is printed. */
void progress_clear(struct progress *progress);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns the text of an option into a value: of its row's type, process ids, a file mode. */
#ifndef CMD_OPTIONS_OPTION_VALUE_H
#define CMD_OPTIONS_OPTION_VALUE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "cmd/options/options.h"

/* Checks @text against @spec's type and limits and stores the value at @place (NULL: only checks).
 * @name is the option as typed, for the message. Returns 0, or -EINVAL with one line in @err; then
 * nothing is stored. Not for flags and refused options, which have no value. */
int option_value_set(const struct option_spec *spec, const char *name, const char *text,
		     void *place, struct err *err);

/* -EINVAL and the line for an option without its value. */
int option_value_missing(const struct option_spec *spec, const char *name, struct err *err);

/* Process or thread ids. Empty when zero-initialised. */
struct option_pids {
	pid_t *items;
	size_t count, capacity;
};

/* Appends the ids of all @texts ("1,2,3") of the option @name ("-p", "-t"). -EINVAL and one line
 * that begins with @name. */
int option_value_pids(const char *name, const struct option_texts *texts, struct option_pids *pids,
		      struct err *err);
void option_pids_done(struct option_pids *pids);

/* Reads a file mode in octal digits, as in chmod(1), which must let the owner read and write. NULL
 * is 0600, the default for output with files of other users. -EINVAL and one line that begins with
 * --mode. */
int option_value_mode(const char *text, mode_t *ret_mode, struct err *err);

#endif

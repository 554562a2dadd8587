/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose processes which run already, for all commands that have them. */
#ifndef CMD_OPTIONS_WHO_OPTIONS_H
#define CMD_OPTIONS_WHO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/options/option_value.h"
#include "cmd/options/options.h"
#include "model/who.h"

struct who_values {
	struct option_texts words[WHO_KIND_COUNT];
	bool wait;
};

/* clang-format off */
#define WHO_AT(offset, kind) \
	(offset) + offsetof(struct who_values, words) + (kind) * sizeof(struct option_texts)

/* Rows of an option table; @offset is that of the struct who_values. Groups of processes: */
#define WHO_GROUP_ROWS(offset) \
	{ "cgroup", 0, OPTION_TEXTS, WHO_AT(offset, WHO_CGROUP), "PATH", \
	  .help = "the processes of this control group and those below it" }, \
	{ "unit", 0, OPTION_TEXTS, WHO_AT(offset, WHO_UNIT), "UNIT,...", \
	  .help = "the processes of this service, slice or scope of systemd" }, \
	{ "container", 0, OPTION_TEXTS, WHO_AT(offset, WHO_CONTAINER), "NAME|ID,...", \
	  .help = "the processes of this container (docker, podman, containerd, lxc ...)" }, \
	{ "user", 0, OPTION_TEXTS, WHO_AT(offset, WHO_USER), "USER|UID,...", \
	  .help = "the processes of this user" }

/* These and all others, for commands that follow what starts later. */
#define WHO_OPTION_ROWS(offset) \
	{ "pid", 'p', OPTION_TEXTS, WHO_AT(offset, WHO_PROCESS), "PID|NAME,...", \
	  .help = "these processes and what they start; of a name also later ones" }, \
	{ "tid", 't', OPTION_TEXTS, WHO_AT(offset, WHO_THREAD), "TID,...", \
	  .help = "these threads and what they start" }, \
	WHO_GROUP_ROWS(offset), \
	{ "wait", 0, OPTION_FLAG, (offset) + offsetof(struct who_values, wait), NULL, \
	  .help = "if none of the chosen processes runs yet, wait for one" }
/* clang-format on */

/* Reads what was given into @who, which is zero-initialised; call who_done also after a failure.
 * -EINVAL and one line. */
int who_options_read(const struct who_values *values, struct who *who, struct err *err);

/* Appends the processes that are meant now, for commands that do not follow later ones. -EINVAL and
 * one line for a wrong list, or one that means no process. Whether ids exist is not checked if there
 * are only ids. */
int who_options_pids(const struct who_values *values, struct option_pids *pids, struct err *err);

/* The first of these options that was given, as typed; NULL: none. */
const char *who_options_given(const struct who_values *values);
/* True if only ids of processes were given: others were found to run, but may end at any time. */
bool who_options_by_id(const struct who_values *values);
/* True if an option was given that chooses groups. */
bool who_options_has_groups(const struct who_values *values);
/* Appends what was given, for people: "process 12", "unit nginx". */
void who_options_describe(const struct who_values *values, struct buf *text);

/* Such an option cannot be used with a command. -EINVAL and the line that says so; 0 if either is
 * missing. */
int who_options_check_command(const struct who *who, char *const *command, struct err *err);

#endif

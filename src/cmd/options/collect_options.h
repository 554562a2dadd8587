/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that record, and the recording for a command. */
#ifndef CMD_OPTIONS_COLLECT_OPTIONS_H
#define CMD_OPTIONS_COLLECT_OPTIONS_H

#include "cmd/options/options.h"
#include "cmd/options/who_options.h"
#include "model/words.h"
#include "record/record.h"

struct collect_options {
	struct record_options record;
	struct option_texts events;
	struct who_values who;
};

/* clang-format off */
/* Defaults. The rate is not a round number, so that it does not run in step with other activity. */
#define COLLECT_DEFAULTS \
	{ .record = { .rate_hz = 997.0, .flush_cs = 200, .stacks = "full", .max_depth = 512 } }

#define COLLECT_AT(type, member, field) \
	offsetof(type, member) + offsetof(struct collect_options, field)

/* Rows of an option table whose struct @type has a struct collect_options @member. */
#define COLLECT_OPTION_ROWS(type, member) \
	WHO_OPTION_ROWS(COLLECT_AT(type, member, who)), \
	{ "cpus", 'C', OPTION_TEXT, COLLECT_AT(type, member, record.cpus), "CPUS", \
	  .help = "take samples only on these CPUs: 0,2-5" }, \
	{ "duration", 0, OPTION_SECONDS, COLLECT_AT(type, member, record.duration_s), "S", \
	  .help = "stop after this time: 10, 1.5, 250ms, 2m, 1h", .least = 0.001, .most = 1e8 }, \
	{ "rate", 'F', OPTION_NUMBER, COLLECT_AT(type, member, record.rate_hz), "HZ", \
	  .help = "take HZ samples per second on each CPU (default 997)", \
	  .least = 1, .most = 1e6 }, \
	{ NULL, 'H', OPTION_NUMBER, COLLECT_AT(type, member, record.rate_hz), "HZ", \
	  .help = "the same as -F", .least = 1, .most = 1e6 }, \
	{ "event", 'e', OPTION_TEXTS, COLLECT_AT(type, member, events), "EVENT,...", \
	  .help = "also sample these events: page-faults, cycles ... (default: cycles)" }, \
	{ "output", 'o', OPTION_TEXT, COLLECT_AT(type, member, record.output), "FILE", \
	  .help = "keep the profile in FILE (default: last.prof, see prospect(1))" }, \
	{ "stacks", 0, OPTION_TEXT, COLLECT_AT(type, member, record.stacks), "full|fp|none", \
	  .help = "find callers by unwind tables (full, default), frame pointers (fp) or not" }, \
	{ "max-depth", 0, OPTION_INTEGER, COLLECT_AT(type, member, record.max_depth), "FRAMES", \
	  .help = "keep at most FRAMES user frames per stack (default 512)", .least = 1, \
	  .most = STACK_MOST_USER_FRAMES }, \
	{ "flush", 'M', OPTION_INTEGER, COLLECT_AT(type, member, record.flush_cs), "CENTISECONDS", \
	  .help = "time between writes to the profile (default 200)", \
	  .least = 1, .most = 360000 }, \
	{ "system-map", 'K', OPTION_TEXT, COLLECT_AT(type, member, record.system_map), "FILE", \
	  .help = "take kernel symbols from the running kernel's System.map" }, \
	{ "vmlinux", 'L', OPTION_TEXT, COLLECT_AT(type, member, record.vmlinux), "FILE", \
	  .help = "take kernel symbols from the running kernel's uncompressed image" }, \
	{ "off-cpu", 0, OPTION_FLAG, COLLECT_AT(type, member, record.off_cpu), NULL, \
	  .help = "also record off-CPU time: where threads wait, and what wakes them" }, \
	{ "build-ids", 0, OPTION_FLAG, COLLECT_AT(type, member, record.build_ids), NULL, \
	  .help = "ask the kernel for build ids, which can break a perf beside it" }, \
	{ "no-build-ids", 0, OPTION_FLAG, COLLECT_AT(type, member, record.no_build_ids), NULL, \
	  .help = "do not (default)" }, \
	{ "as-user", 0, OPTION_FLAG, COLLECT_AT(type, member, record.as_user), NULL, \
	  .help = "under sudo: run the command as the user who called it" }, \
	{ "ring", 0, OPTION_INTEGER, COLLECT_AT(type, member, record.ring_kb), "KB", \
	  .help = "size of each CPU's ring buffer, a power of two (default: 512 to 2048)", \
	  .least = 16, .most = 1048576 }
/* clang-format on */

/* What these options say, but for whom to record; the other members of struct record_options are
 * zero. */
struct record_options collect_record_options(const struct collect_options *options);
/* Reads the options that choose processes to @who, which is zero-initialised. @command: the command
 * that is profiled as well; NULL: none. Call who_done also after a failure. Error: -EINVAL. */
int collect_read_who(const struct collect_options *options, char *const *command, struct who *who,
		     struct err *err);

/* Records, and reports failures and remarks on stderr. Returns -1 if the recording is complete
 * (ret_result->path), else the exit status. Then ret_result->path names what was kept until the
 * failure; "" if there is nothing, or the command line is wrong. */
int collect_run(const struct record_options *options, struct record_result *ret_result);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of all commands that record, and the recording for a command. */
#ifndef CMD_OPTIONS_COLLECT_OPTIONS_H
#define CMD_OPTIONS_COLLECT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/options/options.h"
#include "model/words.h"
#include "record/record.h"

struct collect_options {
	double rate_hz;
	struct option_texts events;
	const char *output;
	int64_t flush_cs;
	const char *system_map, *vmlinux;
	bool as_user;
	int64_t ring_kb;
	const char *stacks;
	bool off_cpu;
	int64_t max_depth;
	bool no_build_ids;
};

/* clang-format off */
/* Defaults. The rate is not a round number, so that it does not run in step with other activity. */
#define COLLECT_DEFAULTS { .rate_hz = 997.0, .flush_cs = 200, .stacks = "full", .max_depth = 512 }

#define COLLECT_AT(type, member, field) \
	offsetof(type, member) + offsetof(struct collect_options, field)

/* Rows of an option table whose struct @type has a struct collect_options @member. */
#define COLLECT_OPTION_ROWS(type, member) \
	{ "rate", 'F', OPTION_NUMBER, COLLECT_AT(type, member, rate_hz), "HZ", \
	  .help = "take HZ samples per second on each CPU (default 997)", \
	  .least = 1, .most = 1e6 }, \
	{ NULL, 'H', OPTION_NUMBER, COLLECT_AT(type, member, rate_hz), "HZ", \
	  .help = "the same as -F", .least = 1, .most = 1e6 }, \
	{ "event", 'e', OPTION_TEXTS, COLLECT_AT(type, member, events), "EVENT,...", \
	  .help = "also sample these events: page-faults, cycles ... (default: cycles)" }, \
	{ "output", 'o', OPTION_TEXT, COLLECT_AT(type, member, output), "FILE", \
	  .help = "keep the profile in FILE (default: last.prof, see prospect(1))" }, \
	{ "stacks", 0, OPTION_TEXT, COLLECT_AT(type, member, stacks), "full|fp|none", \
	  .help = "find callers by unwind tables (full, default), frame pointers (fp) or not" }, \
	{ "max-depth", 0, OPTION_INTEGER, COLLECT_AT(type, member, max_depth), "FRAMES", \
	  .help = "keep at most FRAMES user frames per stack (default 512)", .least = 1, \
	  .most = STACK_MOST_USER_FRAMES }, \
	{ "flush", 'M', OPTION_INTEGER, COLLECT_AT(type, member, flush_cs), "CENTISECONDS", \
	  .help = "time between writes to the profile (default 200)", \
	  .least = 1, .most = 360000 }, \
	{ "system-map", 'K', OPTION_TEXT, COLLECT_AT(type, member, system_map), "FILE", \
	  .help = "take kernel symbols from the running kernel's System.map" }, \
	{ "vmlinux", 'L', OPTION_TEXT, COLLECT_AT(type, member, vmlinux), "FILE", \
	  .help = "take kernel symbols from the running kernel's uncompressed image" }, \
	{ "off-cpu", 0, OPTION_FLAG, COLLECT_AT(type, member, off_cpu), NULL, \
	  .help = "also record off-CPU time: where threads wait, and what wakes them" }, \
	{ "no-build-ids", 0, OPTION_FLAG, COLLECT_AT(type, member, no_build_ids), NULL, \
	  .help = "do not ask the kernel for build ids, which can break a perf beside it" }, \
	{ "as-user", 0, OPTION_FLAG, COLLECT_AT(type, member, as_user), NULL, \
	  .help = "under sudo: run the command as the user who called it" }, \
	{ "ring", 0, OPTION_INTEGER, COLLECT_AT(type, member, ring_kb), "KB", \
	  .help = "size of each CPU's ring buffer, a power of two (default: 512 to 2048)", \
	  .least = 16, .most = 1048576 }
/* clang-format on */

/* The members of struct record_options that these options set. */
struct record_options collect_record_options(const struct collect_options *options);

/* Records, and reports failures and remarks on stderr. Returns -1 if the recording is complete
 * (ret_result->path), else the exit status. Then ret_result->path names what was kept until the
 * failure; "" if there is nothing, or the command line is wrong. */
int collect_run(const struct record_options *options, struct record_result *ret_result);

#endif

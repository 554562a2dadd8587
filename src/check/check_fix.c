/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_fix.h"

#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/capability.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "perf/perf_limits.h"

#define CAPABILITIES "cap_perfmon,cap_bpf,cap_syslog+ep"

static bool is_ok(const struct check_point *points, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(points[i].name, name) == 0)
			return points[i].state == CHECK_OK;
	}
	return true;
}

static void add_step(struct buf *command, const char *words, const char *file)
{
	buf_printf(command, "%ssudo %s ", command->size ? " && " : "", words);
	text_add_word(command, file);
}

static bool give(struct check_fix *ret_fix, const char *command, const char *gain)
{
	snprintf(ret_fix->command, sizeof(ret_fix->command), "%s", command);
	snprintf(ret_fix->gain, sizeof(ret_fix->gain), "%s", gain);
	return true;
}

/* The user's own commands, and the kernel on their behalf, need level 1. */
static bool lower_level(const struct check_fix_facts *facts, struct check_fix *ret_fix)
{
	return give(ret_fix,
		    facts->kptr_restrict > 0 ? "sudo sysctl -w kernel.perf_event_paranoid=1 "
					       "kernel.kptr_restrict=0"
					     : "sudo sysctl -w kernel.perf_event_paranoid=1",
		    "your own commands, in user mode and in the kernel, until the next boot");
}

/* The group comes first: who may execute the file can watch every process. */
static bool give_capabilities(const struct check_fix_facts *facts, struct check_fix *ret_fix)
{
	_cleanup_(buf_done) struct buf command = { 0 };

	if (!facts->group_only) {
		buf_add_str(&command, "sudo groupadd -f -r prospect");
		if (facts->user)
			add_step(&command, "usermod -aG prospect", facts->user);
		add_step(&command, "chgrp prospect", facts->executable);
		add_step(&command, "chmod 0750", facts->executable);
	}
	add_step(&command, "setcap " CAPABILITIES, facts->executable);
	return command.size < sizeof(ret_fix->command) &&
	       give(ret_fix, buf_text(&command),
		    facts->group_only ? "the whole machine, for the group of that file"
				      : "the whole machine, for the group prospect: log in again");
}

/* A point's own command, which may follow words. */
static bool follow_point(const struct check_point *points, size_t count, struct check_fix *ret_fix)
{
	static const char *const begins[] = { "sudo sysctl ", "sudo mount " };

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sizeof(begins) / sizeof(begins[0]); k++) {
			const char *command = strstr(points[i].fix, begins[k]);

			if (command && points[i].state != CHECK_OK)
				return give(ret_fix, command, points[i].name);
		}
	}
	return false;
}

bool check_fix_choose(const struct check_fix_facts *facts, const struct check_point *points,
		      size_t count, struct check_fix *ret_fix)
{
	bool machine = is_ok(points, count, "permission") && is_ok(points, count, "stacks") &&
		       is_ok(points, count, "kernel names");

	if (facts->root || machine)
		return follow_point(points, count, ret_fix);
	if (!facts->capable && facts->paranoid > 1)
		return lower_level(facts, ret_fix);
	if (facts->executable && !facts->ignored)
		return give_capabilities(facts, ret_fix);
	return false;
}

/* True if the file has capabilities. */
static bool look_at_executable(char *path, size_t size, struct check_fix_facts *facts)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	struct stat st;

	path[length > 0 ? length : 0] = '\0';
	if (length <= 0 || stat(path, &st) < 0)
		return false;
	facts->executable = path;
	facts->group_only = !(st.st_mode & S_IXOTH);
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

bool check_fix_find(const struct check_point *points, size_t count, struct check_fix *ret_fix)
{
	struct check_fix_facts facts = { .root = geteuid() == 0,
					 .paranoid = perf_limits_paranoid() };
	const struct passwd *entry = getpwuid(getuid());
	char path[4096];

	if (file_read_i64("/proc/sys/kernel/kptr_restrict", &facts.kptr_restrict) < 0)
		facts.kptr_restrict = 0;
	facts.user = entry ? entry->pw_name : NULL;
	if (look_at_executable(path, sizeof(path), &facts)) {
		facts.capable = capability_held(CAP_PERFMON);
		facts.ignored = !facts.capable;
	}
	return check_fix_choose(&facts, points, count, ret_fix);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/who_options.h"

#include <errno.h>
#include <string.h>

#include "base/owner.h"
#include "proc/container_names.h"
#include "proc/who_find.h"

/* A name may still be that of a group, so files that cannot be read matter only if it is not. */
static int find_containers(struct who *who, struct err *err)
{
	struct err unreadable;
	struct owner owner;
	struct pids pids = { 0 };
	int rc = 0;

	if (!who_has(who, WHO_CONTAINER))
		return 0;
	owner_find(&owner);
	if (container_names_find(who, "", owner.home, &unreadable) > 0 &&
	    who_find(who, NULL, &pids, NULL) == -EINVAL)
		rc = err_set(err, -EINVAL, "--container: %s", unreadable.text);
	vec_free(&pids);
	return rc;
}

/* Of the whole machine no threads are chosen but by their processes. */
static int check_threads(const struct who *who, struct err *err)
{
	if (!who_has(who, WHO_THREAD) || !who_follows(who))
		return 0;
	return err_set(err, -EINVAL,
		       "-t cannot be used with names or groups of processes: give -p their ids");
}

int who_options_read(const struct who_values *values, struct who *who, struct err *err)
{
	who->wait = values->wait;
	for (int kind = 0; kind < WHO_KIND_COUNT; kind++) {
		const struct option_texts *texts = &values->words[kind];

		for (size_t i = 0; i < texts->count; i++) {
			int rc = who_add(who, (enum who_kind)kind, texts->items[i], err);

			if (rc < 0)
				return rc;
		}
	}
	who_find_threads(who);
	if (check_threads(who, err) < 0)
		return -EINVAL;
	return find_containers(who, err);
}

static int find_pids(const struct who *who, struct pids *pids, struct err *err)
{
	if (who_follows(who))
		return who_find(who, NULL, pids, err);
	for (size_t i = 0; i < who->words.count; i++)
		*vec_push(pids) = who->words.items[i].pid;
	return 0;
}

int who_options_pids(const struct who_values *values, struct option_pids *pids, struct err *err)
{
	struct pids found = { 0 };
	struct who who = { .now = true };
	int rc = who_options_read(values, &who, err);

	if (rc == 0)
		rc = find_pids(&who, &found, err);
	for (size_t i = 0; rc == 0 && i < found.count; i++)
		*vec_push(pids) = found.items[i];
	vec_free(&found);
	who_done(&who);
	return rc;
}

const char *who_options_given(const struct who_values *values)
{
	for (int kind = 0; kind < WHO_KIND_COUNT; kind++) {
		if (values->words[kind].count)
			return who_kind_option((enum who_kind)kind);
	}
	return NULL;
}

bool who_options_by_id(const struct who_values *values)
{
	struct who who = { 0 };
	bool by_id = who_options_read(values, &who, NULL) == 0 && !who_follows(&who);

	who_done(&who);
	return by_id;
}

bool who_options_has_groups(const struct who_values *values)
{
	for (int kind = WHO_CGROUP; kind < WHO_KIND_COUNT; kind++) {
		if (values->words[kind].count)
			return true;
	}
	return false;
}

void who_options_describe(const struct who_values *values, struct buf *text)
{
	const char *separator = "";

	for (int kind = 0; kind < WHO_KIND_COUNT; kind++) {
		const char *noun = who_kind_noun((enum who_kind)kind);

		for (size_t i = 0; i < values->words[kind].count; i++) {
			buf_printf(text, "%s%s %s", separator, noun, values->words[kind].items[i]);
			separator = ", ";
		}
	}
}

/* The "5" of "sleep 5", with which users of perf(1) limit a recording; NULL: another command. */
static const char *time_of_sleep(char *const *command)
{
	return strcmp(command[0], "sleep") == 0 && command[1] && !command[2] ? command[1] : NULL;
}

int who_options_check_command(const struct who *who, char *const *command, struct err *err)
{
	const char *option, *time;

	if (!who->words.count || !command)
		return 0;
	option = who_kind_option(who->words.items[0].kind);
	time = time_of_sleep(command);
	if (time)
		return err_set(err, -EINVAL,
			       "%s cannot be used with a command: give --duration %s instead of "
			       "'sleep %s'",
			       option, time, time);
	return err_set(err, -EINVAL,
		       "%s cannot be used with a command: to stop after a time give --duration S",
		       option);
}

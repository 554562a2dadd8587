/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/who_find.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "model/container.h"
#include "proc/thread_names.h"

enum {
	MISTYPED_LETTERS = 2,
	NAME_BYTES = 256,
};

/* As in reports: a script's name counts and not its interpreter's, a link's and not the file's. */
static const char *program_of(const struct proc_info *info)
{
	if (info->script[0])
		return info->script;
	return info->link[0] ? info->link : file_base(info->executable);
}

bool who_find_facts(const struct proc_info *info, char container[WHO_FIND_CONTAINER],
		    struct who_facts *ret_facts)
{
	container_of_cgroup(info->cgroup, container, WHO_FIND_CONTAINER);
	*ret_facts = (struct who_facts){ .pid = info->pid,
					 .names = { info->comm, program_of(info) },
					 .uid = info->uid,
					 .cgroup = info->cgroup,
					 .container = container };
	return info->pid != getpid();
}

/* What is known of a word after /proc was read. */
struct sought {
	bool found;
	unsigned distance; /* of the nearest other name */
	char nearest[NAME_BYTES];
};

struct search {
	const struct who *who;
	struct sought *sought; /* of each word */
	struct pids *pids;
};

/* "python" is near "python3.11", and "ngnix" near "nginx". */
static unsigned distance_to(const char *word, const char *name)
{
	size_t length = strlen(word);

	if (length > MISTYPED_LETTERS && strncmp(word, name, length) == 0)
		return 1;
	return text_distance(word, name, MISTYPED_LETTERS);
}

static void consider(struct sought *sought, const char *word, const struct who_facts *facts)
{
	for (size_t i = 0; i < WHO_NAMES; i++) {
		unsigned distance = distance_to(word, facts->names[i]);

		if (!*facts->names[i] || distance >= sought->distance)
			continue;
		sought->distance = distance;
		snprintf(sought->nearest, sizeof(sought->nearest), "%s", facts->names[i]);
	}
}

static void look_at(void *context, const struct proc_info *info)
{
	const struct search *search = context;
	char container[WHO_FIND_CONTAINER];
	struct who_facts facts;
	bool matches = false;

	if (!who_find_facts(info, container, &facts))
		return;
	for (size_t i = 0; i < search->who->words.count; i++) {
		const struct who_word *word = &search->who->words.items[i];

		if (who_word_matches(word, &facts))
			matches = search->sought[i].found = true;
		else if (!search->sought[i].found && word->kind == WHO_PROCESS)
			consider(&search->sought[i], word->text, &facts);
	}
	if (matches)
		*vec_push(search->pids) = info->pid;
}

static int explain_id(const struct who_word *word, struct err *err)
{
	pid_t process = thread_facts_number(word->pid, "Tgid");

	if (process && process != word->pid)
		return err_set(err, -ESRCH, "%d is a thread of process %d; use -p %d",
			       (int)word->pid, (int)process, (int)process);
	return err_set(err, -ESRCH, "process %d: no such process", (int)word->pid);
}

static int explain(const struct who *who, const struct who_word *word, const struct sought *sought,
		   struct err *err)
{
	const char *option = who_kind_option(word->kind);
	const char *lacking = who_kind_lacking(word->kind);

	if (word->thread)
		return err_set(err, -ESRCH, "thread %d: no such thread", (int)word->thread);
	if (word->pid)
		return explain_id(word, err);
	if (sought->distance <= MISTYPED_LETTERS)
		return err_set(err, -EINVAL, "%s '%s' (%s): did you mean '%s'?%s", lacking,
			       word->text, option, sought->nearest,
			       who->now ? "" : " --wait waits for one to start");
	return err_set(err, -EINVAL, "%s '%s' (%s)%s", lacking, word->text, option,
		       who->now ? "" : ": --wait waits for one to start");
}

void who_find_threads(struct who *who)
{
	for (size_t i = 0; i < who->words.count; i++) {
		struct who_word *word = &who->words.items[i];

		if (word->thread)
			word->pid = thread_facts_number(word->thread, "Tgid");
	}
}

int who_find(const struct who *who, struct foreign *foreign, struct pids *pids, struct err *err)
{
	_cleanup_free_ struct sought *sought = xcalloc(who->words.count, sizeof(*sought));
	struct search search = { who, sought, pids };
	const struct proc_visitor visitor = { .process = look_at,
					      .context = &search,
					      .foreign = foreign };
	int rc;

	for (size_t i = 0; i < who->words.count; i++)
		sought[i].distance = MISTYPED_LETTERS + 1;
	rc = proc_scan_all(&visitor, err);
	for (size_t i = 0; rc == 0 && i < who->words.count; i++) {
		const struct who_word *word = &who->words.items[i];

		if (!sought[i].found && (!who_word_follows(word) || !who->wait))
			rc = explain(who, word, &sought[i], err);
	}
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/who.h"

#include <errno.h>
#include <fnmatch.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "base/xalloc.h"

enum { MOST_PID = 4194304 /* PID_MAX_LIMIT of 64-bit kernels */ };

/* ---- processes by id and name ---- */

static bool read_id(const char *text, pid_t *ret_id)
{
	uint64_t id;

	if (!scan_whole_number(text, 10, &id) || id == 0 || id > MOST_PID)
		return false;
	*ret_id = (pid_t)id;
	return true;
}

static bool read_process(struct who_word *word)
{
	if (word->text[strspn(word->text, "0123456789")])
		return word->text[0] != '/';
	return read_id(word->text, &word->pid);
}

/* A name with brackets, as kernel threads have, is also one that matches itself. */
static bool is_named(const struct who_word *word, const struct who_facts *facts)
{
	if (word->pid)
		return word->pid == facts->pid;
	for (size_t i = 0; i < WHO_NAMES; i++) {
		const char *name = facts->names[i];

		if (name && (strcmp(word->text, name) == 0 || fnmatch(word->text, name, 0) == 0))
			return true;
	}
	return false;
}

/* ---- threads ---- */

static bool read_thread(struct who_word *word)
{
	return read_id(word->text, &word->thread);
}

static bool has_thread(const struct who_word *word, const struct who_facts *facts)
{
	return word->pid && word->pid == facts->pid;
}

/* ---- control groups ---- */

/* A path as the kernel has it: from the root of the hierarchy, without a slash at its end. */
static bool read_cgroup(struct who_word *word)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *path = word->text;
	char *whole;
	size_t length;

	if (strncmp(path, mount, strlen(mount)) == 0 && strchr("/", path[strlen(mount)]))
		path += strlen(mount);
	path += strspn(path, "/");
	whole = xasprintf("/%s", path);
	free(word->text);
	word->text = whole;
	for (length = strlen(whole); length > 1 && whole[length - 1] == '/'; length--)
		whole[length - 1] = '\0';
	return true;
}

static bool is_in_cgroup(const struct who_word *word, const struct who_facts *facts)
{
	size_t length = strcmp(word->text, "/") == 0 ? 0 : strlen(word->text);

	return facts->cgroup && strncmp(facts->cgroup, word->text, length) == 0 &&
	       (facts->cgroup[length] == '/' || facts->cgroup[length] == '\0');
}

/* True if a component of the group's path is @name. */
static bool has_component(const char *cgroup, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = cgroup; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, name, length) == 0 && (at[length] == '/' || !at[length]))
			return true;
	}
	return false;
}

/* As systemctl(1) does, takes a name without a type for a service. */
static bool read_unit(struct who_word *word)
{
	static const char *const types[] = { ".service", ".slice", ".scope" };
	char *whole;

	if (strchr(word->text, '/'))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *dot = strrchr(word->text, '.');

		if (dot && strcmp(dot, types[i]) == 0)
			return true;
	}
	whole = xasprintf("%s.service", word->text);
	free(word->text);
	word->text = whole;
	return true;
}

static bool is_in_unit(const struct who_word *word, const struct who_facts *facts)
{
	return facts->cgroup && has_component(facts->cgroup, word->text);
}

/* ---- containers ---- */

enum { LEAST_ID = 4 };

static bool read_container(struct who_word *word)
{
	return !strchr(word->text, '/');
}

/* An id may be given as a part of it, and groups have only a part as well. */
static bool is_id(const char *id, const char *container)
{
	size_t length = strlen(id), known = strlen(container);

	return length >= LEAST_ID && known >= LEAST_ID &&
	       strncmp(id, container, length < known ? length : known) == 0 &&
	       strspn(id, "0123456789abcdef") == length;
}

static bool is_in_container(const struct who_word *word, const struct who_facts *facts)
{
	if (!facts->container || !facts->cgroup)
		return false;
	if (word->id[0])
		return is_id(word->id, facts->container);
	return strcmp(word->text, facts->container) == 0 || is_id(word->text, facts->container) ||
	       has_component(facts->cgroup, word->text);
}

/* ---- users ---- */

static bool read_user(struct who_word *word)
{
	const struct passwd *entry;
	uint64_t uid;

	if (scan_whole_number(word->text, 10, &uid)) {
		word->uid = (uint32_t)uid;
		return uid < WHO_NO_USER;
	}
	entry = getpwnam(word->text);
	word->uid = entry ? entry->pw_uid : WHO_NO_USER;
	return entry != NULL;
}

static bool is_of_user(const struct who_word *word, const struct who_facts *facts)
{
	return facts->uid == word->uid;
}

/* ---- kinds ---- */

static const struct {
	const char *option, *noun, *lacking;
	const char *separators;		     /* between words; "": there is one */
	const char *expected;		     /* ends the message about a wrong word */
	bool (*read)(struct who_word *word); /* false: it is wrong */
	bool (*matches)(const struct who_word *word, const struct who_facts *facts);
} kinds[WHO_KIND_COUNT] = {
	[WHO_PROCESS] = { "-p", "process", "no process is named", ",",
			  "process ids, and names without their folder: nginx,1234", read_process,
			  is_named },
	[WHO_THREAD] = { "-t", "thread", "there is no thread", ",", "ids of threads: 1234,1235",
			 read_thread, has_thread },
	[WHO_CGROUP] = { "--cgroup", "control group", "no process is in the control group", "",
			 "the path of a control group: /system.slice", read_cgroup, is_in_cgroup },
	[WHO_UNIT] = { "--unit", "unit", "no process belongs to the unit", ",",
		       "units of systemd: nginx.service,user.slice", read_unit, is_in_unit },
	[WHO_CONTAINER] = { "--container", "container", "no process runs in the container", ",",
			    "names or ids of containers", read_container, is_in_container },
	[WHO_USER] = { "--user", "user", "no process runs as the user", ",",
		       "users of this machine, or their ids: www-data,1000", read_user,
		       is_of_user },
};

const char *who_kind_lacking(enum who_kind kind)
{
	return kinds[kind].lacking;
}

const char *who_kind_noun(enum who_kind kind)
{
	return kinds[kind].noun;
}

const char *who_kind_option(enum who_kind kind)
{
	return kinds[kind].option;
}

/* Adds the @length letters at @at of the option's @text. */
static int add_word(struct who *who, enum who_kind kind, const char *at, size_t length,
		    const char *text, struct err *err)
{
	struct who_word *word = vec_push(&who->words);

	*word = (struct who_word){ .kind = kind, .text = xstrndup(at, length) };
	if (length && kinds[kind].read(word))
		return 0;
	return err_set(err, -EINVAL, "invalid %s '%s': expected %s", kinds[kind].option, text,
		       kinds[kind].expected);
}

int who_add(struct who *who, enum who_kind kind, const char *text, struct err *err)
{
	int rc = 0;

	for (const char *at = text; rc == 0; at++) {
		size_t length;

		at += strspn(at, " \t\n");
		length = strcspn(at, kinds[kind].separators);
		rc = add_word(who, kind, at, length, text, err);
		at += length;
		if (!*at)
			break;
	}
	return rc;
}

void who_done(struct who *who)
{
	for (size_t i = 0; i < who->words.count; i++)
		free(who->words.items[i].text);
	vec_free(&who->words);
}

/* ---- processes ---- */

bool who_has(const struct who *who, enum who_kind kind)
{
	for (size_t i = 0; i < who->words.count; i++) {
		if (who->words.items[i].kind == kind)
			return true;
	}
	return false;
}

bool who_has_only(const struct who *who, enum who_kind kind)
{
	for (size_t i = 0; i < who->words.count; i++) {
		if (who->words.items[i].kind != kind)
			return false;
	}
	return true;
}

bool who_word_follows(const struct who_word *word)
{
	return !word->pid && !word->thread;
}

bool who_follows(const struct who *who)
{
	for (size_t i = 0; i < who->words.count; i++) {
		if (who_word_follows(&who->words.items[i]))
			return true;
	}
	return false;
}

bool who_word_matches(const struct who_word *word, const struct who_facts *facts)
{
	return kinds[word->kind].matches(word, facts);
}

bool who_matches(const struct who *who, const struct who_facts *facts)
{
	for (size_t i = 0; i < who->words.count; i++) {
		if (who_word_matches(&who->words.items[i], facts))
			return true;
	}
	return false;
}

/* ---- threads of processes ---- */

static bool is_whole(const struct who *who, pid_t pid)
{
	for (size_t i = 0; i < who->words.count; i++) {
		const struct who_word *word = &who->words.items[i];

		if (who_word_follows(word) || (word->kind == WHO_PROCESS && word->pid == pid))
			return true;
	}
	return false;
}

void who_divide(const struct who *who, const struct pids *found, struct pids *processes,
		struct pids *threads)
{
	for (size_t i = 0; i < found->count; i++) {
		if (is_whole(who, found->items[i]))
			*vec_push(processes) = found->items[i];
	}
	for (size_t i = 0; i < who->words.count; i++) {
		const struct who_word *word = &who->words.items[i];

		if (word->thread && !is_whole(who, word->pid))
			*vec_push(threads) = word->thread;
	}
}

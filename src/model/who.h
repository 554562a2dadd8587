/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is recorded: the words of -p and its like, and the processes that they mean. A chosen
 * process stays chosen, and so is everything that it starts from then on. The words are only read
 * here; proc/who_find.h looks for the processes that run now.
 */
#ifndef MODEL_WHO_H
#define MODEL_WHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/* One for each option; who.c has the table of them. */
enum who_kind {
	WHO_PROCESS,   /* -p: a process by its id, or all of a name */
	WHO_THREAD,    /* -t: a thread by its id */
	WHO_CGROUP,    /* --cgroup: a control group and those below it */
	WHO_UNIT,      /* --unit: of systemd: a service, a slice, a scope */
	WHO_CONTAINER, /* --container: by id or name */
	WHO_USER,      /* --user: by name or uid */
	WHO_KIND_COUNT,
};

/* As typed: "-p". */
const char *who_kind_option(enum who_kind kind);
/* For people: "unit". */
const char *who_kind_noun(enum who_kind kind);
/* What to say if a word means no process: "no process is named". */
const char *who_kind_lacking(enum who_kind kind);

struct who_word {
	enum who_kind kind;
	char *text; /* owned. The name of a process may have the wildcards of fnmatch(3) */
	/* WHO_PROCESS: its id; 0: @text is its name. WHO_THREAD: of the thread's process, which the
	 * caller of who_add looks up; 0: there is no such thread. */
	pid_t pid;
	pid_t thread; /* WHO_THREAD: its id */
	uint32_t uid; /* WHO_USER */
	char id[65];  /* WHO_CONTAINER: the id that belongs to the name; "": none is known */
};

/* Everybody when zero-initialised. */
struct who {
	VEC(struct who_word) words;
	bool wait; /* words that mean no process yet are fine */
	bool now;  /* the command cannot wait: only processes that run count */
};

/* Adds the words of an option: "nginx,1234". -EINVAL and one line that begins with "invalid" and
 * the option. */
int who_add(struct who *who, enum who_kind kind, const char *text, struct err *err);
void who_done(struct who *who);

bool who_has(const struct who *who, enum who_kind kind);
/* True if no word is of another kind. */
bool who_has_only(const struct who *who, enum who_kind kind);
/* True if a process that starts later can be meant. */
bool who_word_follows(const struct who_word *word);
bool who_follows(const struct who *who);

enum { WHO_NAMES = 2, WHO_NO_USER = UINT32_MAX };

/* What is known of a process. Texts are borrowed. */
struct who_facts {
	pid_t pid;		      /* 0: it started after the words were read */
	const char *names[WHO_NAMES]; /* it has all of them; NULL: none */
	uint32_t uid;		      /* WHO_NO_USER: not known */
	const char *cgroup;	      /* its path; NULL: not known */
	const char *container;	      /* as container_of_cgroup has it; NULL: not known */
};

bool who_word_matches(const struct who_word *word, const struct who_facts *facts);
/* True if any word means the process. */
bool who_matches(const struct who *who, const struct who_facts *facts);

/* Process ids, or those of threads. Empty when zero-initialised. */
struct pids {
	pid_t *items;
	size_t count, capacity;
};

/* What is followed from the start, with all that it starts: all threads of processes, and single
 * ones of others. Borrowed. */
struct who_tasks {
	const pid_t *processes;
	size_t process_count;
	const pid_t *threads;
	size_t thread_count;
};

/* Of processes that were found, divides @found into those that are chosen as a whole, and the chosen
 * threads of the others; appends. */
void who_divide(const struct who *who, const struct pids *found, struct pids *processes,
		struct pids *threads);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the rows of a profile are called: process name#instance, demangled symbols, user names. The
 * texts are as they are in the profile, not yet made safe for a terminal.
 */
#ifndef AGGREGATE_LABELS_H
#define AGGREGATE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/stack_names.h"
#include "base/buf.h"
#include "model/profile.h"

/* What the caller knows of users; aggregate itself asks no system. */
struct user_name {
	uint32_t uid;
	const char *name; /* borrowed */
};

/* What lines the code of frames belongs to; aggregate itself opens no file. */
struct label_places {
	/* Ids of texts, equal where the texts are: "file:line", the file alone, and the function,
	 * where the innermost inlined one counts, as a symbol table has it. */
	uint32_t (*line)(void *context, uint32_t frame);
	uint32_t (*source)(void *context, uint32_t frame);
	uint32_t (*function)(void *context, uint32_t frame);
	const char *(*text)(void *context, uint32_t id); /* borrowed until the next call */
	void *context;
};

struct labels {
	const struct profile *profile; /* borrowed */
	const struct user_name *users; /* borrowed; those without a row are shown as numbers */
	size_t user_count;
	/* The readable form of a name of a symbol table, or the name itself; borrowed until the
	 * next call. The member may be NULL: names stay as they are. */
	const char *(*demangle)(void *context, const char *name);
	void *demangle_context;
	const struct label_places *places; /* borrowed; NULL: lines are not known */
	uint64_t slice_ns;		   /* how long a value of the key time is; 0: 1 s */
	/* Private. */
	uint8_t *name_uses; /* by str_id: 0, 1 or 2 (more) functions have this name */
	struct stack_names *stacks;
	bool *has_twin;	  /* by symbol: another function of its image has its name */
	uint8_t *told_by; /* by symbol: what it takes to tell it from others of its name */
	char **names;	/* by str_id: as labels_name gives it; NULL: not asked for so far */
	size_t name_count;
};

/* Everything but the profile is left empty for the caller to fill in. */
void labels_init(struct labels *labels, const struct profile *profile);
void labels_done(struct labels *labels);

/* What a stack says of its thread by its innermost frame: what it waited for, WAIT_RUNNING if it
 * ran; and the process that ended the wait, 0: none is known. */
enum wait labels_wait(const struct labels *labels, uint32_t stack);
uint32_t labels_waker(const struct labels *labels, uint32_t stack);

/* Each appends a text to @buf. Ids must be in range. */
void labels_process(const struct labels *labels, uint32_t process, struct buf *buf);
void labels_user(const struct labels *labels, uint32_t uid, struct buf *buf);
/* A name as in a symbol table; "[unknown]" for the empty one. */
void labels_name(const struct labels *labels, str_id name, struct buf *buf);
/* The symbol's name, and what tells it from all others in the profile: "@0xSTART" between two
 * symbols ("a->b") or where others have the same name; then " in FILE", by its last name or by its
 * path, where they also have the same start; then " of build ID". */
void labels_function(const struct labels *labels, uint32_t symbol, struct buf *buf);
/* The same for a reader who sees the image beside it: the start is only given where the image has
 * several functions of this name, or several places without one. */
void labels_routine(const struct labels *labels, uint32_t symbol, struct buf *buf);
void labels_path(const struct labels *labels, uint32_t image, struct buf *buf);

#endif

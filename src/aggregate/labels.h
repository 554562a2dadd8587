/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts for the rows of a profile: process name#instance, demangled symbols, user names. The texts
 * are those of the profile, not yet safe for a terminal.
 */
#ifndef AGGREGATE_LABELS_H
#define AGGREGATE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/profile.h"

/* User names from the caller; aggregate itself does not ask the system. */
struct user_name {
	uint32_t uid;
	const char *name; /* borrowed */
};

/* Source lines of frames, from the caller; aggregate itself opens no file. */
struct label_places {
	/* Ids of texts; equal texts have equal ids. The texts are "file:line", the file alone, and
	 * the function, named as in a symbol table; of inlined functions the innermost counts. */
	uint32_t (*line)(void *context, uint32_t frame);
	uint32_t (*source)(void *context, uint32_t frame);
	uint32_t (*function)(void *context, uint32_t frame);
	const char *(*text)(void *context, uint32_t id); /* borrowed until the next call */
	void *context;
};

struct label_stacks;

struct labels {
	const struct profile *profile; /* borrowed */
	const struct user_name *users; /* borrowed; users without a row are shown as numbers */
	size_t user_count;
	/* The readable form of a symbol table's name, or the name itself; borrowed until the next
	 * call. NULL: names stay as they are. */
	const char *(*demangle)(void *context, const char *name);
	void *demangle_context;
	const struct label_places *places; /* borrowed; NULL: lines are unknown */
	uint64_t slice_ns;		   /* length of a value of the key time; 0: 1 s */
	/* Functions without a name are written as labels_place does, each apart. Settled before
	 * anything is asked. */
	bool by_start;
	/* Private. */
	uint8_t *name_uses; /* by str_id: 0, 1 or 2 (more) functions have this name */
	struct label_stacks *stacks;
	bool *has_twin;	  /* by symbol: another function of its image has its name */
	uint8_t *told_by; /* by symbol: what distinguishes it from others of its name */
	char **names;	  /* by str_id: as labels_name gives it; NULL: not asked for */
	size_t name_count;
};

/* Leaves all public members but the profile empty, for the caller to fill in. */
void labels_init(struct labels *labels, const struct profile *profile);
void labels_done(struct labels *labels);

/* What a stack's innermost frame says about its thread: what it waited for, WAIT_RUNNING if it ran;
 * and the process that ended the wait, 0: unknown. */
enum wait labels_wait(const struct labels *labels, uint32_t stack);
uint32_t labels_waker(const struct labels *labels, uint32_t stack);

/* Each appends a text to @buf. Ids must be in range. */
void labels_process(const struct labels *labels, uint32_t process, struct buf *buf);
void labels_user(const struct labels *labels, uint32_t uid, struct buf *buf);
/* Functions with the same number are called the same, whatever their file: by the name as in a symbol
 * table, whose str_id the number is, or with by_start as labels_place does. */
uint64_t labels_number(const struct labels *labels, uint32_t symbol);
/* The symbol of a number that stands for a place, 0 for a name's. */
uint32_t labels_place_of(uint64_t number);
/* True if by_start, and the symbol is written as labels_place does. */
bool labels_is_place(const struct labels *labels, uint32_t symbol);
/* The text of such a number; "[unknown]" for the empty name. Without by_start a place has its name. */
void labels_name(const struct labels *labels, uint64_t number, struct buf *buf);
/* The symbol's name, and what distinguishes it from all others in the profile. "@0xSTART" if it
 * lies between two symbols ("a->b") or others have the same name. Then " in FILE", as its base name
 * or its path, if others also have the same start. Then " of build ID", if it has one. Code in memory
 * without a file has only a start. */
void labels_function(const struct labels *labels, uint32_t symbol, struct buf *buf);
/* The same for a reader who sees the image next to it: the start appears only if the image has
 * several functions of this name, or several places without a name. */
void labels_routine(const struct labels *labels, uint32_t symbol, struct buf *buf);
/* Of a function without a name, in a file that is known: appends "FILE+0xSTART". Where it starts is
 * what .eh_frame says, or else where the symbol before it ends. False, with nothing appended, for
 * all others. */
bool labels_place(const struct labels *labels, uint32_t symbol, struct buf *buf);
void labels_path(const struct labels *labels, uint32_t image, struct buf *buf);
/* Appends the names of a stack's functions, root first and joined by ';', with names as in
 * labels_name. Characters that end a name or a line (';', control characters), and the backslash,
 * are written as \xNN, so that the text can be parsed. A cut stack begins with "[cut:REASON]"; ""
 * for stack 0. */
void labels_stack(const struct labels *labels, uint32_t stack, struct buf *buf);

/* The stack that represents all stacks with the same names, whatever the positions within the
 * functions: the first of them. */
uint32_t labels_first_stack(const struct labels *labels, uint32_t stack);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which texts of one key mean the same in two profiles. A text on both sides means itself, except
 * for functions, whose parts always count as one; other texts are compared by what survives a
 * rebuild: compilers number unnamed things and split functions into parts; linkers and installers
 * put versions into file names.
 */
#ifndef AGGREGATE_DIFF_REBUILT_H
#define AGGREGATE_DIFF_REBUILT_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/keys.h"
#include "base/buf.h"
#include "base/strpool.h"

enum diff_side {
	DIFF_OLD,
	DIFF_NEW,
	DIFF_SIDES,
};

/* A function without a name, or a stack with one. */
struct rebuilt_place {
	const char *text;    /* how it is shown: "libfoo.so.1+0x8000" */
	const char *between; /* its name in the symbol table, "a->b", which survives a rebuild */
	const char *build;   /* the build id of its file; "": unknown, or of several */
};

/* The same, in the texts of a match. */
struct rebuilt_placed {
	str_id text, between, build;
};

/* Zero-initialised is empty; only the key must be set. */
struct rebuilt_match {
	const struct key *key;
	bool exact; /* texts mean only themselves */
	struct strpool texts;
	VEC(uint8_t) sides;	    /* by text: 1 << enum diff_side for each side that has it */
	VEC(str_id) meaning;	    /* by text, once settled */
	str_id command[DIFF_SIDES]; /* see rebuilt_match_command; 0: unknown */
	VEC(str_id) executables;    /* by text: see rebuilt_match_executable; 0: unknown */
	bool has_executables[DIFF_SIDES];
	VEC(struct rebuilt_placed) places;
	VEC(uint32_t) place_of; /* by text: 1 + its index in places; 0: none */
	VEC(str_id) shown;	/* by text, once settled: as rebuilt_match_shown */
};

/* Adds a text that @side has; returns its number. */
str_id rebuilt_match_add(struct rebuilt_match *match, const char *text, enum diff_side side);
/*
 * The same for a place. It means itself if both sides have it, or if both have the same build of its
 * file. Otherwise it is compared by the name between symbols, and all places of a side that are
 * called so are one.
 */
str_id rebuilt_match_add_place(struct rebuilt_match *match, const struct rebuilt_place *place,
			       enum diff_side side);
/* Sets the text that stands for the command of a side, which may have another name on the other
 * side. */
void rebuilt_match_command(struct rebuilt_match *match, const char *text, enum diff_side side);
/* Of the key program: @text executes the file @executable, a name without folders. A program that
 * only one side has means the same as one that the other side calls by that name. A side without
 * executables is of an older version, which called all programs so. */
void rebuilt_match_executable(struct rebuilt_match *match, const char *text, const char *executable,
			      enum diff_side side);
/* Call this after all texts were added: finds their meanings. */
void rebuilt_match_settle(struct rebuilt_match *match);
/* The meaning of a text: equal numbers mean the same. */
str_id rebuilt_match_meaning(const struct rebuilt_match *match, str_id text);
/* The text to show for a text or a meaning, once settled. Places of functions that are one are
 * "libfoo.so.1+0x8000..0x9000", from the first to the last of them on the new side. */
const char *rebuilt_match_shown(const struct rebuilt_match *match, str_id text);
/* The same with the name in the symbol table, "a->b", for a place. */
const char *rebuilt_match_between(const struct rebuilt_match *match, str_id text);
void rebuilt_match_done(struct rebuilt_match *match);

/*
 * Appends the name of a function without everything that another build may change:
 * - parts and clones of GCC: .cold, .isra.N, .constprop.N, .part.N, .lto_priv.N ..., and of LLVM:
 *   .llvm.N, .__uniq.N; also as " [clone .cold]"
 * - the numbers of lambdas, closures and unnamed types
 * - the hashes in Rust names
 * - the spelling of an anonymous namespace
 * All parts of one source function get one name.
 */
void rebuilt_name_of_function(const char *name, struct buf *buf);

/* The same for a stack's text: names joined by ';'. */
void rebuilt_name_of_stack(const char *names, struct buf *buf);

/* Appends the name of a file without its folder and version: "/usr/lib/libfoo-1.2.so.3.4" is
 * "libfoo.so", "/opt/llvm-15/bin/clang-15" is "clang". Names in brackets stay as they are. */
void rebuilt_name_of_image(const char *path, struct buf *buf);

/* Appends "/src/old/parse.c:12" as "parse.c:12"; names in brackets stay as they are. */
void rebuilt_base_name(const char *path, struct buf *buf);

#endif

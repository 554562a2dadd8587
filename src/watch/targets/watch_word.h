/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a word that names a target: FILE:NAME@VERSION+DISPLACEMENT. */
#ifndef WATCH_TARGETS_WATCH_WORD_H
#define WATCH_TARGETS_WATCH_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* All texts are owned. */
struct watch_word {
	char *file;    /* text before the colon; NULL: none */
	char *name;    /* without version and displacement; "" for a file alone */
	char *version; /* NULL: none */
	bool is_file;  /* a file alone: "./server" */
	bool has_displacement, has_address;
	uint64_t displacement; /* +0x1c */
	uint64_t address;      /* 0x1234 instead of a name */
};

struct foreign;

/* -EINVAL: invalid. A path may contain colons (so it is checked which file exists; @foreign: see
 * struct watch_view_of), and so may a name ("a::b"). */
int watch_word_parse(struct foreign *foreign, const char *word, struct watch_word *ret_word,
		     struct err *err);
void watch_word_done(struct watch_word *word);

/* Parses "+0x1c", "0x1c" or "28" of --at. -EINVAL. */
int watch_word_displacement(const char *text, uint64_t *ret_displacement, struct err *err);
/* Parses "FILE:LINE" of --at-line; the caller frees *ret_file. -EINVAL. */
int watch_word_line(const char *text, char **ret_file, uint32_t *ret_line, struct err *err);

#endif

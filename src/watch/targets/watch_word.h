/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A word that says what is to be watched, taken apart: FILE:NAME@VERSION+DISPLACEMENT. */
#ifndef WATCH_TARGETS_WATCH_WORD_H
#define WATCH_TARGETS_WATCH_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* All texts are owned. */
struct watch_word {
	char *file;    /* what stands before the colon; NULL: nothing */
	char *name;    /* without version and displacement; "" for a file alone */
	char *version; /* NULL: none */
	bool is_file;  /* a file alone: "./server" */
	bool has_displacement, has_address;
	uint64_t displacement; /* +0x1c */
	uint64_t address;      /* 0x1234 in the place of a name */
};

struct foreign;

/* -EINVAL: it makes no sense. Colons may be part of a path (where such a file is, which @foreign as
 * in struct watch_view_of tells) and of a name ("a::b"). */
int watch_word_parse(struct foreign *foreign, const char *word, struct watch_word *ret_word,
		     struct err *err);
void watch_word_done(struct watch_word *word);

/* "+0x1c" or "0x1c" or "28" of --at. -EINVAL. */
int watch_word_displacement(const char *text, uint64_t *ret_displacement, struct err *err);
/* "FILE:LINE" of --at-line; *ret_file is the caller's. -EINVAL. */
int watch_word_line(const char *text, char **ret_file, uint32_t *ret_line, struct err *err);

#endif

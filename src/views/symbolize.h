/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is at single addresses, by the same resolver and the same lines as the reports. */
#ifndef VIEWS_SYMBOLIZE_H
#define VIEWS_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "dwarf/line_unit.h"
#include "names/lines/line_service.h"

struct symbolizer;

/* Exactly one of file, pid, kernel says what the addresses are of. Texts are borrowed. */
struct symbolize_options {
	const char *file;     /* ELF virtual addresses, as objdump shows them */
	int32_t pid;	      /* addresses of a running process; 0: not this */
	bool kernel;	      /* addresses of the running kernel */
	bool returns;	      /* return addresses: the call before each is meant */
	const char *demangle; /* "none", "normal", "smart"; NULL: normal */
	struct line_options lines;
};

/* Texts and places are borrowed until the next call. */
struct symbolized {
	const char *image;
	const char *symbol; /* readable; "a->b" between two, "[unknown]" ... */
	uint64_t offset;    /* of the address in the symbol */
	bool has_offset;
	const char *function; /* the routine as the debug information calls it, as in symbol tables;
				 the symbol where it knows none that a linker would know */
	const struct line_place *places; /* innermost first; the last is the symbol itself */
	size_t place_count;		 /* 0: no lines are known */
};

/* -ENOENT, -ESRCH, -EACCES ... and one line when the file, the process or the kernel cannot be
 * read; -EINVAL for wrong options. */
int symbolizer_new(const struct symbolize_options *options, struct symbolizer **ret_symbolizer,
		   struct err *err);
void symbolizer_free(struct symbolizer *symbolizer); /* NULL is fine */
DEFINE_CLEANUP(struct symbolizer *, symbolizer_free);

/* -ENOENT and one line: there is no code at that address. */
int symbolizer_ask(struct symbolizer *symbolizer, uint64_t address, struct symbolized *ret_answer,
		   struct err *err);
/* The readable form of a function's name, borrowed until the next call. */
const char *symbolizer_name(struct symbolizer *symbolizer, const char *name);
/* Why there were no lines for images that were asked for, a sentence each: the first one from
 * *index on, which is moved behind it; NULL: no more. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t *index);

#endif

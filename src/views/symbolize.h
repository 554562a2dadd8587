/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resolves single addresses with the resolver and the lines of the reports. */
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

/* Exactly one of file, pid and kernel is set. Texts are borrowed. */
struct symbolize_options {
	const char *file;     /* ELF virtual addresses, as objdump shows them */
	int32_t pid;	      /* addresses in a running process; 0: not used */
	bool kernel;	      /* addresses in the running kernel */
	bool returns;	      /* return addresses: resolve the call before each */
	const char *demangle; /* "none", "normal", "smart"; NULL: normal */
	struct line_options lines;
};

/* Texts and places are borrowed until the next call. */
struct symbolized {
	const char *image;
	const char *symbol; /* readable; "a->b" between two, "[unknown]" ... */
	uint64_t offset;    /* of the address in the symbol */
	bool has_offset;
	const char *function; /* linker name of the symbol's function in the debug information;
			       * without one, the symbol */
	const struct line_place *places; /* innermost first; the last one is the symbol's */
	size_t place_count;		 /* 0: lines are unknown */
};

/* -ENOENT, -ESRCH, -EACCES ... and one line if the file, process or kernel cannot be read; -EINVAL
 * for wrong options. */
int symbolizer_new(const struct symbolize_options *options, struct symbolizer **ret_symbolizer,
		   struct err *err);
void symbolizer_free(struct symbolizer *symbolizer); /* NULL is fine */
DEFINE_CLEANUP(struct symbolizer *, symbolizer_free);

/* -ENOENT and one line: no code at that address. */
int symbolizer_ask(struct symbolizer *symbolizer, uint64_t address, struct symbolized *ret_answer,
		   struct err *err);
/* The readable form of a function's name, borrowed until the next call. */
const char *symbolizer_name(struct symbolizer *symbolizer, const char *name);
/* Why lines are missing for images that were looked up, one sentence each: the first at or after
 * *index, which moves past it; NULL: no more. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t *index);

#endif

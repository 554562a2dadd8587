/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of a function as a user types it or copies it from what prospect printed. It may be
 * - the mangled or the readable name, with or without parameters, or a glob of these;
 * - shortened, with "..." for what was left out;
 * - followed by its file, "name [libc.so.6]", by "[k]" for the kernel, or by "(3 times)";
 * - followed by "(end of interrupts-off section in CALLER)";
 * - a place in a file, "program+0x123".
 */
#ifndef ANNOTATE_ANNOTATE_NAME_H
#define ANNOTATE_ANNOTATE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "aggregate/labels.h"
#include "base/buf.h"

struct annotate_name {
	const char *typed; /* borrowed; NULL: every function */
	char *name;	   /* without what follows it */
	char *file;	   /* base name of the file; "[k]": the kernel; NULL: any */
	char *glob;	   /* a pattern for a shortened name; NULL: it has no "..." */
	uint64_t start;	   /* in @file */
	bool is_place;	   /* @file and @start are all there is */
};

/* How well a name fits, from bad to good. */
enum annotate_fit { FIT_NOT, FIT_SHORTENED, FIT_GLOB, FIT_EXACT };

void annotate_name_parse(const char *typed, struct annotate_name *ret_name);
void annotate_name_done(struct annotate_name *name);

/* @text is for the callee's use. */
enum annotate_fit annotate_name_fit(const struct annotate_name *name, const struct labels *labels,
				    uint32_t symbol, struct buf *text);
/* The same for a function that has no symbol, because it was inlined; @linkage as in debug
 * information. */
enum annotate_fit annotate_name_fit_inlined(const struct annotate_name *name,
					    const struct labels *labels, uint32_t image,
					    const char *linkage, struct buf *text);

#endif

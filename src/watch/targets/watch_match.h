/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions of a file or of the kernel a name means. */
#ifndef WATCH_TARGETS_WATCH_MATCH_H
#define WATCH_TARGETS_WATCH_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "watch/targets/watch_image.h"
#include "watch/targets/watch_kernel.h"

/* A function, of a file or of the kernel. Everything is borrowed. */
struct watch_candidate {
	struct watch_image *image; /* NULL: the kernel's */
	const char *name;	   /* symbol */
	const char *module;	   /* of the kernel; "" for the kernel proper */
	uint64_t address, size;	   /* ELF virtual address, or where it is in the kernel */
	const struct listed_function *function;	    /* of a file */
	const struct watch_kernel_function *kernel; /* of the kernel */
};

struct watch_matches {
	VEC(struct watch_candidate) list; /* by address, each address once */
	size_t aliases;			  /* further names of the same addresses that fit too */
};

/* What is looked for. */
struct watch_wanted {
	const char *name;
	const char *version; /* NULL: the one programs get that are linked now */
	const char *module;  /* of the kernel: only there; NULL: anywhere */
	bool any_version;    /* of whatever version, then @version is nothing */
};

/* Appends the functions that fit best; none is no error. Parts of functions that are only jumped
 * to are left out. */
void watch_match_image(struct watch_image *image, struct demangler *demangler,
		       const struct watch_wanted *wanted, struct watch_matches *matches);
void watch_match_kernel(struct watch_kernel *kernel, struct demangler *demangler,
			const struct watch_wanted *wanted, struct watch_matches *matches);
void watch_matches_done(struct watch_matches *matches);

/* Appends names that are near to one that was not found, as "a, b, c"; nothing where none is. */
void watch_match_near_image(const struct watch_image *image, const char *name, struct buf *names);
void watch_match_near_kernel(const struct watch_kernel *kernel, const char *name,
			     struct buf *names);

/* Appends "FILE:LINE", where the function begins in the source; false: it is not known. */
bool watch_match_place(const struct watch_candidate *candidate, struct buf *place);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions of a file or of the kernel that a name matches. */
#ifndef WATCH_TARGETS_WATCH_MATCH_H
#define WATCH_TARGETS_WATCH_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "names/spelling/demangler.h"
#include "watch/targets/watch_image.h"
#include "watch/targets/watch_kernel.h"

/* A function of a file or of the kernel. Everything is borrowed. */
struct watch_candidate {
	struct watch_image *image;		    /* NULL: a kernel function */
	const char *name;			    /* symbol name */
	const char *module;			    /* kernel module; "" for the kernel proper */
	uint64_t address, size;			    /* ELF address, or kernel address */
	const struct listed_function *function;	    /* of a file; else NULL */
	const struct watch_kernel_function *kernel; /* of the kernel; else NULL */
};

struct watch_matches {
	VEC(struct watch_candidate) list; /* sorted by address, each address once */
	size_t aliases;			  /* further matching names of the same addresses */
};

/* What to look for. */
struct watch_wanted {
	const char *name;
	const char *version; /* NULL: the default version, for programs linked now */
	const char *module;  /* kernel module; NULL: any */
	bool any_version;    /* match any version; @version is ignored */
};

/* Appends the functions that match best; no match is no error. Leaves out function parts that are
 * only jumped to. */
void watch_match_image(struct watch_image *image, struct demangler *demangler,
		       const struct watch_wanted *wanted, struct watch_matches *matches);
void watch_match_kernel(struct watch_kernel *kernel, struct demangler *demangler,
			const struct watch_wanted *wanted, struct watch_matches *matches);
/* The function around an ELF address or, without one, the address alone. */
struct watch_candidate watch_match_at(struct watch_image *image, uint64_t address);
struct watch_candidate watch_match_of_kernel(const struct watch_kernel *kernel,
					     const struct watch_kernel_function *function);
void watch_matches_done(struct watch_matches *matches);

/* Appends names similar to one that was not found, as "a, b, c"; may append nothing. */
void watch_match_near_image(const struct watch_image *image, const char *name, struct buf *names);
void watch_match_near_kernel(const struct watch_kernel *kernel, const char *name,
			     struct buf *names);

/* Appends "FILE:LINE", the start of the function in the source; false: not known. */
bool watch_match_place(const struct watch_candidate *candidate, struct buf *place);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the bytes of the most sampled functions in the profile. Their instructions can then be
 * shown as they ran, even if the file is gone or replaced, the process has ended, or the kernel was
 * patched.
 */
#ifndef ATTRIBUTE_HOT_CODE_H
#define ATTRIBUTE_HOT_CODE_H

#include <stdint.h>

#include "model/profile.h"

struct hot_code;
struct image_files;
struct jit;
struct kernel_symbols;

enum {
	HOT_CODE_MOST_BYTES = 128 << 10, /* of all functions together */
	HOT_CODE_MOST_FUNCTIONS = 500,
	HOT_CODE_FUNCTION_BYTES = 16 << 10, /* of one function, from its beginning */
	HOT_CODE_LEAST_SAMPLES = 3,	    /* fewer: the function is not kept */
};

/* All borrowed. */
struct hot_code *hot_code_new(struct profile *profile, struct image_files *files, struct jit *jit);
void hot_code_free(struct hot_code *hot); /* NULL is fine */

/* Counts a sample with this stack. */
void hot_code_count(struct hot_code *hot, uint32_t stack);

/* Call at each flush, when frames have symbols: keeps JIT code while it exists. */
void hot_code_keep_jit(struct hot_code *hot);
/* Call at the last flush: keeps everything else. @kernel may be NULL. */
void hot_code_keep_all(struct hot_code *hot, const struct kernel_symbols *kernel);

/* Adds the number of source lines of JIT code that did not fit into the profile, if any, to
 * run.not_visible; call when everything is resolved. @jit may be NULL. */
void hot_code_tell_dropped_lines(struct profile *profile, const struct jit *jit);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a recorded kernel, its modules and BPF programs, read from the kernel that runs now:
 * only where that is the same one, told by build ids.
 */
#ifndef CODE_KERNEL_CODE_H
#define CODE_KERNEL_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "code/disassembler.h"
#include "model/profile.h"

struct kernel_code;

/* Takes some 100 ms. @profile is borrowed. -ESTALE: another kernel runs now; else negative errno
 * and one sentence: why its code cannot be read, and what mends it. */
int kernel_code_open(const struct profile *profile, struct kernel_code **ret_code, struct err *err);
void kernel_code_free(struct kernel_code *code); /* NULL is fine */
DEFINE_CLEANUP(struct kernel_code *, kernel_code_free);

/* What has to be added to an offset in the function, of an image of the profile, to get the address
 * it has now. Negative errno and a few words that complete "no code: ..." when it is not there now,
 * or is not known to be the same. */
int kernel_code_shift(const struct kernel_code *code, const struct symbol *symbol,
		      uint64_t *ret_shift, struct err *err);

/* Are other bytes there now than those that were kept when it was recorded? False too where that
 * cannot be told. @shift: as kernel_code_shift says. */
bool kernel_code_changed(struct kernel_code *code, const struct kept_code *kept, uint64_t shift);

/* Visits the instructions that begin in [start, end), addresses as they are now. @start is an
 * instruction's first byte. @limit: the end of the function, nothing behind it is read; 0: not
 * known. Errors as above. */
int kernel_code_list(struct kernel_code *code, struct disassembler *disassembler, uint64_t start,
		     uint64_t end, uint64_t limit, code_visit visit, void *context,
		     struct err *err);

#endif

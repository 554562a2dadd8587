/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a recorded kernel, its modules and BPF programs, read from the running kernel. This
 * works only if that is the same kernel, by build id.
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

/* Takes about 100 ms. @profile is borrowed. -ESTALE: another kernel is running. Other errors: one
 * sentence that says why its code cannot be read and how to fix that. */
int kernel_code_open(const struct profile *profile, struct kernel_code **ret_code, struct err *err);
void kernel_code_free(struct kernel_code *code); /* NULL is fine */
DEFINE_CLEANUP(struct kernel_code *, kernel_code_free);

/* What to add to an offset in the function, of an image of the profile, to get its address in the
 * running kernel. Negative errno and a few words that complete "no code: ...": it is not there, or
 * not known to be the same. */
int kernel_code_shift(const struct kernel_code *code, const struct symbol *symbol,
		      uint64_t *ret_shift, struct err *err);

/* True if the bytes there differ from those kept by the recording. False also if that cannot be
 * determined. @shift: from kernel_code_shift. */
bool kernel_code_changed(struct kernel_code *code, const struct kept_code *kept, uint64_t shift);

/* Visits the instructions that begin in [start, end); addresses are those of the running kernel.
 * @start is the first byte of an instruction. @limit: end of the function, where reading stops; 0:
 * unknown. Errors as above. */
int kernel_code_list(struct kernel_code *code, struct disassembler *disassembler, uint64_t start,
		     uint64_t end, uint64_t limit, code_visit visit, void *context,
		     struct err *err);

#endif

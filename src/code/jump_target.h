/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instructions are branches, told from the text of a listing (code/disassembler.h). */
#ifndef CODE_JUMP_TARGET_H
#define CODE_JUMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Where a branch of x86 or arm64 leads. False: it is none, or leads where a register says. Calls are
 * no branches. */
bool jump_target(const char *text, uint64_t *ret_target);

#endif

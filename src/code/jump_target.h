/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises branches by the text of a listing (code/disassembler.h). */
#ifndef CODE_JUMP_TARGET_H
#define CODE_JUMP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* The target of a branch of x86 or arm64. False: not a branch, or its target is in a register.
 * Calls are not branches. */
bool jump_target(const char *text, uint64_t *ret_target);

#endif

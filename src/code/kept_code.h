/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions from the bytes that were kept in the profile when it was recorded. */
#ifndef CODE_KEPT_CODE_H
#define CODE_KEPT_CODE_H

#include <stdint.h>

#include "base/err.h"
#include "code/disassembler.h"
#include "model/profile.h"

/* Visits the instructions of the function that has the frame from where it begins, to @end (an
 * address as frames have it); addresses are as frames have them. Operands have the names of
 * functions of the profile. -ESRCH: no bytes were kept. */
int kept_code_list(const struct profile *profile, struct disassembler *disassembler, uint32_t frame,
		   uint64_t end, code_visit visit, void *context, struct err *err);

#endif

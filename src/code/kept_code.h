/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions from bytes that the recording kept in the profile. */
#ifndef CODE_KEPT_CODE_H
#define CODE_KEPT_CODE_H

#include <stdint.h>

#include "base/err.h"
#include "code/disassembler.h"
#include "model/profile.h"

/* Visits the instructions of a frame's function, from its start to @end. Addresses are those of
 * frames. Operands have the names of the profile's functions. -ESRCH: no bytes were kept. */
int kept_code_list(const struct profile *profile, struct disassembler *disassembler, uint32_t frame,
		   uint64_t end, code_visit visit, void *context, struct err *err);

#endif

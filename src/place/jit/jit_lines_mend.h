/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repairs jitdump line records of V8 in Node 20, which takes some file names from freed memory. The
 * allocator has overwritten the first bytes of such a name, but its length is right. Each line can
 * still be found, because all addresses lie within the code. If the rest of a name equals the end
 * of the path in the piece's name, the name is that path.
 */
#ifndef PLACE_JIT_JIT_LINES_MEND_H
#define PLACE_JIT_JIT_LINES_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "place/jit/jitdump.h"

/* Repairs @lines, the record's own in writable memory. @name: of the piece, as V8 makes it. Lines
 * whose file stays unknown get the number 0. False: the lines cannot be repaired. */
bool jit_lines_mend(const struct jitdump_header *header, const struct jitdump_record *record,
		    const char *name, uint64_t code_size, char *lines);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of lines that V8 spoiled: that of Node 20 takes some names of files from memory that it
 * freed before. What the allocator writes there takes the place of their first bytes; their length
 * is right. So it can be told where each line begins, for the addresses of all lie within the code;
 * and a name whose end is that of the path in the name of the piece is that path.
 */
#ifndef PLACE_JIT_JIT_LINES_MEND_H
#define PLACE_JIT_JIT_LINES_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "place/jit/jitdump.h"

/* Mends @lines, those of the record, writable. @name: of the piece, as V8 makes them. Lines whose
 * file stays unknown get the number 0. False: it cannot be done, and they are spoiled for good. */
bool jit_lines_mend(const struct jitdump_header *header, const struct jitdump_record *record,
		    const char *name, uint64_t code_size, char *lines);

#endif

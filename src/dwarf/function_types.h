/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Return types of the functions of a file, from its debug information. */
#ifndef DWARF_FUNCTION_TYPES_H
#define DWARF_FUNCTION_TYPES_H

#include "base/cleanup.h"
#include "dwarf/dwarf_unit.h"
#include "model/probe.h"

struct function_types;

/* Remembers what it found; for one file. */
struct function_types *function_types_new(void);
void function_types_free(struct function_types *types); /* NULL is fine */
DEFINE_CLEANUP(struct function_types *, function_types_free);

/* The return type of the function whose code, or a separate part of it, begins at an ELF virtual
 * address. @unit is the unit that covers it. Each unit is read once; this may invalidate what was
 * borrowed from its file (dwarf_file_forget), but not the unit itself.
 *
 * PROBE_RETURN_UNKNOWN if the debug information does not say:
 *   - assembly code
 *   - languages other than C and its relatives (Go)
 *   - enumerations without an underlying type
 *   - pointers and 64-bit numbers in 32-bit programs */
struct probe_return function_types_returned(struct function_types *types, struct dwarf_unit *unit,
					    uint64_t address);

#endif

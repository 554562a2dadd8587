/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the functions of a file return, as its debug information has it. */
#ifndef DWARF_FUNCTION_TYPES_H
#define DWARF_FUNCTION_TYPES_H

#include "base/cleanup.h"
#include "dwarf/dwarf_unit.h"
#include "model/probe.h"

struct function_types;

/* Remembers what it found, of one file. */
struct function_types *function_types_new(void);
void function_types_free(struct function_types *types); /* NULL is fine */
DEFINE_CLEANUP(struct function_types *, function_types_free);

/* What the function returns whose code begins, or goes on apart, at an ELF virtual address; @unit
 * is the one that tells of it, and is gone through once; then what was borrowed from its file may
 * be gone (dwarf_file_forget), the unit itself stays. PROBE_RETURN_UNKNOWN where nothing is said of
 * it: of assembly, of languages that say it in another way than C and its kin (Go), of
 * enumerations that do not tell their numbers' type, of pointers and numbers of 64 bits of
 * programs of 32 bits. */
struct probe_return function_types_returned(struct function_types *types, struct dwarf_unit *unit,
					    uint64_t address);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split DWARF (DWARF 5 section 7.3.2, and GNU's earlier version): the main file has a skeleton
 * unit; the rest is in a .dwo file, or in a .dwp file that packs all of them.
 */
#ifndef DWARF_DWARF_SPLIT_H
#define DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf_unit.h"

/* True for a skeleton. The unit's first entry must have been read. */
bool dwarf_split_is_skeleton(const struct dwarf_unit *unit);
/* The split unit with the skeleton's id, valid until dwarf_split_forget. NULL: not found. */
struct dwarf_unit *dwarf_split_unit(struct dwarf_unit *skeleton);
/* Closes the .dwo files of a main file; they are opened again when needed. */
void dwarf_split_forget(struct dwarf_file *file);

#endif

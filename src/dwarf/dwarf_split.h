/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split DWARF (DWARF 5 section 7.3.2, and GNU's before it): a skeleton unit in the main file, the
 * rest in a .dwo file, or in a .dwp file that packs them all.
 */
#ifndef DWARF_DWARF_SPLIT_H
#define DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf_unit.h"

/* Is it a skeleton? Its first entry has been read. */
bool dwarf_split_is_skeleton(const struct dwarf_unit *unit);
/* The split unit of a skeleton, whose id agrees; NULL: it cannot be found. Valid until
 * dwarf_split_forget. */
struct dwarf_unit *dwarf_split_unit(struct dwarf_unit *skeleton);
/* Closes the .dwo files of a main file; they are found again when needed. */
void dwarf_split_forget(struct dwarf_file *file);

#endif

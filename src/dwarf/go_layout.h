/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offsets in the structures of Go's runtime, from a program's debug information. */
#ifndef DWARF_GO_LAYOUT_H
#define DWARF_GO_LAYOUT_H

#include <stdbool.h>

#include "dwarf/dwarf_file.h"
#include "elf/go_runtime.h"

/* Sets the offsets in g from the debug information of the program or of its debug file. False, with
 * nothing changed: some offset is missing. */
bool go_layout_read(const struct dwarf_file *file, struct go_runtime *runtime);

#endif

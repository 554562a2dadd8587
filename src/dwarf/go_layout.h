/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Go program's debug information tells of its run time's structures. */
#ifndef DWARF_GO_LAYOUT_H
#define DWARF_GO_LAYOUT_H

#include <stdbool.h>

#include "dwarf/dwarf_file.h"
#include "elf/go_runtime.h"

/* Sets the offsets in g to what the debug information has, of this program or in its debug file.
 * False, and nothing is changed: it does not tell all of them. */
bool go_layout_read(const struct dwarf_file *file, struct go_runtime *runtime);

#endif

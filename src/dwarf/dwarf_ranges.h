/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses an entry covers (DWARF 5 sections 2.17 and 7.28, DWARF 4 section 2.17.3). */
#ifndef DWARF_DWARF_RANGES_H
#define DWARF_DWARF_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_unit.h"

/* Receives a range; end > start. False: stop. */
typedef bool (*dwarf_ranges_sink)(void *context, uint64_t start, uint64_t end);

/* Passes all ranges of an entry of @unit to the sink. */
void dwarf_ranges_each(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
		       dwarf_ranges_sink sink, void *context);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds names from the user's debug files to a loaded profile. */
#ifndef LOAD_ADDED_NAMES_H
#define LOAD_ADDED_NAMES_H

#include <stdbool.h>

#include "names/late_names.h"
#include "names/lines/line_service.h"

/* True if the options name a source of symbols that the recording may have lacked. */
bool added_names_wanted(const struct line_options *lines);
/* Calls late_names_add, with files looked for as for lines. Texts are borrowed. */
void added_names_find(struct profile *profile, const struct line_options *lines,
		      bool by_build_id_only, bool force, struct late_names *ret_names);

#endif

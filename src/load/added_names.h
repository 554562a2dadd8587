/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from debug files that a user names, for a profile that was loaded. */
#ifndef LOAD_ADDED_NAMES_H
#define LOAD_ADDED_NAMES_H

#include <stdbool.h>

#include "names/late_names.h"
#include "names/lines/line_service.h"

/* Do the options name anything that may have what the recording lacked? */
bool added_names_wanted(const struct line_options *lines);
/* late_names_add, with files looked for as for lines. Texts are borrowed. */
void added_names_find(struct profile *profile, const struct line_options *lines,
		      bool by_build_id_only, bool force, struct late_names *ret_names);

#endif

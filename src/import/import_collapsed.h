/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collapsed stacks into the profile of an import. */
#ifndef IMPORT_IMPORT_COLLAPSED_H
#define IMPORT_IMPORT_COLLAPSED_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Reads the rest of @input. Counts malformed lines as lost and describes them in result->damage;
 * result->left_out says what was omitted on purpose. */
int import_collapsed(struct import_profile *import, struct perf_data_input *input,
		     struct import_result *result, struct err *err);

#endif

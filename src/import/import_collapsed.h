/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collapsed stacks into the profile of an import. */
#ifndef IMPORT_IMPORT_COLLAPSED_H
#define IMPORT_IMPORT_COLLAPSED_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Reads what is left of @input. Lines that cannot be understood are counted as lost; what was left
 * out on purpose is said in result->damage. */
int import_collapsed(struct import_profile *import, struct perf_data_input *input,
		     struct import_result *result, struct err *err);

#endif

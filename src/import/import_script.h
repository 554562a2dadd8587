/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of perf script's text, one by one, into the profile of an import. */
#ifndef IMPORT_IMPORT_SCRIPT_H
#define IMPORT_IMPORT_SCRIPT_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Reads the rest of @input. Counts malformed lines as lost. result->left_out says what was omitted
 * on purpose. */
int import_script(struct import_profile *import, struct perf_data_input *input,
		  struct import_result *result, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samples of perf script's text, one after the other, into the profile of an import. */
#ifndef IMPORT_IMPORT_SCRIPT_H
#define IMPORT_IMPORT_SCRIPT_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Reads what is left of @input. Lines that cannot be understood are counted as lost; what was
 * left out on purpose is said in @result. */
int import_script(struct import_profile *import, struct perf_data_input *input,
		  struct import_result *result, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a perf.data, one after the other, into the profile of an import. */
#ifndef IMPORT_IMPORT_DATA_H
#define IMPORT_IMPORT_DATA_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Takes @input over. @folder: what @input is the file "data" of (borrowed); -1: it is a file.
 * Damage that leaves something is no error: result->damage tells it. */
int import_data(struct import_profile *import, struct perf_data_input *input, int folder,
		struct import_result *result, struct err *err);

#endif

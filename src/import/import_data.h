/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a perf.data, one by one, into the profile of an import. */
#ifndef IMPORT_IMPORT_DATA_H
#define IMPORT_IMPORT_DATA_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Takes ownership of @input. @folder (borrowed): the folder if @input is its file "data"; -1: none.
 * Damage that leaves some records is no error: result->damage describes it. */
int import_data(struct import_profile *import, struct perf_data_input *input, int folder,
		struct import_result *result, struct err *err);

#endif

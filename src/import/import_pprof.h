/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of pprof into the profile of an import. */
#ifndef IMPORT_IMPORT_PPROF_H
#define IMPORT_IMPORT_PPROF_H

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_input.h"

/* Reads the rest of @input. result->left_out says what was omitted on purpose. */
int import_pprof(struct import_profile *import, struct perf_data_input *input,
		 struct import_result *result, struct err *err);

#endif

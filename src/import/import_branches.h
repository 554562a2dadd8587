/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the branch records of samples to the profile's table of branches. */
#ifndef IMPORT_IMPORT_BRANCHES_H
#define IMPORT_IMPORT_BRANCHES_H

#include "import/import_profile.h"
#include "perf/perf_record.h"

/* Adds the branches of a sample of @event, an index into profile.events; @space is its process's.
 * Ignores records that are a call stack (see import_chain_read). import->frames.kernel must be
 * set. */
void import_branches_take(struct import_profile *import, const struct machine_space *space,
			  const struct perf_record *record, const struct perf_format *format,
			  uint8_t event);

#endif

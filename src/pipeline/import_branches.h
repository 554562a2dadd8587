/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sample's branch records say, into the profile's table of branches. */
#ifndef PIPELINE_IMPORT_BRANCHES_H
#define PIPELINE_IMPORT_BRANCHES_H

#include "collect/perf_record.h"
#include "pipeline/import_profile.h"

/* The branches of a sample of @event, an index into profile.events. Records that are a call stack
 * are none; see import_chain_read. import->frames.kernel is there. */
void import_branches_take(struct import_profile *import, const struct perf_record *record,
			  const struct perf_format *format, uint8_t event);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a perf recording had code: the files that its processes had mapped, and its kernel.
 *
 * A file is identified by the build id of its mapping record, else by the recording's build id for
 * the path, else, on the recording's host, by device and inode.
 *
 * Mapping records say where the kernel and its modules lay. Names of kernel code come from the
 * user's files, or from the running kernel if that has the same build id. Otherwise addresses are
 * kept without names.
 */
#ifndef IMPORT_IMPORT_MAPS_H
#define IMPORT_IMPORT_MAPS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/hashidx.h"
#include "import/import_profile.h"
#include "import/perf_data_head.h"
#include "perf/perf_record.h"

struct import_maps {
	struct import_profile *import;	     /* borrowed */
	const struct perf_data_facts *facts; /* borrowed */
	struct hashidx index;		     /* of the facts' build ids, by path */
	size_t indexed;			     /* of them */
	bool same_host;
	size_t pieces; /* mappings of modules and JIT code of the kernel seen so far */
	bool running;  /* the recorded kernel is the running one */
	bool named;    /* so is its code */
};

/* Checks that options and recording are of the same kernel. Call it before any record is read, and
 * import_maps_done in any case. Negative errno and one line; -EINVAL: they differ. */
int import_maps_begin(struct import_maps *maps, struct import_profile *import,
		      const struct perf_data_facts *facts, struct err *err);
void import_maps_done(struct import_maps *maps);

/* Adds a mapping of a process to the model. */
void import_maps_file(struct import_maps *maps, const struct perf_record *record);
/* A mapping of pid -1: the kernel itself, or a module. */
int import_maps_kernel(struct import_maps *maps, const struct perf_mmap *map, struct err *err);
/* PERF_RECORD_KSYMBOL. */
void import_maps_symbol(struct import_maps *maps, const struct perf_ksymbol *symbol);
/* Call before placing a kernel address: without a mapping record the kernel's address is hidden. */
int import_maps_need_kernel(struct import_maps *maps, struct err *err);
/* Call after the last record. @result says how many pieces beyond the limit were omitted. */
void import_maps_finish(struct import_maps *maps, struct import_result *result);

#endif

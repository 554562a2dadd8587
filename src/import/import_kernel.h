/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel of a perf recording. Mapping records say where it and its modules lay. Names come from
 * the user's files, or from the running kernel if that has the same build id. Otherwise addresses
 * are kept without names.
 */
#ifndef IMPORT_IMPORT_KERNEL_H
#define IMPORT_IMPORT_KERNEL_H

#include <stdbool.h>

#include "base/err.h"
#include "import/import_profile.h"
#include "import/perf_data_features.h"
#include "perf/perf_record.h"

struct import_kernel {
	struct import_profile *import;	     /* borrowed */
	const struct perf_data_facts *facts; /* borrowed */
	size_t pieces;			     /* mappings of modules and JIT code seen so far */
	bool running;			     /* the recorded kernel is the running one */
	bool named;
};

/* Checks that options and recording are of the same kernel. Call it before any record is read.
 * Negative errno and one line; -EINVAL: they differ. */
int import_kernel_begin(struct import_kernel *kernel, struct import_profile *import,
			const struct perf_data_facts *facts, struct err *err);
/* A mapping of pid -1: the kernel itself, or a module. */
int import_kernel_map(struct import_kernel *kernel, const struct perf_mmap *map, struct err *err);
/* PERF_RECORD_KSYMBOL. */
void import_kernel_symbol(struct import_kernel *kernel, const struct perf_ksymbol *symbol);
/* Call before placing a kernel address: without a mapping record the kernel's address is hidden. */
int import_kernel_need(struct import_kernel *kernel, struct err *err);
/* Call after the last record. @result says how many pieces beyond the limit were omitted. */
void import_kernel_finish(struct import_kernel *kernel, struct import_result *result);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel of a recording of perf: where it and its modules lay is told by records of mappings;
 * its names come from what the user gave, or from the kernel that runs now if that has the same
 * build id. Else its places are kept, without names.
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
	size_t pieces;			     /* modules and made code that were told of */
	bool running;			     /* it is the kernel that runs now */
	bool named;
};

/* Are options and recording of one kernel? Before any record is read. -EINVAL and one line. */
int import_kernel_begin(struct import_kernel *kernel, struct import_profile *import,
			const struct perf_data_facts *facts, struct err *err);
/* A mapping of the kernel's (pid -1): itself, or a module. */
int import_kernel_map(struct import_kernel *kernel, const struct perf_mmap *map, struct err *err);
/* PERF_RECORD_KSYMBOL. */
void import_kernel_symbol(struct import_kernel *kernel, const struct perf_ksymbol *symbol);
/* A kernel address is to be placed: if no record has told where the kernel lay, that is hidden. */
int import_kernel_need(struct import_kernel *kernel, struct err *err);
/* After the last record. Of more pieces than are followed it is said in @result how many were left
 * out. */
void import_kernel_finish(struct import_kernel *kernel, struct import_result *result);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that the recorded processes had mapped. A file is identified by the build id of its
 * mapping record, else by the recording's build id for the path, else, on the recording's host, by
 * device and inode.
 */
#ifndef IMPORT_IMPORT_FILES_H
#define IMPORT_IMPORT_FILES_H

#include <stdbool.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "import/import_profile.h"
#include "import/perf_data_features.h"
#include "perf/perf_record.h"

/* A path and its build id. */
struct import_known_id {
	str_id path;
	const struct perf_data_build_id *id; /* borrowed from the facts */
};

struct import_files {
	struct import_profile *import; /* borrowed */
	VEC(struct import_known_id) ids;
	struct hashidx index; /* of ids */
	bool same_host;
};

/* @facts must outlive @files. */
void import_files_begin(struct import_files *files, struct import_profile *import,
			const struct perf_data_facts *facts);
void import_files_done(struct import_files *files);

/* Adds a mapping of a process to the model. @our_kernel: the recorded kernel is the running one, so
 * its vdso is ours. */
void import_files_map(struct import_files *files, const struct perf_record *record,
		      bool our_kernel);

#endif

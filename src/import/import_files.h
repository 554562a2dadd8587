/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes of a recording had mapped: by the build id of the mapping's record, else
 * by the one the recording tells for the path, else, on the host of the recording, by device and
 * inode.
 */
#ifndef IMPORT_IMPORT_FILES_H
#define IMPORT_IMPORT_FILES_H

#include <stdbool.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "import/import_profile.h"
#include "import/perf_data_features.h"
#include "perf/perf_record.h"

/* A file's build id by its path. */
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

/* @facts must stay. */
void import_files_begin(struct import_files *files, struct import_profile *import,
			const struct perf_data_facts *facts);
void import_files_done(struct import_files *files);

/* A mapping of a process: into the model. @our_kernel: the kernel recorded is the one that runs,
 * and so its vdso is ours. */
void import_files_map(struct import_files *files, const struct perf_record *record,
		      bool our_kernel);

#endif

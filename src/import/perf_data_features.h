/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording of perf tells of itself besides samples: the feature sections behind the data of
 * a file, or the records that stand for them in a pipe (tools/perf/Documentation/
 * perf.data-file-format.txt of Linux, "HEADER_*").
 */
#ifndef IMPORT_PERF_DATA_FEATURES_H
#define IMPORT_PERF_DATA_FEATURES_H

#include <stdint.h>

#include "base/reader.h"
#include "base/vec.h"
#include "import/perf_data_events.h"
#include "model/profile.h"

enum { PERF_DATA_MAX_BUILD_IDS = 1 << 20 };

/* A file, the kernel ("[kernel.kallsyms]", by cpu_mode) or a module, and its build id. */
struct perf_data_build_id {
	char *path; /* owned */
	uint8_t cpu_mode;
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size;
};

/* Zero-initialised is empty. Texts are owned; NULL and 0: not told. */
struct perf_data_facts {
	char *hostname, *os_release, *perf_version, *machine;
	char *command;		    /* perf's own, blanks between its words */
	uint64_t cpus;		    /* online */
	uint64_t first_ns, last_ns; /* of the samples */
	uint64_t realtime_ns,
		at_ns; /* the time of day when the clock of the records showed at_ns */
	VEC(struct perf_data_build_id) build_ids;
};

/* Is anything read from a feature of this number? */
bool perf_data_features_known(unsigned feature);
/* One feature of number @feature (HEADER_HOSTNAME ...). What is not understood or damaged is passed
 * over; event names go to @events. */
void perf_data_features_read(struct perf_data_facts *facts, struct perf_data_events *events,
			     unsigned feature, struct reader content);
/* A PERF_RECORD_HEADER_BUILD_ID, header included. */
void perf_data_features_build_id(struct perf_data_facts *facts, struct reader record);
/* The old table of names of a file's header, a row for each config. */
void perf_data_features_types(struct perf_data_events *events, struct reader table);
void perf_data_features_done(struct perf_data_facts *facts);

#endif

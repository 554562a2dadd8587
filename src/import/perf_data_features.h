/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a perf recording says about itself besides samples: the feature sections after the data of a
 * file, or the records in their place in a pipe (tools/perf/Documentation/perf.data-file-format.txt
 * of Linux, "HEADER_*").
 */
#ifndef IMPORT_PERF_DATA_FEATURES_H
#define IMPORT_PERF_DATA_FEATURES_H

#include <stdint.h>

#include "base/reader.h"
#include "base/vec.h"
#include "import/perf_data_events.h"
#include "model/profile.h"

enum { PERF_DATA_MAX_BUILD_IDS = 1 << 20 };

/* The build id of a file, of the kernel ("[kernel.kallsyms]", by cpu_mode) or of a module. */
struct perf_data_build_id {
	char *path; /* owned */
	uint8_t cpu_mode;
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size;
};

/* Empty when zero-initialised. Texts are owned; NULL and 0: unknown. */
struct perf_data_facts {
	char *hostname, *os_release, *perf_version, *machine;
	char *command;		     /* of perf, words joined by blanks */
	uint64_t cpus;		     /* online */
	uint64_t first_ns, last_ns;  /* of the samples */
	uint64_t realtime_ns, at_ns; /* the time of day when the clock of the records was at_ns */
	VEC(struct perf_data_build_id) build_ids;
};

/* True if perf_data_features_read takes anything from this feature. */
bool perf_data_features_known(unsigned feature);
/* Reads one feature of number @feature (HEADER_HOSTNAME ...). Skips unknown and damaged ones; names
 * of events go to @events. */
void perf_data_features_read(struct perf_data_facts *facts, struct perf_data_events *events,
			     unsigned feature, struct reader content);
/* Reads a PERF_RECORD_HEADER_BUILD_ID, header included. */
void perf_data_features_build_id(struct perf_data_facts *facts, struct reader record);
/* Reads the old table of event names in a file's header, a row for each config. */
void perf_data_features_types(struct perf_data_events *events, struct reader table);
void perf_data_features_done(struct perf_data_facts *facts);

#endif

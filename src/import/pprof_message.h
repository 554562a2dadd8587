/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The messages of a pprof profile, one by one, before its tables are complete. */
#ifndef IMPORT_PPROF_MESSAGE_H
#define IMPORT_PPROF_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/hashidx.h"
#include "base/protobuf.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "import/pprof.h"

/* Names by their number, for the table of strings may come later. */
struct told_type {
	uint64_t name, unit;
};

struct told_mapping {
	uint64_t id, start, limit, offset, file, build_id;
};

struct told_function {
	uint64_t id, name, linkage, file;
};

struct told_line {
	uint64_t function, line;
};

struct told_location {
	uint64_t id, mapping, address;
	uint32_t first_line, line_count;
};

/* The rows of the ids in the file. */
struct id_rows {
	struct hashidx index;
	VEC(uint64_t) ids; /* by row; 0: row 0 */
};

struct pprof {
	struct buf bytes;
	struct strpool pool; /* texts from the file, with a NUL added */
	VEC(const char *) strings;
	VEC(struct told_type) told_types;
	VEC(struct told_mapping) told_mappings;
	VEC(struct told_function) told_functions;
	VEC(struct told_line) told_lines;
	VEC(struct told_location) told_locations;
	VEC(struct reader) samples;
	VEC(uint64_t) comments;
	int64_t time_ns, duration_ns;
	struct id_rows mapping_rows, function_rows, location_rows;
	VEC(struct pprof_type) types;
	VEC(struct pprof_mapping) mappings;
	VEC(struct pprof_function) functions;
	VEC(struct pprof_line) lines;
	VEC(struct pprof_location) locations;
};

/* Adds a field of the profile to its table; skips unknown fields. */
void pprof_message_take(struct pprof *pprof, struct protobuf_field *field);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples (layer 1, table block) and their sums (layer 2, tables total and second), and how far the
 * sums lag behind. A flush always writes samples, but sums only once for many flushes, because each
 * write touches every page of their table. The table `layer` says which samples the sums cover, and
 * a reader adds the rest.
 */
#ifndef STORE_LAYERS_H
#define STORE_LAYERS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"
#include "store/connection.h"
#include "store/packed.h"
#include "store/store.h"

/* Samples of one second, CPU, event and mode. */
struct second_sum {
	uint64_t second;
	uint16_t cpu;
	uint8_t event;
	uint8_t mode;
	uint64_t samples;
	uint64_t weight;
};

/* What layer 2 has, of samples in memory. Zero-initialised is empty. */
struct sums {
	struct totals totals;
	VEC(struct second_sum) seconds;
	struct hashidx total_index, second_index;
	uint64_t samples;
};

void layers_add(struct sums *sums, const struct sample *sample);
void layers_add_total(struct sums *sums, const struct total *total);
/* Adds everything to the tables total and second. */
int layers_write_sums(const struct sums *sums, sqlite3 *db);
/* Frees everything; @sums is empty again. */
void layers_done(struct sums *sums);

struct layer {
	uint64_t samples;    /* covered */
	uint64_t last_block; /* highest id of a covered block; 0: none */
};

struct layers {
	struct layer blocks, sums; /* layers 1 and 2 */
};

/* Writes the table `layer`. */
int layers_write(const struct layers *layers, sqlite3 *db);
/* -EBADMSG, with the reason in @why, if the table is invalid. */
int layers_read(struct layers *ret_layers, const struct table_source *source, struct err *why);
bool layers_behind(const struct layers *layers);

/* Prepares a statement that gives the blocks with ?1 <= id < ?2 in order of id. @db must not be
 * restricted yet (query.c). */
int layers_prepare_blocks(sqlite3 *db, sqlite3_stmt **ret_stmt);
/* Unpacks @fields of the current block of @stmt, and compares the block with its checksum if the
 * file has one. Returns 0, or -EBADMSG with the reason in @why. */
int layers_unpack_block(sqlite3_stmt *stmt, unsigned fields, struct packed_samples *samples,
			struct err *why);

/* Which blocks, and what of them. */
struct block_wish {
	uint64_t first_id, end_id;   /* first_id <= id < end_id */
	unsigned fields;	     /* enum sample_field */
	struct sample_slices slices; /* see sample_wish */
};

/* Unpacks the wanted fields of the wanted blocks, in order of id.
 * @visit returns 0 to go on; any other value ends the visit and is returned. Mode and context of
 * the samples are the file's own numbers, and no reference is checked. The samples are borrowed for
 * the call, which may change them. */
int layers_each_block(const struct layers *layers, struct connection *connection,
		      const struct block_wish *wish,
		      int (*visit)(void *context, struct packed_samples *samples, struct err *why),
		      void *context, struct err *why);

/* The lowest id of a block: 1, 0 if there is none, or a negative errno. */
int layers_first_block(const struct connection *connection, uint64_t *ret_id);

/* Adds to @sums, which is empty, the samples that layer 2 lacks. *ret_all: @sums covers all
 * samples, and the table must not be used. */
int layers_missing(const struct layers *layers, struct connection *connection, struct sums *sums,
		   bool *ret_all, struct err *why);
/* Brings layer 2 of the file, and *layers, up to date if the file may be written now. Ends the read
 * transaction and begins a new one. */
int layers_repair(struct layers *layers, struct connection *connection, struct err *why);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the sums (layer 2) are behind the samples (layer 1). Both are written in the same
 * transaction, but not in each: the sums of many flushes are written at once, since every page of
 * the table is then touched once and not at each flush. The table `layer` says which samples they
 * cover, and a reader adds the rest.
 */
#ifndef STORE_LAYERS_H
#define STORE_LAYERS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/connection.h"
#include "store/packed.h"
#include "store/sums.h"

struct layer {
	uint64_t samples;    /* covered */
	uint64_t last_block; /* the highest id of a block covered; 0: none */
};

struct layers {
	struct layer blocks, sums; /* layers 1 and 2 */
};

/* Writes the table `layer`. */
int layers_write(const struct layers *layers, sqlite3 *db);
/* -EBADMSG and the reason in @why for a table that makes no sense. */
int layers_read(struct layers *ret_layers, sqlite3 *db, struct err *why);
bool layers_behind(const struct layers *layers);

/* Unpacks @fields (enum sample_field) of all blocks with first_id <= id < end_id in order. @visit
 * returns 0 to go on, all else ends the visit and is returned. The samples have the file's own
 * numbers for mode and context and are compared with nothing; they are borrowed for the call, which
 * may change them. */
int layers_each_block(const struct layers *layers, struct connection *connection, uint64_t first_id,
		      uint64_t end_id, unsigned fields,
		      int (*visit)(void *context, struct packed_samples *samples, struct err *why),
		      void *context, struct err *why);

/* Adds to @sums, which is empty, what layer 2 lacks. *ret_all: that is everything, what the table
 * has is not to be trusted. */
int layers_missing(const struct layers *layers, struct connection *connection, struct sums *sums,
		   bool *ret_all, struct err *why);
/* Brings the file's layer 2 up to date, if it may be written now, and *layers with it. The read
 * transaction is ended and begun anew. */
int layers_mend(struct layers *layers, struct connection *connection, struct err *why);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layer 2: adds up samples in memory, and adds the sums to the file's. */
#ifndef STORE_SUMS_H
#define STORE_SUMS_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/sample.h"
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

/* Zero-initialised is empty. */
struct sums {
	struct totals totals;
	VEC(struct second_sum) seconds;
	struct hashidx total_index, second_index;
	uint64_t samples;
};

void sums_add(struct sums *sums, const struct sample *sample);
void sums_add_total(struct sums *sums, const struct total *total);
/* Adds everything to the tables total and second. */
int sums_write(const struct sums *sums, sqlite3 *db);
/* Frees everything; @sums is empty again. */
void sums_done(struct sums *sums);

#endif

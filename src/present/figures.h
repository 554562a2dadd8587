/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people read them. */
#ifndef PRESENT_FIGURES_H
#define PRESENT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* "24,913" */
void figures_count(struct buf *buf, uint64_t value);
/* Nanoseconds as "12.53 s", with more digits the shorter it is. */
void figures_seconds(struct buf *buf, uint64_t ns);
/* Three digits and a prefix of the SI, from pico to exa: "120M", "61.2n", "8.36", "0". */
void figures_si(struct buf *buf, double value);
/* 0 when @whole is 0. */
double figures_percent(uint64_t part, uint64_t whole);
/* One number of a table: ns as seconds with the paper's four decimals, else as it is. */
void figures_weight(struct buf *buf, uint64_t weight, bool is_time);

#endif

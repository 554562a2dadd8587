/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in readable form. */
#ifndef PRESENT_FIGURES_H
#define PRESENT_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* "24,913" */
void figures_count(struct buf *buf, uint64_t value);
/* "1 sample", "24,913 samples" */
void figures_samples(struct buf *buf, uint64_t count);
/* Nanoseconds as "12.53 s", with more digits the shorter it is. */
void figures_seconds(struct buf *buf, uint64_t ns);
/* Three digits and an SI prefix, from pico to exa: "120M", "61.2n", "8.36", "0". */
void figures_si(struct buf *buf, double value);
/* 0 if @whole is 0. */
double figures_percent(uint64_t part, uint64_t whole);
/* A weight in a table: ns as seconds with four decimals, as in the paper; other units as they
 * are. */
void figures_weight(struct buf *buf, uint64_t weight, bool is_time);
/* "2026-11-29 13:41:58": local time of a moment in ns since 1970; "?" if it has none. */
void figures_time(struct buf *buf, uint64_t real_ns);
/* "2026-11-29 13:41:58 to 13:42:33", local time: the date of the end if it is another day. In ns since
 * 1970. */
void figures_times(struct buf *buf, uint64_t from_ns, uint64_t to_ns);

#endif

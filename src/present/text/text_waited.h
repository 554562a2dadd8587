/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of the command in one line of text. */
#ifndef PRESENT_TEXT_TEXT_WAITED_H
#define PRESENT_TEXT_TEXT_WAITED_H

#include <stdint.h>

#include "base/buf.h"

struct run_facts;
struct waited;

/* Appends "5.31 s, CPU 4.90 s (user 4.60, system 0.30)"; without the CPU time of a command that
 * has not ended. */
void text_waited_time(struct buf *text, const struct waited *waited, const struct run_facts *run);
/* Appends "waited 0.37 s (7 %): disk 5 %, child 2 %", with the reasons that are at least 1 % of the
 * command's time, and the time on locks if that is. */
void text_waited_reasons(struct buf *text, const struct waited *waited);
/* Appends "; ready but without a CPU for at least 0.80 s (15 %)", if that is much. @cpu_ns: see
 * waited_ready_ns. */
void text_waited_ready(struct buf *text, const struct waited *waited, uint64_t cpu_ns);

#endif

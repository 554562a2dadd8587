/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key "code": how the code that ran relates to the program: its own, a library ... See struct
 * key. */
#ifndef AGGREGATE_KEY_CODE_H
#define AGGREGATE_KEY_CODE_H

#include "aggregate/keys.h"

uint64_t key_code_value(const struct labels *labels, const struct point *point);
void key_code_text(const struct labels *labels, uint64_t value, struct buf *buf);
size_t key_code_bound(const struct labels *labels);

#endif

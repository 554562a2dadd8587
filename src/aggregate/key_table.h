/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys themselves: the value of each for a sample. All but keys.c go through keys.h. */
#ifndef AGGREGATE_KEY_TABLE_H
#define AGGREGATE_KEY_TABLE_H

#include "aggregate/keys.h"

/* Ended by a row without a name. */
extern const struct key key_table[];
/* See keys_stack_id. */
extern const struct key key_of_stack_id;

#endif

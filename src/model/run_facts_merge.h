/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of several runs becomes facts of one, by the rule of each fact (enum fact_merge). */
#ifndef MODEL_RUN_FACTS_MERGE_H
#define MODEL_RUN_FACTS_MERGE_H

#include <stdbool.h>

#include "model/profile.h"

/* @first: @run is empty, and becomes a copy. Facts of the rule FACT_OWN are left alone. */
void run_facts_merge(struct run_facts *run, const struct run_facts *more, bool first);

#endif

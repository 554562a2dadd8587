/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conditions that a watch is asked for, by when they are told. */
#ifndef WATCH_PROBES_PROBE_CONDITIONS_H
#define WATCH_PROBES_PROBE_CONDITIONS_H

#include "watch/probes/probe_condition.h"
#include "watch/probes/probes.h"

/* Each without a step: there is none. */
struct probe_conditions {
	struct probe_condition entry, at_return; /* of --if */
	struct probe_condition error;		 /* of --error-if, told at the return */
};

/* -EINVAL, -E2BIG with the reason: one makes no sense, or not for these targets. */
int probe_conditions_parse(const struct probe_options *options,
			   struct probe_conditions *ret_conditions, struct err *err);

/* Are some told at the return, so that exits are needed whatever is measured? */
bool probe_conditions_need_exits(const struct probe_conditions *conditions);

#endif

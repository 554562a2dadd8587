/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conditions of a watch, by the time of their test. */
#ifndef WATCH_PROBES_PROBE_CONDITIONS_H
#define WATCH_PROBES_PROBE_CONDITIONS_H

#include "watch/probes/probe_condition.h"
#include "watch/probes/probes.h"

/* No steps: no condition. */
struct probe_conditions {
	struct probe_condition entry, at_return; /* of --if */
	struct probe_condition error;		 /* of --error-if, tested at the return */
};

/* -EINVAL, -E2BIG with the reason: a condition is invalid, or does not suit these targets. */
int probe_conditions_parse(const struct probe_options *options,
			   struct probe_conditions *ret_conditions, struct err *err);

/* True if some are tested at the return: then exits are needed whatever is measured. */
bool probe_conditions_need_exits(const struct probe_conditions *conditions);

#endif

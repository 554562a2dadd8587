/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has to be measured for the metrics that were asked for. */
#ifndef PIPELINE_WATCH_METRICS_H
#define PIPELINE_WATCH_METRICS_H

#include "base/buf.h"
#include "collect/probes.h"
#include "model/metric.h"

struct watch_counters {
	struct probe_counter list[PROBE_COUNTERS];
};

/* Sets measures and counters of @probes. @values: the histogram of what is returned is wanted
 * (--return). @counters is lent to @probes. */
void watch_metrics_measure(const struct metric_set *set, bool values,
			   struct watch_counters *counters, struct probe_options *probes);

/* --help-metric: the definition, the unit, what is attached; all metrics in a line each for NULL.
 * -ENOENT: there is no such metric. */
int watch_metrics_help(const char *name, struct buf *text, struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a watch would cost, before it is begun. */
#ifndef PIPELINE_WATCH_FORECAST_H
#define PIPELINE_WATCH_FORECAST_H

#include "base/buf.h"
#include "base/err.h"
#include "collect/probes.h"

/* Adds lines to @text: how targets would be reached, how long it takes to attach and detach them,
 * what a call would cost; and the part of a CPU that it would take, by counting entries for half a
 * second, unless that takes long to attach or costs too much, or @command is to be watched, which
 * does not run yet. */
int watch_forecast_tell(const struct probe_options *options, bool command, struct buf *text,
			struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples are read on one thread while the caller looks at those that were read before. */
#ifndef LOAD_SAMPLE_FEED_H
#define LOAD_SAMPLE_FEED_H

#include <stddef.h>

#include "base/err.h"
#include "model/profile.h"

struct sample_feed;

/* Gives @count samples, which are copied, to the caller of sample_feed_run. Returns 0 to go on; any other
 * value must end the reading, and is what that returns. */
int sample_feed_give(struct sample_feed *feed, const struct sample *samples, size_t count);

/* Calls @read(context, feed, err) on a thread of its own, and @visit(visitor, samples, count) on this one
 * with what it gives, in order, many at a time, borrowed for the call. A @visit that returns anything but
 * 0 ends it. Returns what @visit or @read returned, with @read's @err. If no thread can be made, one does
 * both. */
int sample_feed_run(int (*read)(void *context, struct sample_feed *feed, struct err *err),
		    void *context,
		    int (*visit)(void *visitor, const struct sample *samples, size_t count),
		    void *visitor, struct err *err);

#endif

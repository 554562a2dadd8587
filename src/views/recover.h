/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new profile of what can be read of a damaged one, which is left as it is. */
#ifndef VIEWS_RECOVER_H
#define VIEWS_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct recover_result {
	char path[4096];   /* of the new profile */
	uint64_t samples;  /* in it */
	bool complete;	   /* nothing is missing */
	struct buf table;  /* lines for a person: saved, missing, not verified; the caller's */
	struct buf remark; /* lines: what else is to be known; the caller's */
};

/* Writes to @output (NULL: beside @input, a.prof to a.recovered.prof), which must not be there.
 * Under sudo both files are opened with the invoking user's rights, and as root only where nobody
 * else can have a say (owner_root_alone). Negative errno and one line; then no file is left behind.
 * -EBUSY: @input is being recorded; -EEXIST; -ENODATA and the others as recovery_open. */
int recover_run(const char *input, const char *output, struct recover_result *ret_result,
		struct err *err);

#endif

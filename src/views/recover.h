/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies what can be read of a damaged profile to a new one. The old one does not change. */
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
	struct buf table;  /* for a person: saved, missing, not verified; the caller frees it */
	struct buf remark; /* lines of further remarks; the caller frees it */
};

/* Writes to @output (NULL: beside @input, a.prof to a.recovered.prof), which must not exist. Under
 * sudo both files are opened with the invoking user's rights; as root only where no other user can
 * change the path (owner_root_alone). Negative errno and one line, and no file is left: -EBUSY:
 * @input is being recorded; -EEXIST; -ENODATA and others as recovery_open. */
int recover_run(const char *input, const char *output, struct recover_result *ret_result,
		struct err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each service, container or other control group took of one event. */
#ifndef AGGREGATE_TABLES_UNIT_SHARES_H
#define AGGREGATE_TABLES_UNIT_SHARES_H

#include "aggregate/split.h"
#include "base/vec.h"
#include "model/profile.h"

struct unit_share {
	/* A container's name or short id; else the innermost service or scope of systemd in the path of the
	 * control group, as "ssh.service"; else the path's last part. "no unit": the root of the
	 * hierarchy, where the kernel's threads are. Owned. */
	char *name;
	struct hits hits;
};

struct unit_shares {
	VEC(struct unit_share) rows; /* the heaviest first */
	struct hits sum; /* of all samples, also of processes whose group is not known */
};

/* The caller frees the result with unit_shares_done. */
void unit_shares_make(const struct profile *profile, const struct total *totals, size_t count,
		      uint8_t event, struct unit_shares *ret_shares);
void unit_shares_done(struct unit_shares *shares);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which one command lets a user see more, and no more than that takes. */
#ifndef CHECK_CHECK_FIX_H
#define CHECK_CHECK_FIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/check.h"

struct check_fix_facts {
	bool root;
	int64_t paranoid, kptr_restrict; /* kernel.perf_event_paranoid and so on */
	const char *user;		 /* NULL: no name */
	const char *executable;		 /* of prospect; NULL: not known */
	bool group_only;		 /* only its owner and its group may execute it */
	bool capable;			 /* it has capabilities, and the process has CAP_PERFMON */
	bool ignored;			 /* it has some, and the process has none */
};

/* False: nothing is missing that a command would enable. */
bool check_fix_choose(const struct check_fix_facts *facts, const struct check_point *points,
		      size_t count, struct check_fix *ret_fix);

#endif

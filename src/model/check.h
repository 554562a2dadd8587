/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `prospect check` finds: what is permitted, what an interrupt costs, whether truths are
 * found. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define CHECK_STATES(X)       \
	X(OK, "ok")           \
	X(LIMITED, "limited") \
	X(MISSING, "missing")

enum check_state {
#define ROW(id, name) CHECK_##id,
	CHECK_STATES(ROW)
#undef ROW
		CHECK_STATE_COUNT
};

const char *check_state_name(enum check_state state);

enum { CHECK_MAX_POINTS = 24 };

/* One thing this machine lets this user see, or not. */
struct check_point {
	const char *name; /* "clock", "permission" ... */
	enum check_state state;
	char text[512]; /* what is so */
	char mend[512]; /* what would mend it; "" when nothing would, or nothing need */
};

/* What one sampling interrupt costs. */
struct interrupt_cost {
	double ns;		/* median over the pairs of runs */
	double low_ns, high_ns; /* its quartiles */
	uint64_t ticks;		/* samples that were taken for it; 0: a kept figure */
};

/* One truth of the calibration program against what was recorded. */
struct calibration_result {
	char part[32];
	char what[64]; /* the function, mode or program whose share it is; or the CPU time */
	bool is_share; /* percent of the part; else seconds */
	double truth, measured, low, high;
	bool right; /* the truth is within low..high */
};

struct calibration {
	VEC(struct calibration_result) results;
	uint64_t samples, lost;
	bool right; /* all of them */
};

struct check_report {
	struct check_point points[CHECK_MAX_POINTS];
	size_t point_count;
	bool quick; /* neither cost nor calibration was wanted */
	bool cost_known;
	struct interrupt_cost cost;
	bool calibrated;
	struct calibration calibration;
	struct err calibration_err; /* why not, when not calibrated */
};

/* Nothing is wrong: the calibration found its truths. Limits of what may be seen are not wrong. */
bool check_report_right(const struct check_report *report);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/check.h"

static const char *const state_names[CHECK_STATE_COUNT] = {
#define ROW(id, name) name,
	CHECK_STATES(ROW)
#undef ROW
};

const char *check_state_name(enum check_state state)
{
	return state_names[state];
}

bool check_report_right(const struct check_report *report)
{
	return report->quick || (report->calibrated && report->calibration.right);
}

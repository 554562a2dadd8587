/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/check.h"

#include <stdlib.h>

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

static const struct {
	const char *name, *text;
} verdicts[STACK_VERDICT_COUNT] = {
#define ROW(id, name, text) { name, text },
	STACK_VERDICTS(ROW)
#undef ROW
};

const char *stack_verdict_name(enum stack_verdict verdict)
{
	return verdicts[verdict].name;
}

const char *stack_verdict_text(enum stack_verdict verdict)
{
	return verdicts[verdict].text;
}

void stack_check_counts_done(struct stack_check_counts *counts)
{
	for (size_t i = 0; i < counts->examples.count; i++)
		free(counts->examples.items[i]);
	vec_free(&counts->examples);
}

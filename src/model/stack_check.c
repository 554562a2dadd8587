/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/stack_check.h"

#include <stdlib.h>

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss.h"

#include <string.h>

static const struct {
	const char *name;
	const char *text;
} reasons[LOSS_COUNT] = {
#define LOSS_ROW(id, name, text) [LOSS_##id] = { name, text },
	LOSS_REASONS(LOSS_ROW)
#undef LOSS_ROW
};

const char *loss_name(enum loss_reason reason)
{
	return reasons[reason].name;
}

const char *loss_text(enum loss_reason reason)
{
	return reasons[reason].text;
}

enum loss_reason loss_by_name(const char *name)
{
	for (int i = 0; i < LOSS_COUNT; i++) {
		if (strcmp(reasons[i].name, name) == 0)
			return (enum loss_reason)i;
	}
	return LOSS_COUNT;
}

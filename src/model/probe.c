/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/probe.h"

static const char *const mechanism_names[PROBE_MECHANISM_COUNT] = {
#define PROBE_MECHANISM_ROW(id, name) [PROBE_##id] = name,
	PROBE_MECHANISMS(PROBE_MECHANISM_ROW)
#undef PROBE_MECHANISM_ROW
};

const char *probe_mechanism_name(enum probe_mechanism mechanism)
{
	return mechanism_names[mechanism];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/pages.h"

const char *pages_title(const char *wanted, const struct profile *profile)
{
	const char *command = profile->run.command;

	if (wanted)
		return wanted;
	return command && *command ? command : "running processes";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cache_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An absolute path from the environment, or "": relative paths must be ignored (XDG Base Directory
 * Specification). */
static const char *from_environment(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : "";
}

int cache_place(const char *name, char *ret_path, size_t size)
{
	const char *cache = from_environment("XDG_CACHE_HOME");
	const char *home = from_environment("HOME");
	int length;

	if (geteuid() == 0)
		length = snprintf(ret_path, size, "/var/cache/prospect/%s", name);
	else if (*cache)
		length = snprintf(ret_path, size, "%s/prospect/%s", cache, name);
	else if (*home && access(home, F_OK) == 0)
		length = snprintf(ret_path, size, "%s/.cache/prospect/%s", home, name);
	else
		return -ENOENT;
	return length < 0 || (size_t)length >= size ? -ENOENT : 0;
}

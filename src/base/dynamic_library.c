/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int dynamic_library_load(const char *file, const char *const *names, const char *missing,
			 void *ret_functions, struct err *err)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	char *place = ret_functions;

	if (!handle)
		return err_set(err, -ENOENT, "%s", missing);
	for (; *names; names++, place += sizeof(void *)) {
		void *function = dlsym(handle, *names);

		if (!function)
			return err_set(err, -ENOENT, "%s is too old: it lacks %s", file, *names);
		memcpy(place, &function, sizeof(function));
	}
	return 0;
}

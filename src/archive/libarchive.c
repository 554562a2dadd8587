/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "archive/libarchive.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char LIBRARY[] = "libarchive.so.13";

int libarchive_load(struct libarchive *ret_library, struct err *err)
{
	static const char *const names[] = {
#define NAME(name) #name,
		LIBARCHIVE_FUNCTIONS(NAME)
#undef NAME
	};
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	void *functions[sizeof(names) / sizeof(*names)];

	_Static_assert(sizeof(functions) == sizeof(*ret_library), "one pointer for each name");
	if (!handle)
		return err_set(err, -ENOENT,
			       "archives need %s, which is not installed: apt install libarchive13",
			       LIBRARY);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		functions[i] = dlsym(handle, names[i]);
		if (!functions[i])
			return err_set(err, -ENOENT, "%s is too old: it lacks %s", LIBRARY,
				       names[i]);
	}
	memcpy(ret_library, functions, sizeof(functions));
	return 0;
}

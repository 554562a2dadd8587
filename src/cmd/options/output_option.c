/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/output_option.h"

#include <errno.h>

#include "load/opened.h"

int output_option_open(const char *path, const char *meaning, struct output_file **ret_file,
		       struct err *err)
{
	if (opened_is_profile(path))
		return err_set(err, -EEXIST, "refusing to overwrite the profile %s: %s to write",
			       path, meaning);
	return output_file_open(path, ret_file, err);
}

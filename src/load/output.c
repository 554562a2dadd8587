/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/output.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"

int output_format(const char *name, enum format *ret_format, struct err *err)
{
	static const char *const names[FORMAT_COUNT] = { "text", "csv", "json" };

	*ret_format = FORMAT_TEXT;
	for (int format = 0; name && format < FORMAT_COUNT; format++) {
		if (strcmp(names[format], name) == 0) {
			*ret_format = (enum format)format;
			return 0;
		}
	}
	return name ? err_set(err, -EINVAL, "invalid --format '%s': expected text, csv or json",
			      name)
		    : 0;
}

const char *output_title(const char *wanted, const struct profile *profile)
{
	const char *command = profile->run.command;

	if (wanted)
		return wanted;
	return command && *command ? command : "running processes";
}

int output_end(FILE *out, struct err *err)
{
	int rc = file_flush(out);

	if (rc == 0 || rc == -EPIPE)
		return 0;
	return err_set(err, rc, "cannot write the output: %s", strerror(-rc));
}

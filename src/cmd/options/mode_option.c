/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/mode_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mode_option_parse(const char *text, mode_t *ret_mode, struct err *err)
{
	unsigned long mode = MODE_OPTION_PRIVATE;

	if (text) {
		size_t length = strlen(text);

		if (length == 0 || length > 4 || strspn(text, "01234567") != length)
			return err_set(
				err, -EINVAL,
				"invalid --mode '%s': expected an octal file mode such as 0640",
				text);
		mode = strtoul(text, NULL, 8);
	}
	if (mode > 0666 || (mode & 0111) || (mode & 0600) != 0600)
		return err_set(err, -EINVAL,
			       "invalid --mode '%s': expected 0600 to 0666, readable and writable "
			       "by the owner and not executable",
			       text);
	*ret_mode = (mode_t)mode;
	return 0;
}

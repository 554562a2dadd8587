/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/name_options.h"

struct opened_names name_options_of(const struct name_values *values)
{
	return (struct opened_names){
		.demangle = values->demangle,
		.inlines = values->inlines,
		.kallsyms = values->kallsyms,
		.lines = line_options_of(&values->lines),
	};
}

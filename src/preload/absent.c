/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* libprospect: the functions of prospect.h in programs that nothing profiles. A preloaded library comes
 * first, and has them as well (control.c). */
#include "preload/prospect.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void prospect_start(void)
{
}

EXPORT void prospect_stop(void)
{
}

EXPORT void prospect_mark(const char *text)
{
	(void)text;
}

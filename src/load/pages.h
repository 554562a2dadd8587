/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pages of stacks have in common. */
#ifndef LOAD_PAGES_H
#define LOAD_PAGES_H

#include "model/profile.h"

/* What a page is called: @wanted or, if that is NULL, the command that was profiled. */
const char *pages_title(const char *wanted, const struct profile *profile);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by pages of stacks. */
#ifndef LOAD_PAGES_H
#define LOAD_PAGES_H

#include "model/profile.h"

/* The title of a page: @wanted or, if that is NULL, the profiled command. */
const char *pages_title(const char *wanted, const struct profile *profile);

#endif

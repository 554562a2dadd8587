/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this machine lets this user see: one point after the other, each with what is missing and
 * the one command that mends it. Everything is tried, not guessed from settings.
 */
#ifndef PIPELINE_CHECK_POINTS_H
#define PIPELINE_CHECK_POINTS_H

#include "model/check.h"

/* Looks at everything; returns how many points there are. */
size_t check_points_look(struct check_point ret_points[CHECK_MAX_POINTS]);

#endif

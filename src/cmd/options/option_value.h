/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns the text of an option into a value of its row's type. */
#ifndef CMD_OPTIONS_OPTION_VALUE_H
#define CMD_OPTIONS_OPTION_VALUE_H

#include "base/err.h"
#include "cmd/options/options.h"

/* Checks @text against @spec's type and limits and stores the value at @place (NULL: only checks).
 * @name is the option as typed, for the message. Returns 0, or -EINVAL with one line in @err; then
 * nothing is stored. Not for flags and refused options, which have no value. */
int option_value_set(const struct option_spec *spec, const char *name, const char *text,
		     void *place, struct err *err);

/* -EINVAL and the line for an option without its value. */
int option_value_missing(const struct option_spec *spec, const char *name, struct err *err);

#endif

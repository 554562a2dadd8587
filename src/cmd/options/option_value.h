/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text behind an option becomes a value of its row's type. */
#ifndef CMD_OPTIONS_OPTION_VALUE_H
#define CMD_OPTIONS_OPTION_VALUE_H

#include "base/err.h"
#include "cmd/options/options.h"

/* Reads @text as @spec's type and limits want it and stores it at @place (NULL: it is only
 * checked). @name is the option as typed, for the message. Returns 0 or -EINVAL with one line in
 * @err; then nothing is stored. Flags and refused options have no value and are not for this. */
int option_value_set(const struct option_spec *spec, const char *name, const char *text,
		     void *place, struct err *err);

/* -EINVAL and the line for an option whose value is not there. */
int option_value_missing(const struct option_spec *spec, const char *name, struct err *err);

#endif

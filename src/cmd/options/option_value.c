/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/option_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a type in a message. */
static const char *wanted(enum option_type type)
{
	switch (type) {
	case OPTION_INTEGER:
		return "a whole number";
	case OPTION_NUMBER:
		return "a number";
	case OPTION_SECONDS:
		return "a time (10, 1.5, 250ms, 10s, 2m, 1h)";
	default:
		return "a value";
	}
}

static bool has_limits(const struct option_spec *spec)
{
	return spec->least != 0 || spec->most != 0;
}

static bool within(const struct option_spec *spec, double value)
{
	return !has_limits(spec) || (value >= spec->least && value <= spec->most);
}

static int refuse(const struct option_spec *spec, const char *name, const char *text,
		  struct err *err)
{
	char limits[64] = "";

	if (spec->hint)
		return err_set(err, -EINVAL, "%s: %s", name, spec->hint);
	if (has_limits(spec))
		snprintf(limits, sizeof(limits), " from %.15g to %.15g", spec->least, spec->most);
	return err_set(err, -EINVAL, "invalid %s '%s': expected %s%s", name, text,
		       wanted(spec->type), limits);
}

int option_value_missing(const struct option_spec *spec, const char *name, struct err *err)
{
	if (spec->hint)
		return err_set(err, -EINVAL, "%s: %s", name, spec->hint);
	return err_set(err, -EINVAL, "%s needs %s: %s %s", name, wanted(spec->type), name,
		       spec->argument);
}

static bool read_integer(const char *text, int64_t *ret_value)
{
	char *end;
	long long value;

	if (isspace((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno)
		return false;
	*ret_value = value;
	return true;
}

/* Reads a plain decimal number, without strtod's hexadecimal, infinity and nan. *ret_rest: the text
 * after it. */
static bool read_decimal(const char *text, double *ret_value, const char **ret_rest)
{
	static const char digits[] = "+-.0123456789eE";
	char *end;
	double value;

	if (isspace((unsigned char)*text))
		return false;
	value = strtod(text, &end);
	if (end == text || (size_t)(end - text) > strspn(text, digits) || !isfinite(value))
		return false;
	*ret_value = value;
	*ret_rest = end;
	return true;
}

static bool read_number(const char *text, double *ret_value)
{
	const char *rest;

	return read_decimal(text, ret_value, &rest) && (!*rest || strcmp(rest, "%") == 0);
}

static bool read_seconds(const char *text, double *ret_value)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "m", 60 }, { "h", 3600 } };
	const char *rest;
	double value;

	if (!read_decimal(text, &value, &rest) || value < 0)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(rest, units[i].name) == 0) {
			*ret_value = value * units[i].seconds;
			return true;
		}
	}
	return false;
}

static int set_integer(const struct option_spec *spec, const char *name, const char *text,
		       int64_t *place, struct err *err)
{
	int64_t value;

	if (!read_integer(text, &value) || !within(spec, (double)value))
		return refuse(spec, name, text, err);
	if (place)
		*place = value;
	return 0;
}

static int set_double(const struct option_spec *spec, const char *name, const char *text,
		      double *place, struct err *err)
{
	bool (*read)(const char *, double *) =
		spec->type == OPTION_SECONDS ? read_seconds : read_number;
	double value;

	if (!read(text, &value) || !within(spec, value))
		return refuse(spec, name, text, err);
	if (place)
		*place = value;
	return 0;
}

static int add_text(const char *name, const char *text, struct option_texts *texts, struct err *err)
{
	if (!texts)
		return 0;
	if (texts->count == OPTION_MAX_TEXTS)
		return err_set(err, -EINVAL, "%s is given more than %d times", name,
			       OPTION_MAX_TEXTS);
	texts->items[texts->count++] = text;
	return 0;
}

int option_value_set(const struct option_spec *spec, const char *name, const char *text,
		     void *place, struct err *err)
{
	switch (spec->type) {
	case OPTION_INTEGER:
		return set_integer(spec, name, text, place, err);
	case OPTION_NUMBER:
	case OPTION_SECONDS:
		return set_double(spec, name, text, place, err);
	case OPTION_TEXTS:
		return add_text(name, text, place, err);
	default:
		if (place)
			*(const char **)place = text;
		return 0;
	}
}

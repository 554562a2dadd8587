/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/option_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scan.h"
#include "base/vec.h"

enum {
	MOST_PID = 4194304, /* PID_MAX_LIMIT of 64-bit kernels */
	PRIVATE_MODE = 0600,
};

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

static bool read_number(const char *text, double *ret_value)
{
	return scan_decimal(&text, ret_value) && (!*text || strcmp(text, "%") == 0);
}

static bool read_seconds(const char *text, double *ret_value)
{
	uint64_t unit_ns = NS_PER_S;
	double value;

	if (!scan_decimal(&text, &value) || value < 0 ||
	    (*text && !scan_time_unit(&text, &unit_ns)) || *text)
		return false;
	*ret_value = value * ((double)unit_ns / (double)NS_PER_S);
	return true;
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

static int add_pids(const char *name, const char *text, struct option_pids *pids, struct err *err)
{
	for (const char *at = text;; at++) {
		uint64_t pid;

		at += strspn(at, " \t\n");
		if (!scan_number(&at, 10, &pid) || pid == 0 || pid > MOST_PID ||
		    (*at && *at != ','))
			return err_set(err, -EINVAL, "invalid %s '%s': expected a list of %s ids",
				       name, text, name[1] == 't' ? "thread" : "process");
		*vec_push(pids) = (pid_t)pid;
		if (!*at)
			return 0;
	}
}

int option_value_pids(const char *name, const struct option_texts *texts, struct option_pids *pids,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < texts->count; i++)
		rc = add_pids(name, texts->items[i], pids, err);
	return rc;
}

void option_pids_done(struct option_pids *pids)
{
	vec_free(pids);
}

int option_value_mode(const char *text, mode_t *ret_mode, struct err *err)
{
	unsigned long mode = PRIVATE_MODE;

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

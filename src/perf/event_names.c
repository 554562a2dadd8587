/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"
#include "perf/event_sources.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_RATE_HZ = 1000000 };

void event_names_of(uint32_t type, uint64_t config, char *ret_name, size_t size)
{
	const uint32_t no_pmu_in_config = UINT32_MAX; /* the upper half names one of several PMUs */

	if (type == PERF_TYPE_HARDWARE)
		config &= no_pmu_in_config;
	if (!event_tables_name(type, config, ret_name, size))
		snprintf(ret_name, size, "%" PRIx32 ":%" PRIx64, type, config);
}

static int unknown_name(const char *name, struct err *err)
{
	const char *nearest = event_tables_nearest(name);

	if (nearest)
		return err_set(err, -EINVAL, "unknown event '%s'; did you mean %s?", name, nearest);
	return err_set(err, -EINVAL,
		       "unknown event '%s'; known are cpu-clock, page-faults, context-switches, "
		       "cycles, instructions and others, and tracepoints as group:name ('prospect "
		       "events' lists them)",
		       name);
}

/* ---- suffixes of names ---- */

static bool is_modifier(const char *part)
{
	return *part && strspn(part, "uk") == strlen(part) && strlen(part) <= 2;
}

static bool is_count(const char *part)
{
	return isdigit((unsigned char)part[0]);
}

static void take_modifier(const char *part, struct event_spec *spec)
{
	spec->exclude_user = !strchr(part, 'u');
	spec->exclude_kernel = !strchr(part, 'k');
}

static bool take_count(const char *part, struct event_spec *spec)
{
	return scan_whole_number(part, 10, &spec->period) && spec->period > 0 &&
	       spec->period <= INT64_MAX;
}

/* A part after a colon. */
static int take_suffix(const char *part, struct event_spec *spec, struct err *err)
{
	if (is_modifier(part)) {
		take_modifier(part, spec);
		return 0;
	}
	if (is_count(part) && take_count(part, spec))
		return 0;
	return err_set(err, -EINVAL, "invalid modifier '%s': expected a count, u or k", part);
}

/* The text after "@". */
static int take_sampling(const char *text, struct event_spec *spec, struct err *err)
{
	const char *end = text;
	double rate;

	if (is_count(text) && scan_decimal(&end, &rate) && strcasecmp(end, "hz") == 0) {
		if (rate < 1 || rate > MAX_RATE_HZ)
			return err_set(err, -EINVAL, "invalid rate '@%s': expected 1hz to %dhz",
				       text, MAX_RATE_HZ);
		spec->rate_hz = rate;
		return 0;
	}
	if (is_count(text) && take_count(text, spec))
		return 0;
	return err_set(err, -EINVAL,
		       "invalid '@%s': expected @COUNT (a sample every COUNT events) or @RATEhz",
		       text);
}

/* Splits @text at its colons. Returns the number of parts, or @most + 1 if there are more than
 * @most. */
static size_t split(char *text, char **parts, size_t most)
{
	size_t count = 0;

	for (char *part = text; part && count <= most; count++) {
		char *colon = strchr(part, ':');

		if (colon)
			*colon++ = '\0';
		if (count < most)
			parts[count] = part;
		part = colon;
	}
	return count;
}

/* ---- the forms of names ---- */

static bool is_of_pmu(const char *text)
{
	const char *slash = strchr(text, '/'), *colon = strchr(text, ':');

	return slash && (!colon || (slash < colon && strchr(slash + 1, '/')));
}

/* PMU/TERMS/[MODIFIER], or with a colon before the modifier. */
static int parse_pmu(char *text, struct event_spec *spec, struct err *err)
{
	char *terms = strchr(text, '/'), *end = strrchr(text, '/');
	int rc;

	if (end == terms)
		return err_set(err, -EINVAL, "invalid event '%s': expected PMU/EVENT/", text);
	*terms++ = *end++ = '\0';
	rc = event_pmus_find(EVENT_PMUS_FOLDER, text, terms, spec, err);
	end += *end == ':';
	return rc < 0 || !*end ? rc : take_suffix(end, spec, err);
}

/* For a name that none of our tables has: tries libpfm. Returns @rc, and leaves its reason, if
 * libpfm does not know the event either. */
static int try_library(const char *text, int rc, struct event_spec *spec, struct err *err)
{
	struct err why = { "" };
	int found = event_library_find(text, spec, &why);

	if (found == -EINVAL)
		return err_set(err, found, "%s", why.text);
	return found == 0 ? 0 : rc;
}

/* Looks up @parts in tracepoints, PMUs and libpfm. *ret_used: how many of the parts are the name.
 */
static int find_elsewhere(const char *text, char **parts, size_t count, struct event_spec *spec,
			  size_t *ret_used, struct err *err)
{
	int rc;

	if (count < 2 || is_modifier(parts[1]) || is_count(parts[1])) {
		*ret_used = 1;
		if (event_pmus_find_bare(EVENT_PMUS_FOLDER, parts[0], spec) == 0)
			return 0;
		rc = unknown_name(parts[0], err);
	} else {
		*ret_used = 2;
		rc = event_tracepoints_find(parts[0], parts[1], spec, err);
	}
	if (rc == 0)
		return 0;
	rc = try_library(text, rc, spec, err);
	*ret_used = rc == 0 ? count : *ret_used;
	return rc;
}

static int too_many(const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "'%s': too many colons", text);
}

static int parse_name(char *text, struct event_spec *spec, struct err *err)
{
	char copy[EVENT_NAME_MAX], *parts[4] = { 0 };
	size_t count, used = 1;
	int rc = 0;

	if (strstr(text, "::"))
		return event_library_find(text, spec, err);
	snprintf(copy, sizeof(copy), "%s", text);
	count = split(copy, parts, COUNT_OF(parts));
	if (event_tables_find(parts[0], spec))
		rc = count <= COUNT_OF(parts) ? 0 : too_many(text, err);
	else if (count > COUNT_OF(parts))
		rc = try_library(text, too_many(text, err), spec, err);
	else
		rc = find_elsewhere(text, parts, count, spec, &used, err);
	for (; rc == 0 && used < count; used++)
		rc = take_suffix(parts[used], spec, err);
	return rc;
}

int event_names_parse(const char *text, struct event_spec *ret_spec, struct err *err)
{
	struct event_spec spec = { 0 };
	char copy[EVENT_NAME_MAX], *at;
	int rc;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy) || !text[0])
		return err_set(err, -EINVAL, "invalid event '%.40s': the name is empty or too long",
			       text);
	snprintf(spec.name, sizeof(spec.name), "%s", text);
	at = strrchr(copy, '@');
	if (at)
		*at++ = '\0';
	rc = is_of_pmu(copy) ? parse_pmu(copy, &spec, err) : parse_name(copy, &spec, err);
	if (rc == 0 && at)
		rc = take_sampling(at, &spec, err);
	if (rc == 0)
		*ret_spec = spec;
	return rc;
}

/* ---- listing ---- */

void event_names_each(event_visit visit, void *context, struct err *ret_no_tracepoints,
		      struct err *ret_no_library)
{
	ret_no_tracepoints->text[0] = ret_no_library->text[0] = '\0';
	event_tables_each(visit, context);
	event_pmus_each(EVENT_PMUS_FOLDER, visit, context);
	if (event_library_each(false, visit, context) < 0)
		err_set(ret_no_library, 0,
			"the processor's own events are not listed: libpfm4 is not installed");
	if (event_tracepoints_each(visit, context) < 0 &&
	    event_tracepoints_hidden(ret_no_tracepoints) < 0)
		err_prefix(ret_no_tracepoints, 0, "tracepoints are not listed");
}

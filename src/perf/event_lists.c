/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of event_names.h. */
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "perf/event_names.h"
#include "perf/event_sources.h"

/* The position in a list that is being read. */
struct cursor {
	const char *at;
	unsigned groups; /* begun so far */
	bool in_group;
	const char *suffix; /* of the group: what follows its "}" */
	size_t suffix_length;
};

/* The length of the name at @at. Commas between slashes belong to the name. */
static size_t name_length(const char *at)
{
	bool in_terms = false;
	size_t length = 0;

	for (; at[length]; length++) {
		if (at[length] == '/')
			in_terms = !in_terms;
		else if (!in_terms && strchr(",{}", at[length]))
			break;
	}
	return length;
}

static int begin_group(struct cursor *cursor, struct err *err)
{
	const char *end = strchr(cursor->at, '}');

	if (cursor->in_group || !end)
		return err_set(err, -EINVAL, "invalid group '%s': expected {A,B}", cursor->at);
	cursor->at++;
	cursor->groups++;
	cursor->in_group = true;
	cursor->suffix = end + 1;
	cursor->suffix_length = strcspn(cursor->suffix, ",{}");
	return 0;
}

static int end_group(struct cursor *cursor, struct err *err)
{
	if (!cursor->in_group)
		return err_set(err, -EINVAL, "invalid group: expected {A,B}");
	cursor->in_group = false;
	cursor->at += 1 + cursor->suffix_length;
	return 0;
}

/* After a name: the end of the list, or the next name. */
static int step(struct cursor *cursor, bool *ret_more, struct err *err)
{
	int rc = *cursor->at == '}' ? end_group(cursor, err) : 0;

	*ret_more = *cursor->at == ',';
	if (rc < 0)
		return rc;
	if (*cursor->at && *cursor->at != ',')
		return err_set(err, -EINVAL, "missing comma before '%s'", cursor->at);
	cursor->at += *ret_more;
	return 0;
}

typedef int (*take_name)(void *context, const char *name, unsigned group, struct err *err);

/* ---- tracepoints by a pattern ---- */

/* A pattern stands for every tracepoint that matches it, each with the suffix of the pattern. */
struct fitting {
	char pattern[EVENT_NAME_MAX];
	const char *suffix; /* modifier, count or rate */
	take_name take;
	void *context;
	unsigned group;
	size_t found;
	int rc;
	struct err *err;
};

/* True for GROUP:NAME with glob characters. PMU terms and libpfm names have none. */
static bool is_glob(const char *name, size_t *ret_length)
{
	const char *colon = strchr(name, ':');
	size_t length;

	if (!colon || strchr(name, '/') || colon[1] == ':')
		return false;
	length = (size_t)(colon + 1 - name) + strcspn(colon + 1, ":@");
	*ret_length = length;
	return strcspn(name, "*?[") < length;
}

static void take_fitting(void *context, const struct event_entry *entry)
{
	struct fitting *fitting = context;
	char name[EVENT_NAME_MAX];

	if (fitting->rc < 0 || fnmatch(fitting->pattern, entry->name, 0) != 0)
		return;
	fitting->found++;
	if ((size_t)snprintf(name, sizeof(name), "%s%s", entry->name, fitting->suffix) <
	    sizeof(name))
		fitting->rc = fitting->take(fitting->context, name, fitting->group, fitting->err);
	else
		fitting->rc =
			err_set(fitting->err, -EINVAL, "the name '%s' is too long", entry->name);
}

/* Takes the name itself, or every tracepoint that matches it. */
static int take_all(const char *name, unsigned group, take_name take, void *context,
		    struct err *err)
{
	struct err why;
	struct fitting fitting = { .take = take, .context = context, .group = group, .err = err };
	size_t length;
	int rc;

	if (!is_glob(name, &length))
		return take(context, name, group, err);
	snprintf(fitting.pattern, sizeof(fitting.pattern), "%.*s", (int)length, name);
	fitting.suffix = name + length;
	rc = event_tracepoints_each(take_fitting, &fitting);
	if (rc < 0 && event_tracepoints_hidden(&why) < 0)
		return err_set(err, -ENOENT, "cannot find tracepoints that match '%s': %s",
			       fitting.pattern, why.text);
	if (fitting.found)
		return fitting.rc;
	return err_set(err, -ENOENT, "this kernel has no tracepoint that matches '%s'",
		       fitting.pattern);
}

/* ---- lists ---- */

static int each_name(const char *list, unsigned *groups, take_name take, void *context,
		     struct err *err)
{
	struct cursor cursor = { .at = list, .groups = *groups };
	bool more = true;

	while (more) {
		char name[EVENT_NAME_MAX];
		size_t length;
		int rc = *cursor.at == '{' ? begin_group(&cursor, err) : 0;

		if (rc < 0)
			return rc;
		length = name_length(cursor.at);
		if (!length)
			return err_set(err, -EINVAL,
				       "an event name is empty: expected e.g. page-faults,cycles");
		if (length + cursor.suffix_length >= sizeof(name))
			return err_set(err, -EINVAL,
				       "unknown event '%.40s...': the name is too long", cursor.at);
		snprintf(name, sizeof(name), "%.*s%.*s", (int)length, cursor.at,
			 cursor.in_group ? (int)cursor.suffix_length : 0,
			 cursor.in_group ? cursor.suffix : "");
		rc = take_all(name, cursor.in_group ? cursor.groups : 0, take, context, err);
		if (rc < 0)
			return rc;
		cursor.at += length;
		rc = step(&cursor, &more, err);
		if (rc < 0)
			return rc;
	}
	*groups = cursor.groups;
	return cursor.in_group ? err_set(err, -EINVAL, "'%s': a group has no closing }", list) : 0;
}

/* The list under construction and its capacity. */
struct spec_list {
	struct event_spec *specs;
	unsigned *groups;
	size_t count, most;
};

static int append(struct spec_list *list, const struct event_spec *spec, struct err *err)
{
	if (list->count == list->most)
		return err_set(err, -EINVAL, "too many events (at most %zu)", list->most);
	list->specs[list->count++] = *spec;
	return 0;
}

/* ---- for sampling ---- */

static bool is_clock(const struct event_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_CPU_CLOCK;
}

static int check_sampling(const struct event_spec *spec, struct err *err)
{
	uint64_t least = event_tables_least_period(spec);

	if (is_clock(spec) && (spec->period || spec->rate_hz > 0))
		return err_set(err, -EINVAL,
			       "'%s': the clock is always sampled at a fixed rate; set it with -F",
			       spec->name);
	if (spec->period && spec->period < least)
		return err_set(err, -EINVAL,
			       "'%s': so small a count could stop the machine with interrupts; the "
			       "smallest for this event is %llu",
			       spec->name, (unsigned long long)least);
	return 0;
}

static int take_sampled(void *context, const char *name, unsigned group, struct err *err)
{
	struct spec_list *list = context;
	struct event_spec spec = { 0 };
	int rc;

	if (group)
		return err_set(err, -EINVAL,
			       "groups are for counting ('prospect count'); each event is sampled "
			       "separately");
	rc = event_names_parse(name, &spec, err);
	if (rc < 0 || strcmp(spec.name, "cpu-clock") == 0)
		return rc;
	rc = check_sampling(&spec, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->specs[i].name, spec.name) == 0)
			return err_set(err, -EINVAL, "event '%s' is given twice", spec.name);
	}
	return append(list, &spec, err);
}

/* ---- for counting ---- */

static int take_counted(void *context, const char *name, unsigned group, struct err *err)
{
	struct spec_list *list = context;
	struct event_spec spec = { 0 };
	int rc = event_names_parse(name, &spec, err);

	if (rc < 0)
		return rc;
	if (spec.period || spec.rate_hz > 0)
		return err_set(err, -EINVAL,
			       "'%s': counts and rates are for sampling ('prospect record'); every "
			       "event is counted",
			       spec.name);
	if (list->count < list->most)
		list->groups[list->count] = group;
	return append(list, &spec, err);
}

/* ---- both ---- */

static int parse(const char *const *lists, size_t count, take_name take, struct spec_list *list,
		 size_t *ret_count, struct err *err)
{
	unsigned groups = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = each_name(lists[i], &groups, take, list, err);
	if (rc == 0)
		*ret_count = list->count;
	return rc;
}

int event_names_parse_list(const char *const *lists, size_t count, struct event_spec *specs,
			   size_t most, size_t *ret_count, struct err *err)
{
	struct spec_list list = { .specs = specs, .most = most };

	return parse(lists, count, take_sampled, &list, ret_count, err);
}

int event_names_parse_groups(const char *const *lists, size_t count, struct event_spec *specs,
			     unsigned *groups, size_t most, size_t *ret_count, struct err *err)
{
	struct spec_list list = { .specs = specs, .most = most };

	list.groups = groups;
	return parse(lists, count, take_counted, &list, ret_count, err);
}

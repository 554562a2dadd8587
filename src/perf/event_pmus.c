/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_sources.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scan.h"

enum {
	PATH_BYTES = 640,
	WORD_BYTES = 160,
	FILE_LIMIT = 4096, /* a sysfs file is at most a page */
	MAX_NESTING = 2,   /* the terms of an event cannot name events in turn */
};

/* A PMU whose terms are being read. */
struct pmu {
	const char *folder, *name;
	unsigned nesting;
};

/* The first line of FOLDER/PMU/@kind/@name@suffix, in at most @size bytes. False if there is no
 * such file. */
static bool read_line(const struct pmu *pmu, const char *kind, const char *name, const char *suffix,
		      char *ret_line, size_t size)
{
	char path[PATH_BYTES];
	struct buf text = { 0 };
	bool read;

	snprintf(path, sizeof(path), "%s/%s/%s%s%s%s", pmu->folder, pmu->name, kind,
		 *name ? "/" : "", name, suffix);
	read = file_read(path, FILE_LIMIT, &text) == 0;
	if (read)
		snprintf(ret_line, size, "%.*s", (int)strcspn(buf_text(&text), "\n"),
			 buf_text(&text));
	buf_done(&text);
	return read;
}

static bool is_word(const char *word)
{
	return *word && *word != '.' && !strchr(word, '/');
}

/* ---- terms ---- */

static uint64_t *config_of(struct event_spec *spec, const char *name, size_t length)
{
	if (length == 6 && strncmp(name, "config", 6) == 0)
		return &spec->config;
	if (length == 7 && strncmp(name, "config1", 7) == 0)
		return &spec->config1;
	if (length == 7 && strncmp(name, "config2", 7) == 0)
		return &spec->config2;
	return NULL;
}

/* Puts the low bits of @value into the bit ranges of @layout ("0-7,21"), lowest first. False if
 * @layout is malformed or the value does not fit. */
static bool place_bits(const char *layout, uint64_t value, uint64_t *config)
{
	for (const char *at = layout;; at++) {
		uint64_t low, high;

		if (!scan_number(&at, 10, &low))
			return false;
		high = low;
		if (*at == '-') {
			at++;
			if (!scan_number(&at, 10, &high))
				return false;
		}
		if (high < low || high > 63 || (*at && *at != ','))
			return false;
		for (uint64_t bit = low; bit <= high; bit++, value >>= 1)
			*config |= (value & 1) << bit;
		if (!*at)
			return value == 0;
	}
}

static int set_field(const struct pmu *pmu, const char *name, uint64_t value,
		     struct event_spec *spec, struct err *err)
{
	char format[WORD_BYTES];
	size_t length;
	uint64_t *config;

	if (!read_line(pmu, "format", name, "", format, sizeof(format)))
		return err_set(err, -EINVAL, "PMU %s has no event or field '%s'", pmu->name, name);
	length = strcspn(format, ":");
	config = config_of(spec, format, length);
	if (!config || !format[length])
		return err_set(err, -EINVAL, "PMU %s: field '%s' has an unknown format (%s)",
			       pmu->name, name, format);
	if (!place_bits(format + length + 1, value, config))
		return err_set(err, -EINVAL, "PMU %s: %#llx does not fit into field '%s' (%s)",
			       pmu->name, (unsigned long long)value, name, format);
	return 0;
}

static int take_terms(struct pmu *pmu, const char *terms, struct event_spec *spec, struct err *err);

static void take_unit(const struct pmu *pmu, const char *name, struct event_spec *spec)
{
	char scale[WORD_BYTES];

	if (read_line(pmu, "events", name, ".scale", scale, sizeof(scale)))
		spec->scale = strtod(scale, NULL);
	if (!read_line(pmu, "events", name, ".unit", spec->unit, sizeof(spec->unit)))
		spec->unit[0] = '\0';
}

/* A term without a value: one of the PMU's events, or a field set to 1. */
static int take_word(struct pmu *pmu, const char *name, struct event_spec *spec, struct err *err)
{
	char terms[FILE_LIMIT];
	int rc;

	if (pmu->nesting >= MAX_NESTING ||
	    !read_line(pmu, "events", name, "", terms, sizeof(terms)))
		return set_field(pmu, name, 1, spec, err);
	pmu->nesting++;
	rc = take_terms(pmu, terms, spec, err);
	pmu->nesting--;
	if (rc == 0)
		take_unit(pmu, name, spec);
	return rc;
}

static int take_value(const struct pmu *pmu, const char *name, const char *text,
		      struct event_spec *spec, struct err *err)
{
	uint64_t value, *config = config_of(spec, name, strlen(name));

	if (strcmp(name, "name") == 0)
		return 0;
	if (!scan_whole_number(text, 0, &value))
		return err_set(err, -EINVAL, "PMU %s: '%s=%s' is not a number", pmu->name, name,
			       text);
	if (!config)
		return set_field(pmu, name, value, spec, err);
	*config |= value;
	return 0;
}

static int take_term(struct pmu *pmu, char *term, struct event_spec *spec, struct err *err)
{
	char *value = strchr(term, '=');

	if (value)
		*value++ = '\0';
	if (!is_word(term))
		return err_set(err, -EINVAL, "PMU %s: a term is empty or invalid", pmu->name);
	return value ? take_value(pmu, term, value, spec, err) : take_word(pmu, term, spec, err);
}

static int take_terms(struct pmu *pmu, const char *terms, struct event_spec *spec, struct err *err)
{
	for (const char *at = terms;; at++) {
		char term[WORD_BYTES];
		size_t length = strcspn(at, ",");
		int rc;

		if (length >= sizeof(term))
			return err_set(err, -EINVAL, "PMU %s: a term is too long", pmu->name);
		memcpy(term, at, length);
		term[length] = '\0';
		rc = take_term(pmu, term, spec, err);
		if (rc < 0)
			return rc;
		at += length;
		if (!*at)
			return 0;
	}
}

/* ---- PMUs ---- */

static bool read_type(const struct pmu *pmu, uint32_t *ret_type)
{
	char type[WORD_BYTES];
	uint64_t number;

	if (!read_line(pmu, "type", "", "", type, sizeof(type)) ||
	    !scan_whole_number(type, 10, &number) || number > UINT32_MAX)
		return false;
	*ret_type = (uint32_t)number;
	return true;
}

int event_pmus_find(const char *folder, const char *name, const char *terms,
		    struct event_spec *spec, struct err *err)
{
	struct pmu pmu = { .folder = folder, .name = name };
	char cpus[FILE_LIMIT];

	if (!is_word(name) || !read_type(&pmu, &spec->type))
		return err_set(err, -ENOENT, "this machine has no PMU '%s' (see 'prospect events')",
			       name);
	spec->hardware = spec->type != PERF_TYPE_SOFTWARE && spec->type != PERF_TYPE_TRACEPOINT;
	spec->whole_cpus = read_line(&pmu, "cpumask", "", "", cpus, sizeof(cpus));
	return take_terms(&pmu, terms, spec, err);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Entries of a folder, sorted; the caller frees each entry and the array. */
static size_t list_folder(const char *path, struct dirent ***ret_entries)
{
	int count = scandir(path, ret_entries, is_visible, by_name);

	if (count < 0)
		*ret_entries = NULL;
	return count < 0 ? 0 : (size_t)count;
}

int event_pmus_find_bare(const char *folder, const char *name, struct event_spec *spec)
{
	struct dirent **entries;
	size_t count = is_word(name) ? list_folder(folder, &entries) : 0;
	int rc = -ENOENT;

	for (size_t i = 0; i < count; i++) {
		struct pmu pmu = { .folder = folder, .name = entries[i]->d_name };
		char terms[FILE_LIMIT];

		if (rc < 0 && read_line(&pmu, "events", name, "", terms, sizeof(terms)))
			rc = event_pmus_find(folder, entries[i]->d_name, name, spec, NULL);
		free(entries[i]);
	}
	if (count)
		free(entries);
	return rc;
}

/* Files such as "NAME.unit" describe the event NAME. */
static bool is_event_file(const char *name)
{
	return !strchr(name, '.');
}

static void visit_events(const struct pmu *pmu, event_visit visit, void *context)
{
	char path[PATH_BYTES], full[EVENT_NAME_MAX], terms[FILE_LIMIT];
	struct dirent **entries;
	size_t count;

	snprintf(path, sizeof(path), "%s/%s/events", pmu->folder, pmu->name);
	count = list_folder(path, &entries);
	for (size_t i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct event_entry entry = {
			.name = full, .kind = pmu->name, .text = terms, .masks = ""
		};
		struct event_spec spec = { 0 };

		if (is_event_file(name) &&
		    snprintf(full, sizeof(full), "%s/%s/", pmu->name, name) < (int)sizeof(full) &&
		    read_line(pmu, "events", name, "", terms, sizeof(terms))) {
			entry.coded =
				event_pmus_find(pmu->folder, pmu->name, name, &spec, NULL) == 0;
			entry.type = spec.type;
			entry.config = spec.config;
			visit(context, &entry);
		}
		free(entries[i]);
	}
	free(entries);
}

void event_pmus_each(const char *folder, event_visit visit, void *context)
{
	struct dirent **entries;
	size_t count = list_folder(folder, &entries);

	for (size_t i = 0; i < count; i++) {
		const struct pmu pmu = { .folder = folder, .name = entries[i]->d_name };

		visit_events(&pmu, visit, context);
		free(entries[i]);
	}
	free(entries);
}

bool event_pmus_name(const char *folder, uint32_t type, char *ret_name, size_t size)
{
	struct dirent **entries;
	size_t count = list_folder(folder, &entries);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		const struct pmu pmu = { .folder = folder, .name = entries[i]->d_name };
		uint32_t number;

		if (!found && read_type(&pmu, &number) && number == type) {
			snprintf(ret_name, size, "%s", pmu.name);
			found = true;
		}
		free(entries[i]);
	}
	free(entries);
	return found;
}

bool event_pmus_cpus(const char *folder, uint32_t type, char *ret_list, size_t size)
{
	char name[WORD_BYTES];
	const struct pmu pmu = { .folder = folder, .name = name };

	return event_pmus_name(folder, type, name, sizeof(name)) &&
	       read_line(&pmu, "cpumask", "", "", ret_list, size);
}

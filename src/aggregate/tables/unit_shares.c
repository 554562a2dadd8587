/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/tables/unit_shares.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/xalloc.h"

/* True if these first letters are the name of a service or scope. */
static bool is_unit(const char *part, size_t length)
{
	static const char *const types[] = { ".service", ".scope" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t type = strlen(types[i]);

		if (length > type && memcmp(part + length - type, types[i], type) == 0)
			return true;
	}
	return false;
}

/* Services may divide their groups further. The caller frees it. */
static char *unit_of_path(const char *path)
{
	const char *unit = NULL;
	size_t unit_length = 0;

	for (const char *part = path; *part;) {
		size_t length = strcspn(part, "/");

		if (is_unit(part, length)) {
			unit = part;
			unit_length = length;
		}
		part += length + (part[length] == '/');
	}
	if (unit)
		return xstrndup(unit, unit_length);
	return xstrdup(*file_base(path) ? file_base(path) : "no unit");
}

/* Rows by control group and container. */
struct by_group {
	const struct profile *profile;
	struct unit_shares *shares;
	uint32_t *row_of; /* by str_id: number of the row + 1; 0: none yet */
};

static uint32_t row_named(struct unit_shares *shares, char *name)
{
	for (uint32_t i = 0; i < shares->rows.count; i++) {
		if (strcmp(shares->rows.items[i].name, name) == 0) {
			free(name);
			return i;
		}
	}
	*vec_push(&shares->rows) = (struct unit_share){ .name = name };
	return (uint32_t)shares->rows.count - 1;
}

/* NULL: its group is not known. */
static struct unit_share *share_of(struct by_group *by, const struct process *process)
{
	str_id group = process->container ? process->container : process->cgroup;
	uint32_t *row = &by->row_of[group];

	if (!group)
		return NULL;
	if (!*row)
		*row = 1 + row_named(by->shares,
				     process->container
					     ? xstrdup(profile_text(by->profile, group))
					     : unit_of_path(profile_text(by->profile, group)));
	return &by->shares->rows.items[*row - 1];
}

DEFINE_ORDER(heavier, struct unit_share,
	     COMPARE(b->hits.weight, a->hits.weight) ?: strcmp(a->name, b->name))

void unit_shares_make(const struct profile *profile, const struct total *totals, size_t count,
		      uint8_t event, struct unit_shares *ret_shares)
{
	struct by_group by = { profile, ret_shares, NULL };

	*ret_shares = (struct unit_shares){ 0 };
	by.row_of = xcalloc(strpool_count(&profile->strings) + 1, sizeof(*by.row_of));
	for (size_t i = 0; i < count; i++) {
		const struct hits hits = { totals[i].samples, totals[i].weight };
		struct unit_share *share;

		if (totals[i].event != event)
			continue;
		share = share_of(
			&by,
			&profile->processes.items[profile->tasks.items[totals[i].task].process]);
		hits_add(&ret_shares->sum, &hits);
		if (share)
			hits_add(&share->hits, &hits);
	}
	free(by.row_of);
	if (ret_shares->rows.items)
		qsort(ret_shares->rows.items, ret_shares->rows.count,
		      sizeof(*ret_shares->rows.items), heavier);
}

void unit_shares_done(struct unit_shares *shares)
{
	for (size_t i = 0; i < shares->rows.count; i++)
		free(shares->rows.items[i].name);
	vec_free(&shares->rows);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/opened.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "resolve/demangler.h"

bool opened_is_profile(const char *path)
{
	return store_is_profile(path) > 0;
}

void opened_done(struct opened *opened)
{
	for (size_t i = 0; i < opened->users.count; i++)
		free((char *)opened->users.items[i].name);
	vec_free(&opened->users);
	completeness_done(&opened->completeness);
	select_free(opened->select);
	buf_done(&opened->selection);
	labels_done(&opened->labels);
	frame_lines_free(opened->lines);
	demangler_free(opened->demangler);
	vec_free(&opened->totals.rows);
	profile_free(opened->profile);
	if (opened->store)
		store_close(opened->store);
}

int opened_select(struct opened *opened, const char *const *clauses, size_t count, struct err *err)
{
	opened->select = select_new();
	for (size_t i = 0; i < count; i++) {
		int rc = select_add(opened->select, clauses[i], err);

		buf_add_str(&opened->selection, i ? " " : "");
		buf_add_str(&opened->selection, clauses[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int opened_demangle(struct opened *opened, const char *style, struct err *err)
{
	opened->demangle = style;
	if (style && demangler_style_by_name(style) == DEMANGLER_STYLE_COUNT)
		return err_set(err, -EINVAL, "--demangle '%s' is none of none, normal, smart",
			       style);
	return 0;
}

static struct demangler *make_demangler(const struct opened *opened)
{
	return demangler_new(opened->demangle ? demangler_style_by_name(opened->demangle)
					      : DEMANGLER_NORMAL);
}

static bool knows_user(const struct opened *opened, uint32_t uid)
{
	for (size_t i = 0; i < opened->users.count; i++) {
		if (opened->users.items[i].uid == uid)
			return true;
	}
	return false;
}

/* Names of users hold on the machine of the recording only; elsewhere numbers are the truth. */
static void find_users(struct opened *opened)
{
	const char *recorded_on = opened->profile->run.hostname;
	char here[256] = "";

	if (gethostname(here, sizeof(here) - 1) < 0 || !recorded_on ||
	    strcmp(here, recorded_on) != 0)
		return;
	for (size_t i = 1; i < opened->profile->processes.count; i++) {
		uint32_t uid = opened->profile->processes.items[i].uid;
		const struct passwd *user = knows_user(opened, uid) ? NULL : getpwuid(uid);

		if (user)
			*vec_push(&opened->users) =
				(struct user_name){ uid, xstrdup(user->pw_name) };
	}
}

static const char *demangle(void *context, const char *name)
{
	return demangler_text(context, name);
}

int opened_load(struct opened *opened, const char *path, struct err *err)
{
	int rc = store_open(path, &opened->store, err);

	if (rc == 0)
		rc = store_load_profile(opened->store, &opened->profile, err);
	if (rc == 0)
		rc = store_load_totals(opened->store, opened->profile, &opened->totals, err);
	if (rc < 0)
		return rc;
	labels_init(&opened->labels, opened->profile);
	opened->demangler = make_demangler(opened);
	opened->labels.demangle = demangle;
	opened->labels.demangle_context = opened->demangler;
	find_users(opened);
	opened->labels.users = opened->users.items;
	opened->labels.user_count = opened->users.count;
	opened->lines = frame_lines_new(opened->profile, &opened->line_options);
	opened->labels.places = frame_lines_places(opened->lines);
	completeness_make(opened->profile, opened->totals.rows.items, opened->totals.rows.count,
			  account_main_event(opened->profile), &opened->completeness);
	return 0;
}

struct visit {
	struct opened *opened;
	void (*take)(void *context, const struct point *point);
	void *context;
};

static void take_point(struct visit *visit, const struct point *point)
{
	if (!select_match(visit->opened->select, point))
		return;
	visit->opened->selected += point->total.samples;
	visit->take(visit->context, point);
}

static int take_sample(void *context, const struct sample *sample)
{
	struct point point = {
		.total = { .task = sample->task,
			   .stack = sample->stack,
			   .event = sample->event,
			   .mode = sample->mode,
			   .context = sample->context,
			   .samples = 1,
			   .weight = sample->weight,
			   .weight_squared = (double)sample->weight * (double)sample->weight },
		.time_ns = sample->time_ns,
		.cpu = sample->cpu,
	};

	take_point(context, &point);
	return 0;
}

int opened_each(struct opened *opened, bool samples,
		void (*take)(void *context, const struct point *point), void *context,
		struct err *err)
{
	struct visit visit = { opened, take, context };

	select_bind(opened->select, &opened->labels);
	if (samples || select_needs_samples(opened->select)) {
		int rc = store_each_sample(opened->store, opened->profile, 0, UINT64_MAX,
					   take_sample, &visit, err);

		if (rc < 0)
			return rc;
	} else {
		for (size_t i = 0; i < opened->totals.rows.count; i++)
			take_point(&visit,
				   &(struct point){ .total = opened->totals.rows.items[i] });
	}
	return opened->selected ? 0 : select_explain(opened->select, err);
}

struct view opened_view(const struct opened *opened)
{
	const struct totals *totals = &opened->totals;

	return (struct view){
		.labels = &opened->labels,
		.account = account_of(opened->profile),
		.naming = naming_of(opened->profile, totals->rows.items, totals->rows.count,
				    account_main_event(opened->profile)),
		.completeness = &opened->completeness,
		.selection = opened->selection.size ? opened->selection.bytes : NULL,
		.selected_samples = opened->selected,
		.live = store_is_live(opened->store),
	};
}

int opened_end(FILE *out, struct err *err)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return err_set(err, errno ? -errno : -EIO, "cannot write the report: %s",
		       strerror(errno ? errno : EIO));
}

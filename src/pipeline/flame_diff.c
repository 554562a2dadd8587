/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/flame_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/children.h"
#include "pipeline/diff_command.h"
#include "pipeline/opened.h"
#include "present/figures.h"
#include "present/flame_diff.h"
#include "present/trust.h"

struct side {
	const char *path;
	struct opened opened;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	bool command_only;
};

struct drawing {
	const struct flame_options *options;
	struct key_list keys;
	struct side sides[DIFF_SIDES];
	bool command_only;
};

static void drawing_done(struct drawing *drawing)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		struct side *side = &drawing->sides[i];

		tree_free(side->tree);
		places_free(side->places);
		table_free(side->stacks);
		opened_done(&side->opened);
	}
}

static int load(struct drawing *drawing, struct err *err)
{
	const struct flame_options *options = drawing->options;
	int rc = keys_parse(options->by ? options->by : "function", &drawing->keys, err);

	for (int i = 0; rc == 0 && i < DIFF_SIDES; i++) {
		struct opened *opened = &drawing->sides[i].opened;

		rc = opened_name(opened, &options->names, err);
		if (rc == 0)
			rc = opened_choose(opened, &options->selection, err);
		if (rc == 0)
			rc = opened_load(opened, drawing->sides[i].path, err);
		if (rc == 0 && !diff_command_is_known(opened->profile))
			drawing->command_only = false;
	}
	return rc;
}

static void take(void *context, const struct point *point)
{
	struct side *side = context;

	if (!side->command_only || diff_command_has(side->opened.profile, point))
		table_add(side->stacks, point);
}

static int collect(const struct drawing *drawing, struct side *side, struct err *err)
{
	struct key_list of_stacks = children_stack_keys(&drawing->keys);
	int rc;

	side->command_only = drawing->command_only;
	side->stacks = table_new(&side->opened.labels, &of_stacks);
	rc = opened_each(&side->opened, keys_need_samples(&drawing->keys), take, side, err);
	if (rc == 0 && !side->stacks->rows.count)
		rc = err_set(err, -ENODATA,
			     "the profiled command itself has no samples%s; --machine draws "
			     "everything that was recorded",
			     side->opened.selection.size ? " that are selected" : "");
	return rc < 0 ? err_prefix(err, rc, "%s", side->path) : 0;
}

/* The old side's event that is called as the new one's. */
static int find_event(const struct drawing *drawing, uint8_t wanted, uint8_t *ret_event,
		      struct err *err)
{
	const struct side *old = &drawing->sides[DIFF_OLD], *new = &drawing->sides[DIFF_NEW];
	const struct profile *profile = new->opened.profile;
	const char *name = profile_text(profile, profile->events[wanted].name);
	const char *unit = profile_text(profile, profile->events[wanted].unit);

	profile = old->opened.profile;
	for (uint8_t i = 0; i < profile->event_count; i++) {
		if (old->stacks->sums[i].samples &&
		    strcmp(profile_text(profile, profile->events[i].name), name) == 0 &&
		    strcmp(profile_text(profile, profile->events[i].unit), unit) == 0) {
			*ret_event = i;
			return 0;
		}
	}
	return err_set(err, -ENOMSG,
		       "%s has no samples of %s, which %s is about; --select event=NAME chooses "
		       "another event",
		       old->path, name, new->path);
}

static void make_tree(const struct drawing *drawing, struct side *side, uint8_t event)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);

	side->places = places_new(&side->opened.labels, &of_frames);
	side->tree = tree_new(side->stacks, side->places, event, TREE_FROM_ROOTS, NULL);
}

static void add_head(const struct side *side, FILE *stream)
{
	struct view view = opened_view(&side->opened);

	view.level = VIEW_COMMAND;
	trust_print(&view, stream);
}

/* The heads of both reports. The caller frees it. */
static char *make_head(const struct drawing *drawing)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	add_head(&drawing->sides[DIFF_OLD], stream);
	fputc('\n', stream);
	add_head(&drawing->sides[DIFF_NEW], stream);
	fclose(stream);
	return text;
}

static void add_samples(const struct side *side, struct buf *text)
{
	figures_count(text, side->tree->nodes.items[0].total.samples);
	buf_printf(text, " samples of %s", side->path);
}

static void add_facts(const struct drawing *drawing, struct buf *text)
{
	const struct opened *new = &drawing->sides[DIFF_NEW].opened;

	add_samples(&drawing->sides[DIFF_NEW], text);
	buf_add_str(text, " against ");
	add_samples(&drawing->sides[DIFF_OLD], text);
	if (drawing->command_only)
		buf_add_str(text, "; the profiled command and its children");
	if (new->selection.size)
		buf_printf(text, ", selected by %s", buf_text(&new->selection));
}

static void draw(const struct drawing *drawing, FILE *out)
{
	const struct side *old = &drawing->sides[DIFF_OLD], *new = &drawing->sides[DIFF_NEW];
	const struct profile *profile = new->opened.profile;
	const struct paired_side sides[DIFF_SIDES] = {
		[DIFF_OLD] = { old->tree, diff_command_image(old->opened.profile) },
		[DIFF_NEW] = { new->tree, diff_command_image(profile) },
	};
	_cleanup_(paired_tree_freep) struct paired_tree *tree =
		paired_tree_new(&sides[DIFF_OLD], &sides[DIFF_NEW]);
	_cleanup_free_ char *head = make_head(drawing);
	const char *command = profile->run.command;
	struct flame_diff flame = {
		.tree = tree,
		.title = command && *command ? command : "running processes",
		.unit = profile_text(profile, profile->events[new->tree->event].unit),
		.head = head ? head : "",
		.inverted = drawing->options->inverted,
		.threshold = drawing->options->threshold,
	};
	struct buf facts = { 0 };

	add_facts(drawing, &facts);
	flame.facts = buf_text(&facts);
	if (drawing->options->title)
		flame.title = drawing->options->title;
	flame_diff_print(&flame, out);
	buf_done(&facts);
}

int flame_diff_write(const char *old, const char *new, const struct flame_options *options,
		     bool machine, FILE *out, struct err *err)
{
	struct drawing drawing = { .options = options,
				   .sides = { { .path = old }, { .path = new } },
				   .command_only = !machine };
	uint8_t event, old_event = 0;
	int rc = load(&drawing, err);

	for (int i = 0; rc == 0 && i < DIFF_SIDES; i++)
		rc = collect(&drawing, &drawing.sides[i], err);
	if (rc == 0) {
		event = table_main_event(drawing.sides[DIFF_NEW].stacks);
		rc = find_event(&drawing, event, &old_event, err);
	}
	if (rc == 0) {
		make_tree(&drawing, &drawing.sides[DIFF_NEW], event);
		make_tree(&drawing, &drawing.sides[DIFF_OLD], old_event);
		draw(&drawing, out);
		rc = opened_end(out, err);
	}
	drawing_done(&drawing);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/flame_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/children.h"
#include "load/diff_command.h"
#include "load/opened.h"
#include "load/selected_stacks.h"
#include "present/figures.h"
#include "present/html/flame_diff.h"
#include "present/text/trust.h"

struct side {
	const char *path;
	struct opened opened;
	struct table *stacks;
	struct places *places;
	struct tree *tree;
	char *head;	/* of the report */
	uint32_t image; /* of the command; 0: unknown */
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

		free(side->head);
		tree_free(side->tree);
		places_free(side->places);
		table_free(side->stacks);
		opened_done(&side->opened);
	}
}

static int open_files(struct drawing *drawing, struct err *err)
{
	const struct flame_options *options = drawing->options;
	bool is_known = false;
	int rc = keys_parse(options->by ? options->by : "function", &drawing->keys, err);

	for (int i = 0; rc == 0 && i < DIFF_SIDES; i++) {
		struct opened *opened = &drawing->sides[i].opened;

		rc = opened_name(opened, &options->names, err);
		if (rc == 0)
			rc = opened_choose(opened, &options->selection, err);
		if (rc == 0)
			rc = opened_open(opened, drawing->sides[i].path, err);
		if (rc == 0)
			rc = diff_command_is_known(opened->store, &is_known, err);
		drawing->command_only = drawing->command_only && is_known;
	}
	return rc;
}

/* The head of this side's report. The caller frees it. */
static char *make_head(const struct side *side)
{
	struct view view = opened_view(&side->opened);
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	view.level = VIEW_COMMAND;
	trust_print(&view, stream);
	fclose(stream);
	return text;
}

static int collect(const struct drawing *drawing, struct side *side, struct err *err)
{
	int rc = opened_read(&side->opened, err);

	if (rc < 0)
		return rc;
	rc = selected_stacks(&side->opened, &drawing->keys, drawing->command_only, &side->stacks,
			     err);
	if (rc == 0 && !side->stacks->rows.count)
		rc = err_set(err, -ENODATA,
			     "the profiled command has no%s samples: use --machine to draw "
			     "everything recorded",
			     side->opened.selection.size ? " selected" : "");
	side->head = make_head(side);
	side->image = diff_command_image(side->opened.profile, side->opened.totals.rows.items,
					 side->opened.totals.rows.count);
	opened_forget_samples(&side->opened);
	return rc < 0 ? err_prefix(err, rc, "%s", side->path) : 0;
}

/* The old side's event with the name of the new side's. */
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
		       "%s has no samples of %s, the main event of %s: choose another event with "
		       "--select event=NAME",
		       old->path, name, new->path);
}

static void make_tree(const struct drawing *drawing, struct side *side, uint8_t event)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);

	side->places = places_new(&side->opened.labels, &of_frames);
	side->tree = tree_new(side->stacks, side->places, event, TREE_FROM_ROOTS, NULL);
	opened_forget_stacks(&side->opened);
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

static const char *command_path(const struct side *side)
{
	const struct profile *profile = side->opened.profile;

	return side->image ? profile_text(profile, profile->images.items[side->image].path) : NULL;
}

static void draw(const struct drawing *drawing, FILE *out)
{
	const struct side *old = &drawing->sides[DIFF_OLD], *new = &drawing->sides[DIFF_NEW];
	const struct profile *profile = new->opened.profile;
	const struct paired_side sides[DIFF_SIDES] = {
		[DIFF_OLD] = { old->tree, command_path(old) },
		[DIFF_NEW] = { new->tree, command_path(new) },
	};
	_cleanup_(paired_tree_freep) struct paired_tree *tree =
		paired_tree_new(&sides[DIFF_OLD], &sides[DIFF_NEW]);
	const char *command = profile->run.command;
	struct buf head = { 0 };
	struct flame_diff flame = {
		.tree = tree,
		.title = command && *command ? command : "running processes",
		.unit = profile_text(profile, profile->events[new->tree->event].unit),
		.inverted = drawing->options->inverted,
		.threshold = drawing->options->threshold,
	};
	struct buf facts = { 0 };

	buf_printf(&head, "%s\n%s", old->head ? old->head : "", new->head ? new->head : "");
	flame.head = buf_text(&head);
	add_facts(drawing, &facts);
	flame.facts = buf_text(&facts);
	if (drawing->options->title)
		flame.title = drawing->options->title;
	flame_diff_print(&flame, out);
	buf_done(&facts);
	buf_done(&head);
}

/* The new side chooses the event. */
static int make_trees(struct drawing *drawing, struct err *err)
{
	struct side *old = &drawing->sides[DIFF_OLD], *new = &drawing->sides[DIFF_NEW];
	uint8_t event, old_event = 0;
	int rc = collect(drawing, old, err);

	if (rc == 0)
		rc = collect(drawing, new, err);
	if (rc < 0)
		return rc;
	event = table_main_event(new->stacks);
	rc = find_event(drawing, event, &old_event, err);
	if (rc < 0)
		return rc;
	make_tree(drawing, new, event);
	make_tree(drawing, old, old_event);
	return 0;
}

int flame_diff_write(const char *old, const char *new, const struct flame_options *options,
		     bool machine, FILE *out, struct err *err)
{
	struct drawing drawing = { .options = options,
				   .sides = { { .path = old }, { .path = new } },
				   .command_only = !machine };
	int rc = open_files(&drawing, err);

	if (rc == 0)
		rc = make_trees(&drawing, err);
	if (rc == 0) {
		draw(&drawing, out);
		rc = opened_end(out, err);
	}
	drawing_done(&drawing);
	return rc;
}

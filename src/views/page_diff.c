/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/children.h"
#include "aggregate/trees/tree.h"
#include "load/diff_command.h"
#include "load/opened.h"
#include "load/output.h"
#include "present/figures.h"
#include "present/html/page.h"
#include "present/text/report_head.h"

/* A profile and its tree. */
struct side {
	const char *path;
	struct opened opened;
	struct table *stacks; /* the selection */
	struct places *places;
	struct tree *tree;
	char *head;	/* of the report */
	uint32_t image; /* of the command; 0: unknown */
};

static void side_done(struct side *side)
{
	free(side->head);
	tree_free(side->tree);
	places_free(side->places);
	table_free(side->stacks);
	opened_done(&side->opened);
}

static int parse(const struct page_options *options, struct key_list *ret_keys, struct side *side,
		 struct err *err)
{
	int rc = keys_parse(options->by ? options->by : PAGE_KEYS, ret_keys, err);

	if (rc == 0)
		rc = children_check(ret_keys, err);
	if (rc == 0)
		rc = opened_name(&side->opened, &options->names, err);
	return rc < 0 ? rc : opened_choose(&side->opened, &options->selection, SCOPE_COMMAND, err);
}

static void make_tree(struct side *side, const struct key_list *keys, uint8_t event)
{
	struct key_list of_frames = children_frame_keys(keys);

	side->places = places_new(&side->opened.labels, &of_frames);
	side->tree = tree_new(side->stacks, side->places, event, TREE_FROM_ROOTS, NULL);
}

struct drawing {
	const struct page_options *options;
	struct key_list keys;
	struct side sides[DIFF_SIDES];
};

/* Only the command is drawn if both profiles have one. */
static int open_files(struct drawing *drawing, struct err *err)
{
	enum scope scope = SCOPE_COMMAND;
	int rc = 0;

	for (int i = 0; rc == 0 && i < DIFF_SIDES; i++) {
		struct side *side = &drawing->sides[i];

		rc = parse(drawing->options, &drawing->keys, side, err);
		if (rc == 0)
			rc = opened_open(&side->opened, side->path, err);
		if (side->opened.scope == SCOPE_MACHINE)
			scope = SCOPE_MACHINE;
	}
	for (int i = 0; i < DIFF_SIDES; i++)
		drawing->sides[i].opened.scope = scope;
	return rc;
}

static int collect(const struct drawing *drawing, struct side *side, struct err *err)
{
	struct view view;
	int rc = opened_read(&side->opened, err);

	if (rc < 0)
		return rc;
	side->opened.labels.by_start = true;
	rc = opened_stacks(&side->opened, &drawing->keys, &side->stacks, err);
	if (rc == 0)
		rc = opened_check_command(&side->opened, "draw", err);
	view = opened_view(&side->opened);
	side->head = report_head_text(&view);
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
	if (new->scope == SCOPE_COMMAND)
		buf_add_str(text, "; the profiled command and its children");
	if (new->selection.size)
		buf_printf(text, ", selected by %s", buf_text(&new->selection));
}

static const char *command_path(const struct side *side)
{
	const struct profile *profile = side->opened.profile;

	return side->image ? profile_text(profile, profile->images.items[side->image].path) : NULL;
}

static void draw_changes(const struct drawing *drawing, FILE *out)
{
	const struct side *old = &drawing->sides[DIFF_OLD], *new = &drawing->sides[DIFF_NEW];
	const struct profile *profile = new->opened.profile;
	const struct paired_side sides[DIFF_SIDES] = {
		[DIFF_OLD] = { old->tree, command_path(old) },
		[DIFF_NEW] = { new->tree, command_path(new) },
	};
	_cleanup_(paired_tree_freep) struct paired_tree *tree =
		paired_tree_new(&sides[DIFF_OLD], &sides[DIFF_NEW]);
	struct buf head = { 0 };
	struct page_diff page = {
		.tree = tree,
		.title = output_title(drawing->options->title, profile),
		.event = profile_text(profile, profile->events[new->tree->event].name),
		.unit = profile_text(profile, profile->events[new->tree->event].unit),
		.inverted = drawing->options->inverted,
		.threshold = drawing->options->threshold,
	};
	struct buf facts = { 0 };

	buf_printf(&head, "%s\n%s", old->head, new->head);
	page.head = buf_text(&head);
	add_facts(drawing, &facts);
	page.facts = buf_text(&facts);
	page_diff_print(&page, out);
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
	make_tree(new, &drawing->keys, event);
	opened_forget_stacks(&new->opened);
	make_tree(old, &drawing->keys, old_event);
	opened_forget_stacks(&old->opened);
	return 0;
}

int page_diff_write(const char *old, const char *new, const struct page_options *options, FILE *out,
		    struct err *err)
{
	struct drawing drawing = { .options = options,
				   .sides = { { .path = old }, { .path = new } } };
	int rc = open_files(&drawing, err);

	if (rc == 0)
		rc = make_trees(&drawing, err);
	if (rc == 0) {
		draw_changes(&drawing, out);
		rc = output_end(out, err);
	}
	for (int i = 0; i < DIFF_SIDES; i++)
		side_done(&drawing.sides[i]);
	return rc;
}

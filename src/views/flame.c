/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/flame.h"

#include "aggregate/trees/children.h"
#include "aggregate/trees/prune.h"
#include "aggregate/trees/tree.h"
#include "load/opened.h"
#include "load/pages.h"
#include "load/selected_stacks.h"
#include "present/html/flame.h"

struct drawing {
	const struct flame_options *options;
	struct key_list keys;
	struct opened opened;
	struct table *stacks; /* the selection */
};

static void drawing_done(struct drawing *drawing)
{
	table_free(drawing->stacks);
	opened_done(&drawing->opened);
}

static int parse(struct drawing *drawing, const struct flame_options *options, struct err *err)
{
	int rc = keys_parse(options->by ? options->by : "function", &drawing->keys, err);

	drawing->options = options;
	if (rc == 0)
		rc = children_check(&drawing->keys, err);
	if (rc == 0)
		rc = opened_name(&drawing->opened, &options->names, err);
	return rc < 0 ? rc : opened_choose(&drawing->opened, &options->selection, err);
}

int flame_check(const struct flame_options *options, struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	drawing_done(&drawing);
	return rc;
}

static void draw(const struct drawing *drawing, FILE *out)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);
	struct prune_limits limits = { .threshold = drawing->options->threshold };
	struct view view = opened_view(&drawing->opened);
	_cleanup_(places_freep) struct places *places =
		places_new(&drawing->opened.labels, &of_frames);
	_cleanup_(tree_freep) struct tree *tree = tree_new(
		drawing->stacks, places, table_main_event(drawing->stacks), TREE_FROM_ROOTS, NULL);
	struct prune prune;

	prune_make(tree, &limits, &prune);
	flame_print(&view,
		    &(struct flame){
			    .tree = tree,
			    .prune = &prune,
			    .title = pages_title(drawing->options->title, drawing->opened.profile),
			    .inverted = drawing->options->inverted },
		    out);
	prune_done(&prune);
}

int flame_write(const char *path, const struct flame_options *options, FILE *out, struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	if (rc == 0)
		rc = opened_load(&drawing.opened, path, err);
	if (rc == 0)
		rc = selected_stacks(&drawing.opened, &drawing.keys, false, &drawing.stacks, err);
	if (rc == 0) {
		draw(&drawing, out);
		rc = opened_end(out, err);
	}
	drawing_done(&drawing);
	return rc;
}

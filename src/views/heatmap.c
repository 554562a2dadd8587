/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/heatmap.h"

#include <errno.h>

#include "aggregate/trees/children.h"
#include "aggregate/trees/heat.h"
#include "aggregate/trees/prune.h"
#include "aggregate/trees/tree.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "load/pages.h"
#include "present/html/heatmap.h"

/* Beyond these limits the page is too large to mail and slow in a browser. With too many entries,
 * first columns get longer while there are many, then boxes get fewer, then columns get longer or
 * have fewer rows. */
enum {
	MAX_BOXES = 100000,
	FEWEST_BOXES = 3000,
	MAX_ENTRIES = 1500000,
	FEW_POINTS = 64, /* taken at once */
};

struct drawing {
	const struct heatmap_options *options;
	struct key_list keys, of_stacks;
	struct opened opened;
	struct table *stacks; /* the selection */
	struct places *places;
	struct tree *tree;
	struct prune prune;
	size_t boxes;	 /* at most */
	uint32_t *shown; /* by node: itself or, if it is hidden, the node that stands for it */
	uint32_t *shown_of_row; /* by row of stacks; TREE_NO_NODE: not in the tree */
	size_t row_count;
	bool is_odd; /* a sample has no row: the samples do not match the totals */
	struct heat heat;
	struct view view;
	uint64_t first_ns, last_ns; /* of samples, if the run has no times */
};

static void drawing_done(struct drawing *drawing)
{
	heat_done(&drawing->heat);
	if (drawing->shown)
		prune_done(&drawing->prune);
	free(drawing->shown);
	free(drawing->shown_of_row);
	tree_free(drawing->tree);
	places_free(drawing->places);
	table_free(drawing->stacks);
	opened_done(&drawing->opened);
}

static int parse(struct drawing *drawing, const struct heatmap_options *options, struct err *err)
{
	int rc = keys_parse(options->by ? options->by : "function", &drawing->keys, err);

	drawing->options = options;
	drawing->first_ns = UINT64_MAX;
	if (rc == 0)
		rc = children_check(&drawing->keys, err);
	if (rc == 0)
		rc = opened_name(&drawing->opened, &options->names, err);
	return rc < 0 ? rc : opened_choose(&drawing->opened, &options->selection, err);
}

int heatmap_check(const struct heatmap_options *options, struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	drawing_done(&drawing);
	return rc;
}

/* --- first pass: stacks --- */

static void take_stacks(void *context, const struct point *points, size_t count)
{
	struct drawing *drawing = context;

	for (size_t i = 0; i < count; i++) {
		if (points[i].time_ns < drawing->first_ns)
			drawing->first_ns = points[i].time_ns;
		if (points[i].time_ns > drawing->last_ns)
			drawing->last_ns = points[i].time_ns;
	}
	table_add_all(drawing->stacks, points, count);
}

/* True if the profile lacks the time of its start or end. */
static bool lacks_times(const struct drawing *drawing)
{
	const struct run_facts *run = &drawing->opened.profile->run;

	return !run->start_ns || !run->end_ns;
}

/* Hidden children of one node are a single node on the page: the first of them. */
static void find_shown(struct drawing *drawing)
{
	const struct tree_node *nodes = drawing->tree->nodes.items;
	const bool *hidden = drawing->prune.hidden;
	size_t count = drawing->tree->nodes.count;
	_cleanup_free_ uint32_t *first = xcalloc(count, sizeof(*first));

	for (size_t i = 0; i < count; i++) {
		uint32_t node = (uint32_t)i, parent = nodes[i].parent;

		if (!hidden[node]) {
			drawing->shown[node] = node;
		} else if (hidden[parent]) {
			drawing->shown[node] = drawing->shown[parent];
		} else {
			if (!first[parent])
				first[parent] = node;
			drawing->shown[node] = first[parent];
		}
	}
}

/* Call after every change of what is hidden. */
static void find_all_shown(struct drawing *drawing)
{
	find_shown(drawing);
	for (size_t i = 0; i < drawing->row_count; i++) {
		uint32_t node = drawing->tree->of_row[i];

		drawing->shown_of_row[i] =
			node == TREE_NO_NODE ? TREE_NO_NODE : drawing->shown[node];
	}
}

static void limit_boxes_first(struct drawing *drawing, size_t boxes)
{
	drawing->shown = xcalloc(drawing->tree->nodes.count, sizeof(*drawing->shown));
	drawing->row_count = drawing->stacks->rows.count;
	drawing->shown_of_row = xcalloc(drawing->row_count, sizeof(*drawing->shown_of_row));
	drawing->boxes = boxes;
	prune_make(drawing->tree, &(struct prune_limits){ .limit = boxes }, &drawing->prune);
	find_all_shown(drawing);
}

static void halve_boxes(struct drawing *drawing)
{
	drawing->boxes /= 2;
	prune_tighten(drawing->tree, drawing->boxes, &drawing->prune);
	find_all_shown(drawing);
}

static int collect_stacks(struct drawing *drawing, struct err *err)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);
	int rc;

	drawing->of_stacks = children_stack_keys(&drawing->keys);
	drawing->stacks = table_new(&drawing->opened.labels, &drawing->of_stacks);
	/* Exact times, not those of slices. */
	drawing->opened.slice_ns = 1;
	rc = opened_visit(&drawing->opened,
			  keys_use(&drawing->of_stacks) | (lacks_times(drawing) ? SAMPLE_TIME : 0),
			  take_stacks, drawing, err);
	if (rc < 0)
		return rc;
	drawing->places = places_new(&drawing->opened.labels, &of_frames);
	drawing->tree = tree_new(drawing->stacks, drawing->places,
				 table_main_event(drawing->stacks), TREE_FROM_ROOTS, NULL);
	limit_boxes_first(drawing,
			  drawing->options->max_boxes ? drawing->options->max_boxes : MAX_BOXES);
	return 0;
}

/* --- second pass: times of samples --- */

/* Takes one step towards fewer entries. False: none is left. */
static bool make_coarser(struct drawing *drawing)
{
	struct heat *heat = &drawing->heat;

	if (heat->columns >= 5 * HEAT_FEW_COLUMNS || drawing->boxes <= FEWEST_BOXES)
		return heat_lengthen(heat);
	halve_boxes(drawing);
	heat_map(heat, drawing->shown);
	return true;
}

static void make_room(struct drawing *drawing)
{
	heat_merge(&drawing->heat);
	while (drawing->heat.entries.count > MAX_ENTRIES && make_coarser(drawing))
		;
}

/* The rows and nodes are scattered in memory, so they are fetched for several points at a time. */
static void take_few_times(struct drawing *drawing, const struct point *points, size_t count)
{
	uint32_t rows[FEW_POINTS];

	table_find_all(drawing->stacks, points, count, rows);
	for (size_t i = 0; i < count; i++) {
		if (rows[i] >= drawing->row_count) {
			drawing->is_odd = true;
			return;
		}
		__builtin_prefetch(&drawing->shown_of_row[rows[i]]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct total *total = &points[i].total;
		uint32_t node = drawing->shown_of_row[rows[i]];

		if (total->event == drawing->tree->event && node != TREE_NO_NODE)
			heat_add(&drawing->heat, points[i].time_ns, node, total->samples,
				 total->weight);
	}
	if (drawing->heat.entries.count >= MAX_ENTRIES + MAX_ENTRIES / 2)
		make_room(drawing);
}

static void take_times(void *context, const struct point *points, size_t count)
{
	for (size_t i = 0; i < count; i += FEW_POINTS)
		take_few_times(context, points + i,
			       count - i < FEW_POINTS ? count - i : FEW_POINTS);
}

/* The selected span of time; else that of the recording. */
static void find_span(const struct drawing *drawing, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct opened_window *window = &drawing->opened.window;
	const struct run_facts *run = &drawing->opened.profile->run;

	*ret_from_ns = window->since_text ? window->from_ns : run->start_ns;
	*ret_to_ns = window->until_text ? window->to_ns : run->end_ns;
	/* The recording did not end properly, or has no times of its own. */
	if (*ret_to_ns <= drawing->last_ns)
		*ret_to_ns = drawing->last_ns + 1;
	if (!run->start_ns && !window->since_text)
		*ret_from_ns = drawing->first_ns;
}

static int collect_times(struct drawing *drawing, struct err *err)
{
	uint64_t column_ns = (uint64_t)(drawing->options->column_s * (double)NS_PER_S);
	uint64_t from_ns, to_ns;
	int rc;

	find_span(drawing, &from_ns, &to_ns);
	heat_init(&drawing->heat, from_ns, to_ns, column_ns, drawing->options->rows);
	/* Frees the totals, which may need much memory: from here on the samples suffice. */
	drawing->view = opened_view(&drawing->opened);
	vec_free(&drawing->opened.totals.rows);
	drawing->opened.selected = 0;
	rc = opened_visit(&drawing->opened, keys_use(&drawing->of_stacks) | SAMPLE_TIME, take_times,
			  drawing, err);
	if (rc == 0 && drawing->is_odd)
		rc = err_set(err, -EBADMSG,
			     "the profile is damaged: its totals lack some samples; 'prospect "
			     "recover FILE' saves what can be read");
	make_room(drawing);
	return rc;
}

static void draw(const struct drawing *drawing, FILE *out)
{
	uint64_t start_ns = drawing->opened.profile->run.start_ns;
	double origin_s = (double)(int64_t)(drawing->heat.origin_ns - start_ns) / (double)NS_PER_S;

	heatmap_print(&drawing->view,
		      &(struct flame){ .tree = drawing->tree,
				       .prune = &drawing->prune,
				       .title = pages_title(drawing->options->title,
							    drawing->opened.profile) },
		      &drawing->heat, start_ns ? origin_s : 0, out);
}

int heatmap_write(const char *path, const struct heatmap_options *options, FILE *out,
		  struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	if (rc == 0)
		rc = opened_load(&drawing.opened, path, err);
	if (rc == 0)
		rc = collect_stacks(&drawing, err);
	if (rc == 0)
		rc = collect_times(&drawing, err);
	if (rc == 0) {
		draw(&drawing, out);
		rc = opened_end(out, err);
	}
	drawing_done(&drawing);
	return rc;
}

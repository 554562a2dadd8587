/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/heatmap.h"

#include "aggregate/children.h"
#include "aggregate/heat.h"
#include "aggregate/prune.h"
#include "aggregate/tree.h"
#include "base/clock.h"
#include "pipeline/pages.h"
#include "present/heatmap.h"

/* With more boxes the page would be too large to mail, and a browser slow. */
enum { MAX_BOXES = 100000 };

struct drawing {
	const struct heatmap_options *options;
	struct key_list keys, of_stacks;
	struct opened opened;
	struct table *stacks; /* what was selected */
	struct places *places;
	struct tree *tree;
	struct prune prune;
	struct heat heat;
	uint64_t first_ns, last_ns; /* times of samples, where the profile lacks those of its run */
};

static void drawing_done(struct drawing *drawing)
{
	heat_done(&drawing->heat);
	if (drawing->tree)
		prune_done(&drawing->prune);
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

/* --- first the stacks there are --- */

static void take_stack(void *context, const struct point *point)
{
	struct drawing *drawing = context;

	if (point->time_ns < drawing->first_ns)
		drawing->first_ns = point->time_ns;
	if (point->time_ns > drawing->last_ns)
		drawing->last_ns = point->time_ns;
	table_add(drawing->stacks, point);
}

/* Does the profile itself not say when it began and ended? */
static bool lacks_times(const struct drawing *drawing)
{
	const struct run_facts *run = &drawing->opened.profile->run;

	return !run->start_ns || !run->end_ns;
}

static int collect_stacks(struct drawing *drawing, struct err *err)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);
	struct prune_limits limits = { .limit = drawing->options->max_boxes
							? drawing->options->max_boxes
							: MAX_BOXES };
	int rc;

	drawing->of_stacks = children_stack_keys(&drawing->keys);
	drawing->stacks = table_new(&drawing->opened.labels, &drawing->of_stacks);
	/* Times are wanted as they are, not by the slice. */
	drawing->opened.slice_ns = 1;
	rc = opened_visit(&drawing->opened,
			  keys_use(&drawing->of_stacks) | (lacks_times(drawing) ? SAMPLE_TIME : 0),
			  take_stack, drawing, err);
	if (rc < 0)
		return rc;
	drawing->places = places_new(&drawing->opened.labels, &of_frames);
	drawing->tree = tree_new(drawing->stacks, drawing->places,
				 table_main_event(drawing->stacks), TREE_FROM_ROOTS, NULL);
	prune_make(drawing->tree, &limits, &drawing->prune);
	return 0;
}

/* --- then all samples: when they were hit --- */

static void take_time(void *context, const struct point *point)
{
	struct drawing *drawing = context;
	uint64_t values[KEYS_MAX];
	const struct table_row *row;
	uint32_t node;

	if (point->total.event != drawing->tree->event)
		return;
	for (size_t i = 0; i < drawing->of_stacks.count; i++)
		values[i] = drawing->of_stacks.items[i]->value(&drawing->opened.labels, point);
	row = table_row(drawing->stacks, point->total.event, values);
	node = drawing->tree->of_row[row - drawing->stacks->rows.items];
	if (node != TREE_NO_NODE)
		heat_add(&drawing->heat, point->time_ns, node, point->total.samples,
			 point->total.weight);
}

/* From the start of what was asked for to the end of the recording. */
static void find_span(const struct drawing *drawing, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct opened_window *window = &drawing->opened.window;
	const struct run_facts *run = &drawing->opened.profile->run;

	*ret_from_ns = window->since_text ? window->from_ns : run->start_ns;
	*ret_to_ns = window->until_text ? window->to_ns : run->end_ns;
	/* Not ended properly, or without times of its own. */
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
	heat_init(&drawing->heat, from_ns, to_ns, column_ns, drawing->options->rows, 0);
	drawing->opened.selected = 0;
	rc = opened_visit(&drawing->opened, keys_use(&drawing->of_stacks) | SAMPLE_TIME, take_time,
			  drawing, err);
	heat_finish(&drawing->heat);
	return rc;
}

static void draw(const struct drawing *drawing, FILE *out)
{
	struct view view = opened_view(&drawing->opened);
	uint64_t start_ns = drawing->opened.profile->run.start_ns;
	double origin_s = (double)(int64_t)(drawing->heat.origin_ns - start_ns) / (double)NS_PER_S;

	heatmap_print(&view,
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>

#include "aggregate/trees/children.h"
#include "aggregate/trees/heat.h"
#include "aggregate/trees/lanes.h"
#include "aggregate/trees/prune.h"
#include "aggregate/trees/tree.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "load/output.h"
#include "present/html/page.h"

/* Beyond these limits the page is too large to mail and slow in a browser. With too many entries,
 * first columns get longer while there are many, then boxes get fewer, then columns get longer or
 * have fewer rows. */
enum {
	MAX_BOXES = 200000, /* of an event */
	FEWEST_BOXES = 3000,
	MAX_ENTRIES = 1500000, /* of all events */
	MAX_PIECES = 10000000, /* of waits, in columns of one length */
	FEW_POINTS = 64,       /* taken at once */
};

/* What is drawn of an event. */
struct part {
	struct tree *tree;
	struct prune prune;
	size_t boxes;		/* at most */
	uint32_t *shown;	/* by node: itself or, if it is hidden, what stands for it */
	uint32_t *shown_of_row; /* by row of stacks; TREE_NO_NODE: not in the tree */
	enum clock_kind clock;
	struct heat heat;
	size_t pieces; /* that waits were cut into since the columns became longer */
	struct completeness completeness;
};

struct drawing {
	const struct page_options *options;
	struct key_list keys, of_stacks;
	struct opened opened;
	struct table *stacks; /* the selection */
	struct places *places;
	struct part parts[PROFILE_MAX_EVENTS];
	size_t part_count;
	struct part *of_event[PROFILE_MAX_EVENTS]; /* NULL: has no samples */
	struct lanes lanes;
	size_t row_count;
	bool is_odd; /* a sample has no row: the samples do not match the totals */
	struct view view;
	uint64_t first_ns, last_ns; /* of samples; last_ns 0: they have no times */
};

static void part_done(struct part *part)
{
	heat_done(&part->heat);
	completeness_done(&part->completeness);
	prune_done(&part->prune);
	free(part->shown);
	free(part->shown_of_row);
	tree_free(part->tree);
}

static void drawing_done(struct drawing *drawing)
{
	for (size_t i = 0; i < drawing->part_count; i++)
		part_done(&drawing->parts[i]);
	lanes_done(&drawing->lanes);
	places_free(drawing->places);
	table_free(drawing->stacks);
	opened_done(&drawing->opened);
}

static int parse(struct drawing *drawing, const struct page_options *options, struct err *err)
{
	int rc = keys_parse(options->by ? options->by : PAGE_KEYS, &drawing->keys, err);

	drawing->options = options;
	drawing->first_ns = UINT64_MAX;
	if (rc == 0)
		rc = children_check(&drawing->keys, err);
	if (rc == 0)
		rc = opened_name(&drawing->opened, &options->names, err);
	return rc < 0 ? rc
		      : opened_choose(&drawing->opened, &options->selection, SCOPE_COMMAND, err);
}

int page_check(const struct page_options *options, struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	drawing_done(&drawing);
	return rc;
}

/* --- first pass: stacks --- */

/* True if the profile lacks the time of its start or end. */
static bool lacks_times(const struct drawing *drawing)
{
	return !drawing->opened.profile->run.start_ns || !drawing->opened.profile->run.end_ns;
}

static void take_stacks(void *context, const struct point *points, size_t count)
{
	struct drawing *drawing = context;

	for (size_t i = 0; i < count; i++) {
		lanes_add(&drawing->lanes, points[i].total.task, points[i].total.samples);
		if (!lacks_times(drawing))
			continue;
		if (points[i].time_ns < drawing->first_ns)
			drawing->first_ns = points[i].time_ns;
		if (points[i].time_ns > drawing->last_ns)
			drawing->last_ns = points[i].time_ns;
	}
	table_add_all(drawing->stacks, points, count);
}

/* Hidden children of one node are a single node on the page: the first of them. */
static void find_shown(struct part *part)
{
	const struct tree_node *nodes = part->tree->nodes.items;
	const bool *hidden = part->prune.hidden;
	size_t count = part->tree->nodes.count;
	_cleanup_free_ uint32_t *first = xcalloc(count, sizeof(*first));

	for (size_t i = 0; i < count; i++) {
		uint32_t node = (uint32_t)i, parent = nodes[i].parent;

		if (!hidden[node]) {
			part->shown[node] = node;
		} else if (hidden[parent]) {
			part->shown[node] = part->shown[parent];
		} else {
			if (!first[parent])
				first[parent] = node;
			part->shown[node] = first[parent];
		}
	}
}

/* Call after every change of what is hidden. */
static void find_all_shown(struct part *part)
{
	size_t rows = part->tree->stacks->rows.count;

	find_shown(part);
	for (size_t i = 0; i < rows; i++) {
		uint32_t node = part->tree->of_row[i];

		part->shown_of_row[i] = node == TREE_NO_NODE ? TREE_NO_NODE : part->shown[node];
	}
}

static void limit_boxes_first(const struct drawing *drawing, struct part *part)
{
	const struct page_options *options = drawing->options;

	part->boxes = options->max_boxes ? (size_t)options->max_boxes : MAX_BOXES;
	part->shown = xcalloc(part->tree->nodes.count, sizeof(*part->shown));
	part->shown_of_row = xcalloc(drawing->stacks->rows.count, sizeof(*part->shown_of_row));
	prune_make(part->tree,
		   &(struct prune_limits){ .threshold = options->threshold, .limit = part->boxes },
		   &part->prune);
	find_all_shown(part);
}

static void halve_boxes(struct part *part)
{
	part->boxes /= 2;
	prune_tighten(part->tree, part->boxes, &part->prune);
	find_all_shown(part);
}

/* A tree for each event that was sampled, and if none was, for the main one. */
static void make_parts(struct drawing *drawing)
{
	struct key_list of_frames = children_frame_keys(&drawing->keys);
	uint8_t main_event = table_main_event(drawing->stacks);

	drawing->row_count = drawing->stacks->rows.count;
	drawing->places = places_new(&drawing->opened.labels, &of_frames);
	for (unsigned event = 0; event < PROFILE_MAX_EVENTS; event++) {
		struct part *part = &drawing->parts[drawing->part_count];

		if (!drawing->stacks->sums[event].samples && event != main_event)
			continue;
		part->tree =
			tree_new(drawing->stacks, drawing->places, event, TREE_FROM_ROOTS, NULL);
		limit_boxes_first(drawing, part);
		completeness_make(drawing->opened.profile, drawing->opened.totals.rows.items,
				  drawing->opened.in_scope, event, &part->completeness);
		part->clock = drawing->opened.profile->events[event].clock;
		drawing->of_event[event] = part;
		drawing->part_count++;
	}
}

static int collect_stacks(struct drawing *drawing, struct err *err)
{
	int rc;

	drawing->of_stacks = children_stack_keys(&drawing->keys);
	drawing->stacks = table_new(&drawing->opened.labels, &drawing->of_stacks);
	lanes_init(&drawing->lanes, drawing->opened.profile->tasks.count);
	rc = opened_visit_slices(&drawing->opened,
				 keys_use(&drawing->of_stacks) | SAMPLE_TASK |
					 (lacks_times(drawing) ? SAMPLE_TIME : 0),
				 OPENED_EXACT, take_stacks, drawing, err);
	if (rc == 0)
		rc = opened_check_command(&drawing->opened, "draw", err);
	if (rc < 0)
		return rc;
	lanes_choose(&drawing->lanes);
	make_parts(drawing);
	return 0;
}

/* --- second pass: times of samples --- */

static bool has_times(const struct drawing *drawing)
{
	return !lacks_times(drawing) || drawing->last_ns;
}

static size_t max_entries(const struct drawing *drawing)
{
	return MAX_ENTRIES / drawing->part_count;
}

/* Takes one step towards fewer entries. False: none is left. Fewer boxes are of no use where each of
 * them fills many buckets. */
static bool make_coarser(struct part *part)
{
	struct heat *heat = &part->heat;

	if (heat->columns >= 5 * HEAT_FEW_COLUMNS || part->boxes <= FEWEST_BOXES ||
	    part->clock == CLOCK_SCHEDULER)
		return heat_lengthen(heat);
	halve_boxes(part);
	heat_map(heat, part->shown);
	return true;
}

static void make_room(const struct drawing *drawing, struct part *part)
{
	heat_merge(&part->heat);
	while (part->heat.entries.count > max_entries(drawing) && make_coarser(part))
		;
}

/* A wait weighs as much as it lasted. */
static void add_wait(struct part *part, uint8_t lane, uint32_t node, const struct point *point)
{
	part->pieces += heat_add_lasting(&part->heat, point->time_ns, lane, node,
					 point->total.samples, point->total.weight);
	if (part->pieces < MAX_PIECES)
		return;
	heat_lengthen(&part->heat);
	part->pieces = 0;
}

static void add_time(const struct drawing *drawing, struct part *part, uint32_t row,
		     const struct point *point)
{
	uint32_t node = part->shown_of_row[row];
	uint8_t lane = drawing->lanes.of_task[point->total.task];

	if (node == TREE_NO_NODE)
		return;
	if (part->clock == CLOCK_SCHEDULER)
		add_wait(part, lane, node, point);
	else
		heat_add(&part->heat, point->time_ns, lane, node, point->total.samples,
			 point->total.weight);
	if (part->heat.entries.count >= max_entries(drawing) / 2 * 3)
		make_room(drawing, part);
}

/* The rows and nodes are scattered in memory, so they are fetched for several points at a time. */
static void take_few_times(struct drawing *drawing, const struct point *points, size_t count)
{
	uint32_t rows[FEW_POINTS];

	table_find_all(drawing->stacks, points, count, rows);
	for (size_t i = 0; i < count; i++) {
		const struct part *part = drawing->of_event[points[i].total.event];

		if (rows[i] >= drawing->row_count || !part) {
			drawing->is_odd = true;
			return;
		}
		__builtin_prefetch(&part->shown_of_row[rows[i]]);
	}
	for (size_t i = 0; i < count; i++)
		add_time(drawing, drawing->of_event[points[i].total.event], rows[i], &points[i]);
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
	const struct selection_window *window = &drawing->opened.window;
	const struct run_facts *run = &drawing->opened.profile->run;

	*ret_from_ns = window->since_text ? window->from_ns : run->start_ns;
	*ret_to_ns = window->until_text ? window->to_ns : run->end_ns;
	/* The recording did not end properly, or has no times of its own. */
	if (*ret_to_ns <= drawing->last_ns)
		*ret_to_ns = drawing->last_ns + 1;
	if (!run->start_ns && !window->since_text)
		*ret_from_ns = drawing->first_ns;
}

static int refuse_damaged(struct err *err)
{
	return err_set(err, -EBADMSG,
		       "the profile is damaged: its totals lack some samples; 'prospect recover "
		       "FILE' saves what can be read");
}

/* Samples of one bucket may come as one, but not waits, which lie in several. */
static struct sample_slices slices_of(const struct drawing *drawing)
{
	const struct heat *heat = &drawing->parts[0].heat;

	for (size_t i = 0; i < drawing->part_count; i++) {
		if (drawing->parts[i].clock == CLOCK_SCHEDULER)
			return OPENED_EXACT;
	}
	return (struct sample_slices){ heat->origin_ns, heat->bucket_ns };
}

static int collect_times(struct drawing *drawing, struct err *err)
{
	uint64_t column_ns = (uint64_t)(drawing->options->column_s * (double)NS_PER_S);
	uint64_t from_ns, to_ns;
	int rc;

	find_span(drawing, &from_ns, &to_ns);
	for (size_t i = 0; i < drawing->part_count; i++)
		heat_init(&drawing->parts[i].heat, from_ns, to_ns, column_ns,
			  (uint32_t)drawing->options->rows);
	/* Frees the totals, which may need much memory: from here on the samples suffice. */
	drawing->view.others = NULL;
	drawing->view.other_count = 0;
	opened_forget_samples(&drawing->opened);
	drawing->opened.selected = 0;
	rc = opened_visit_slices(&drawing->opened,
				 keys_use(&drawing->of_stacks) | SAMPLE_TIME | SAMPLE_TASK,
				 slices_of(drawing), take_times, drawing, err);
	if (rc == 0 && drawing->is_odd)
		rc = refuse_damaged(err);
	for (size_t i = 0; i < drawing->part_count; i++)
		make_room(drawing, &drawing->parts[i]);
	return rc;
}

/* --- the page --- */

static void draw(const struct drawing *drawing, FILE *out)
{
	uint64_t start_ns = drawing->opened.profile->run.start_ns;
	bool timed = has_times(drawing);
	struct page_event events[PROFILE_MAX_EVENTS];
	const struct part *first = drawing->of_event[table_main_event(drawing->stacks)];
	uint64_t origin_ns = drawing->parts[0].heat.origin_ns;

	for (size_t i = 0; i < drawing->part_count; i++) {
		const struct part *part = &drawing->parts[i];

		events[i] = (struct page_event){ .tree = part->tree,
						 .prune = &part->prune,
						 .heat = timed && part->clock != CLOCK_EXACT
								 ? &part->heat
								 : NULL,
						 .completeness = &part->completeness };
	}
	page_print(&drawing->view,
		   &(struct page){
			   .events = events,
			   .event_count = drawing->part_count,
			   .first = (size_t)(first - drawing->parts),
			   .lanes = &drawing->lanes,
			   .origin_s = start_ns ? (double)(int64_t)(origin_ns - start_ns) /
							  (double)NS_PER_S
						: 0,
			   .title = output_title(drawing->options->title, drawing->opened.profile),
			   .view = drawing->options->view,
			   .inverted = drawing->options->inverted },
		   out);
}

/* What cannot be had is an error only if it is what was asked for. */
static int add_times(struct drawing *drawing, struct err *err)
{
	if (has_times(drawing))
		return collect_times(drawing, err);
	if (drawing->options->view != PAGE_HEAT)
		return 0;
	return err_set(
		err, -ENODATA,
		"the samples of this profile have no times: use 'prospect flame' to draw its "
		"stacks");
}

int page_write(const char *path, const struct page_options *options, FILE *out, struct err *err)
{
	struct drawing drawing = { 0 };
	int rc = parse(&drawing, options, err);

	if (rc == 0)
		rc = opened_load(&drawing.opened, path, err);
	drawing.opened.labels.by_start = true;
	if (rc == 0)
		rc = collect_stacks(&drawing, err);
	if (rc == 0) {
		drawing.view = opened_view(&drawing.opened);
		rc = add_times(&drawing, err);
	}
	if (rc == 0) {
		draw(&drawing, out);
		rc = output_end(out, err);
	}
	drawing_done(&drawing);
	return rc;
}

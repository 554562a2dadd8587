/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/page.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/tree.h"
#include "base/json_add.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/html/page_data.h"
#include "present/html/page_heat.h"
#include "present/text/report_head.h"

enum { NO_NUMBER = UINT32_MAX };

struct maker {
	const struct view *view;
	const struct page *page;
	const struct profile *profile;
	uint32_t *name_numbers;	 /* by place; NO_NUMBER: not used yet */
	uint32_t *image_numbers; /* by image; likewise */
	struct page_names names;
	struct buf text; /* scratch */
};

/* The nodes of one event. */
struct numbers {
	uint32_t *depth;	     /* by node */
	uint32_t *of_node, *of_rest; /* numbers in the columns, of a node and of its rest */
};

static int64_t image_number(struct maker *maker, uint32_t image)
{
	uint32_t *number = &maker->image_numbers[image];
	const struct image *row = &maker->profile->images.items[image];

	if (!image)
		return PAGE_SEVERAL;
	if (*number == NO_NUMBER)
		*number = page_names_image(&maker->names, profile_text(maker->profile, row->path),
					   row->kind);
	return *number;
}

/* Number of the node's name, assigned on first use. */
static uint32_t name_number(struct maker *maker, const struct tree *tree, uint32_t node)
{
	uint32_t place = tree->nodes.items[node].place;
	bool group = tree_is_group(tree, node);

	if (!group && maker->name_numbers[place] != NO_NUMBER)
		return maker->name_numbers[place];
	buf_clear(&maker->text);
	tree_text(tree, node, &maker->text);
	if (group)
		return page_names_add(&maker->names, buf_text(&maker->text), PAGE_GROUP);
	maker->name_numbers[place] =
		page_names_add(&maker->names, buf_text(&maker->text),
			       image_number(maker, places_image(tree->places, place)));
	return maker->name_numbers[place];
}

/* ---- the tree of an event ---- */

/* The node for what is hidden below @node directly follows it. */
static void add_rest(struct maker *maker, const struct page_event *event, struct numbers *numbers,
		     uint32_t node, struct page_tree *data)
{
	const struct prune_rest *rest = &event->prune->rest[node];

	if (!rest->nodes)
		return;
	page_tree_node(data, numbers->depth[node] + 1, page_names_rest(&maker->names), &rest->hits,
		       NULL);
	numbers->of_rest[node] = data->node_count;
}

static void add_nodes(struct maker *maker, const struct page_event *event, struct numbers *numbers,
		      struct page_tree *data)
{
	const struct tree_node *nodes = event->tree->nodes.items;
	size_t count;
	uint32_t *order = tree_order(event->tree, event->prune->hidden, &count);

	add_rest(maker, event, numbers, 0, data);
	for (size_t i = 1; i < count; i++) {
		uint32_t node = order[i];

		numbers->depth[node] = numbers->depth[nodes[node].parent] + 1;
		page_tree_node(data, numbers->depth[node], name_number(maker, event->tree, node),
			       &nodes[node].self, NULL);
		numbers->of_node[node] = data->node_count;
		add_rest(maker, event, numbers, node, data);
	}
	free(order);
}

/* A hidden node has the number of the node that replaces it. */
static void number_hidden(const struct page_event *event, struct numbers *numbers)
{
	const bool *hidden = event->prune->hidden;

	for (size_t node = 1; node < event->tree->nodes.count; node++) {
		uint32_t parent = event->tree->nodes.items[node].parent;

		if (hidden[node])
			numbers->of_node[node] = hidden[parent] ? numbers->of_node[parent]
								: numbers->of_rest[parent];
	}
}

/* One line with what a reader must know first. */
static void add_facts(const struct maker *maker, const struct page_event *drawn, struct buf *text)
{
	const struct tree *tree = drawn->tree;
	const struct event *event = &maker->profile->events[tree->event];
	const struct completeness *known = drawn->completeness;

	figures_count(text, tree->stacks->sums[tree->event].samples);
	buf_printf(text, " samples of %s", profile_text(maker->profile, event->name));
	buf_add_str(text, scope_words(maker->profile, maker->view->scope));
	if (maker->view->selection)
		buf_printf(text, ", selected by %s", maker->view->selection);
	buf_add_str(text, "; lost ");
	figures_count(text, account_lost_samples(event));
	if (known->recorded && known->whole.samples)
		buf_printf(text, "; %.2f %% of the stacks are complete",
			   completeness_percent(known, STACK_COMPLETE));
	else if (!known->recorded)
		buf_add_str(text, "; no stacks were recorded: only innermost functions are shown");
	if (tree->is_short)
		buf_printf(text, "; only the first %d nodes are shown", TREE_MAX_NODES);
}

static void add_event(struct maker *maker, const struct page_event *event, struct buf *json)
{
	const struct event *row = &maker->profile->events[event->tree->event];
	size_t count = event->tree->nodes.count;
	struct numbers numbers = { .depth = xcalloc(count, sizeof(uint32_t)),
				   .of_node = xcalloc(count, sizeof(uint32_t)),
				   .of_rest = xcalloc(count, sizeof(uint32_t)) };
	struct page_tree data = { .node_count = 0 };

	add_nodes(maker, event, &numbers, &data);
	number_hidden(event, &numbers);
	buf_clear(&maker->text);
	add_facts(maker, event, &maker->text);
	json_add_line(json);
	json_add_begin(json, NULL, '{');
	page_data_text(json, "name", profile_text(maker->profile, row->name));
	page_data_text(json, "unit", profile_text(maker->profile, row->unit));
	json_add_text(json, "clock", clock_kind_name(row->clock));
	page_data_text(json, "facts", buf_text(&maker->text));
	page_tree_end(&data, json);
	if (event->heat)
		page_heat_add(event->heat, maker->page->origin_s, numbers.of_node, json);
	json_add_end(json, '}');
	free(numbers.depth);
	free(numbers.of_node);
	free(numbers.of_rest);
}

/* ---- threads ---- */

/* Each with the text of its process and its own name and number; the first is for all others. */
static void add_lanes(struct maker *maker, struct buf *json)
{
	const struct lanes *lanes = maker->page->lanes;
	const struct profile *profile = maker->profile;

	json_add_line(json);
	json_add_begin(json, "lanes", '[');
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		const struct task *task = &profile->tasks.items[lanes->tasks.items[i]];
		const struct process *process = &profile->processes.items[task->process];

		json_add_begin(json, NULL, '{');
		if (i) {
			page_data_text(json, "program", profile_text(profile, process->program));
			page_data_text(json, "name", profile_text(profile, task->comm));
			buf_printf(json, ",\"pid\":%d,\"tid\":%d", process->pid, task->tid);
		}
		json_add_end(json, '}');
	}
	json_add_end(json, ']');
}

/* ---- the page ---- */

static uint32_t *no_numbers(size_t count)
{
	uint32_t *numbers = xcalloc(count, sizeof(*numbers));

	memset(numbers, 0xff, count * sizeof(*numbers));
	return numbers;
}

static const char *view_name(enum page_view view)
{
	return view == PAGE_HEAT ? "heat" : "flame";
}

static void add_json(struct maker *maker, struct buf *json)
{
	const struct page *page = maker->page;
	_cleanup_free_ char *head = report_head_text(maker->view);

	page_data_begin(json, page->title, view_name(page->view), page->inverted, head);
	json_add_number(json, "event", page->first);
	json_add_begin(json, "events", '[');
	for (size_t i = 0; i < page->event_count; i++)
		add_event(maker, &page->events[i], json);
	json_add_end(json, ']');
	add_lanes(maker, json);
	page_names_end(&maker->names, json);
}

void page_print(const struct view *view, const struct page *page, FILE *out)
{
	const struct profile *profile = view->labels->profile;
	const struct places *places = page->events[0].tree->places;
	struct maker maker = { .view = view,
			       .page = page,
			       .profile = profile,
			       .name_numbers = no_numbers(places->rows.count),
			       .image_numbers = no_numbers(profile->images.count) };
	struct buf json = { 0 };

	add_json(&maker, &json);
	page_data_print(&json, out);
	buf_done(&maker.text);
	free(maker.name_numbers);
	free(maker.image_numbers);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/flame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/trees/tree_order.h"
#include "base/xalloc.h"
#include "present/figures.h"
#include "present/html/flame_data.h"
#include "present/html/flame_page.h"
#include "present/safe.h"
#include "present/text/trust.h"

static const char rest_name[] = "(smaller branches)";

enum { NO_NUMBER = UINT32_MAX };

struct maker {
	const struct view *view;
	const struct flame *flame;
	const struct profile *profile;
	uint32_t *name_numbers;	 /* by place; NO_NUMBER: not used yet */
	uint32_t *image_numbers; /* by image; likewise */
	uint32_t rest_number;	 /* of rest_name; likewise */
	uint32_t name_count, image_count;
	struct buf names, images, image_of;   /* contents of the JSON arrays of these names */
	struct buf rise, name, self, samples; /* columns */
	uint32_t *depth;		      /* by node */
	uint32_t *of_node, *of_rest; /* numbers in the columns, of a node and of its rest */
	uint32_t last_depth;
	uint64_t node_count;
	struct buf text; /* scratch */
};

static int64_t image_number(struct maker *maker, uint32_t image)
{
	uint32_t *number = &maker->image_numbers[image];
	const struct image *row = &maker->profile->images.items[image];

	if (!image)
		return -1;
	if (*number == NO_NUMBER) {
		*number = maker->image_count++;
		flame_data_separate(&maker->images);
		flame_data_image(&maker->images, profile_text(maker->profile, row->path),
				 row->kind);
	}
	return *number;
}

static uint32_t new_name(struct maker *maker, const char *text, uint32_t image)
{
	flame_data_separate(&maker->names);
	flame_data_string(&maker->names, text);
	flame_data_separate(&maker->image_of);
	buf_printf(&maker->image_of, "%" PRId64, image_number(maker, image));
	return maker->name_count++;
}

/* Number of the node's name, assigned on first use. */
static uint32_t name_number(struct maker *maker, uint32_t node)
{
	const struct tree *tree = maker->flame->tree;
	uint32_t place = tree->nodes.items[node].place;
	bool group = tree_is_group(tree, node);

	if (!group && maker->name_numbers[place] != NO_NUMBER)
		return maker->name_numbers[place];
	buf_clear(&maker->text);
	tree_text(tree, node, &maker->text);
	if (group)
		return new_name(maker, buf_text(&maker->text), 0);
	maker->name_numbers[place] =
		new_name(maker, buf_text(&maker->text), places_image(tree->places, place));
	return maker->name_numbers[place];
}

static void add_node(struct maker *maker, uint32_t depth, uint32_t name, const struct hits *self)
{
	buf_add_uleb(&maker->rise, maker->last_depth + 1 - depth);
	buf_add_uleb(&maker->name, name);
	buf_add_uleb(&maker->self, self->weight);
	buf_add_uleb(&maker->samples, self->samples);
	maker->last_depth = depth;
	maker->node_count++;
}

/* The node for what is hidden below @node directly follows it. */
static void add_rest(struct maker *maker, uint32_t node)
{
	const struct prune_rest *rest = &maker->flame->prune->rest[node];

	if (!rest->nodes)
		return;
	if (maker->rest_number == NO_NUMBER)
		maker->rest_number = new_name(maker, rest_name, 0);
	add_node(maker, maker->depth[node] + 1, maker->rest_number, &rest->hits);
	maker->of_rest[node] = (uint32_t)maker->node_count;
}

static void add_nodes(struct maker *maker)
{
	const struct tree *tree = maker->flame->tree;
	size_t count;
	uint32_t *order = tree_order(tree, maker->flame->prune->hidden, &count);

	add_rest(maker, 0);
	for (size_t i = 1; i < count; i++) {
		uint32_t node = order[i];

		maker->depth[node] = maker->depth[tree->nodes.items[node].parent] + 1;
		add_node(maker, maker->depth[node], name_number(maker, node),
			 &tree->nodes.items[node].self);
		maker->of_node[node] = (uint32_t)maker->node_count;
		add_rest(maker, node);
	}
	free(order);
}

/* A hidden node has the number of the node that replaces it. */
static void number_hidden(struct maker *maker)
{
	const struct tree *tree = maker->flame->tree;
	const bool *hidden = maker->flame->prune->hidden;

	for (size_t node = 1; node < tree->nodes.count; node++) {
		uint32_t parent = tree->nodes.items[node].parent;

		if (hidden[node])
			maker->of_node[node] =
				hidden[parent] ? maker->of_node[parent] : maker->of_rest[parent];
	}
}

/* One line with what a reader must know first. */
static void add_facts(const struct maker *maker, struct buf *json)
{
	const struct tree *tree = maker->flame->tree;
	const struct event *event = &maker->profile->events[tree->event];
	const struct completeness *known = maker->view->completeness;
	struct buf text = { 0 };

	figures_count(&text, tree->stacks->sums[tree->event].samples);
	buf_printf(&text, " samples of %s", profile_text(maker->profile, event->name));
	if (maker->view->selection)
		buf_printf(&text, ", selected by %s", maker->view->selection);
	buf_add_str(&text, "; lost ");
	figures_count(&text, account_lost_samples(event));
	if (known && known->recorded && known->whole.samples)
		buf_printf(&text, "; %.2f %% of the stacks are complete",
			   completeness_percent(known, STACK_COMPLETE));
	else if (!known || !known->recorded)
		buf_add_str(&text, "; no stacks were recorded: only innermost functions are shown");
	if (tree->is_short)
		buf_printf(&text, "; only the first %d nodes are shown", TREE_MAX_NODES);
	flame_data_string(json, buf_text(&text));
	buf_done(&text);
}

/* The head of a report, which is already safe and has several lines. */
static void add_head(const struct maker *maker, struct buf *json)
{
	struct view view = *maker->view;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	view.level = VIEW_COMMAND;
	if (stream) {
		trust_print(&view, stream);
		fclose(stream);
	}
	safe_json(json, text ? text : "");
	free(text);
}

static void add_meta(const struct maker *maker, struct buf *json)
{
	const struct event *event = &maker->profile->events[maker->flame->tree->event];

	buf_add_str(json, "{\"version\":1,\"title\":");
	flame_data_string(json, maker->flame->title);
	buf_add_str(json, ",\"unit\":");
	flame_data_string(json, profile_text(maker->profile, event->unit));
	buf_printf(json, ",\"inverted\":%s,\"facts\":", maker->flame->inverted ? "true" : "false");
	add_facts(maker, json);
	buf_add_str(json, ",\"head\":");
	add_head(maker, json);
	buf_add_str(json, ",\"cuts\":{");
	flame_data_cuts(json);
	buf_add_char(json, '}');
}

static void add_json(const struct maker *maker, struct buf *json)
{
	add_meta(maker, json);
	buf_printf(json, ",\n\"names\":[%s],\n\"images\":[%s],\n\"image_of\":[%s],\n",
		   buf_text(&maker->names), buf_text(&maker->images), buf_text(&maker->image_of));
	buf_printf(json, "\"nodes\":%" PRIu64 ",\"columns\":{", maker->node_count);
	flame_data_column(json, "rise", &maker->rise);
	buf_add_str(json, ",\n");
	flame_data_column(json, "name", &maker->name);
	buf_add_str(json, ",\n");
	flame_data_column(json, "self", &maker->self);
	buf_add_str(json, ",\n");
	flame_data_column(json, "samples", &maker->samples);
	buf_add_char(json, '}');
	if (maker->flame->more)
		maker->flame->more(maker->flame->more_context, maker->of_node, json);
	buf_add_char(json, '}');
}

static uint32_t *no_numbers(size_t count)
{
	uint32_t *numbers = xcalloc(count, sizeof(*numbers));

	memset(numbers, 0xff, count * sizeof(*numbers));
	return numbers;
}

static void maker_done(struct maker *maker)
{
	struct buf *bufs[] = { &maker->names, &maker->images, &maker->image_of, &maker->rise,
			       &maker->name,  &maker->self,   &maker->samples,	&maker->text };

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		buf_done(bufs[i]);
	free(maker->name_numbers);
	free(maker->image_numbers);
	free(maker->depth);
	free(maker->of_node);
	free(maker->of_rest);
}

void flame_print(const struct view *view, const struct flame *flame, FILE *out)
{
	const struct tree *tree = flame->tree;
	const struct profile *profile = view->labels->profile;
	struct maker maker = { .view = view,
			       .flame = flame,
			       .profile = profile,
			       .name_numbers = no_numbers(tree->places->rows.count),
			       .image_numbers = no_numbers(profile->images.count),
			       .rest_number = NO_NUMBER,
			       .depth = xcalloc(tree->nodes.count, sizeof(uint32_t)),
			       .of_node = xcalloc(tree->nodes.count, sizeof(uint32_t)),
			       .of_rest = xcalloc(tree->nodes.count, sizeof(uint32_t)) };
	struct buf json = { 0 };

	add_nodes(&maker);
	number_hidden(&maker);
	add_json(&maker, &json);
	flame_data_print_page(flame->page ? flame->page : flame_page, &json, out);
	buf_done(&json);
	maker_done(&maker);
}

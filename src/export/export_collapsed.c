/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FlameGraph's input (stackcollapse-perf.pl): "root;caller;function COUNT", one line for each
 * stack, with its marks after names: _[k] kernel, _[i] inlined, _[j] JIT code. The root is the
 * thread as with its --tid: COMM-PID/TID. Names are escaped (base/text.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "export/formats.h"

enum { MARK_LENGTH = 4 }; /* of "_[k]" */

/* Stacks with the same texts are one node. */
struct text_node {
	uint32_t parent; /* such a node; 0: the root */
	str_id text;	 /* of a frame with what was inlined in it, root first */
};

struct line {
	str_id root;
	uint32_t node;
	uint64_t value;
};

struct collapsed {
	const struct export_data *data;
	struct strpool texts;
	str_id *frames;	 /* by frame; 0: not made yet */
	uint32_t *nodes; /* by stack: its text_node; 0: not made yet */
	VEC(struct text_node) tree;
	struct hashidx index; /* of tree */
	VEC(struct line) lines;
	struct buf text, part;
};

/* ---- names ---- */

/* A name that ends like a mark must not be taken for one, nor the first of a line for a comment. */
static void add_name(struct buf *buf, const char *name)
{
	size_t length = strlen(name);
	const char *end = name + length - (length >= MARK_LENGTH ? MARK_LENGTH : 0);
	bool like_mark = strncmp(end, "_[", 2) == 0 && end[3] == ']';

	if (*name == '#')
		buf_add_str(buf, "\\x23");
	text_escape(buf, name + (*name == '#'), ";");
	if (!like_mark || strchr(";\\", end[2]))
		return;
	buf->size -= MARK_LENGTH;
	buf_printf(buf, "\\x5f[%c]", end[2]);
}

static const char *mark_of(const struct image *image, bool is_inlined)
{
	if (is_inlined)
		return "_[i]";
	if (image_kind_is_kernel(image->kind))
		return "_[k]";
	return image->kind == IMAGE_ANON ? "_[j]" : "";
}

static str_id frame_text(struct collapsed *collapsed, uint32_t frame)
{
	const struct export_code *code = collapsed->data->code;
	const struct image *image = export_image_of(collapsed->data, frame);
	const struct export_level *levels;
	size_t count;

	if (collapsed->frames[frame])
		return collapsed->frames[frame];
	buf_clear(&collapsed->text);
	levels = export_code_levels(code, frame, &count);
	for (size_t i = count; i-- > 0;) {
		add_name(&collapsed->text, export_code_name(code, levels[i].function));
		buf_add_str(&collapsed->text, mark_of(image, i + 1 < count));
		buf_add_str(&collapsed->text, i ? ";" : "");
	}
	collapsed->frames[frame] = strpool_intern(&collapsed->texts, buf_text(&collapsed->text));
	return collapsed->frames[frame];
}

static void add_thread(struct collapsed *collapsed, const struct task *task)
{
	const struct profile *profile = collapsed->data->profile;

	const char *comm = profile_text(profile, task->comm);

	add_name(&collapsed->text, *comm ? comm : "[unknown]");
	buf_printf(&collapsed->text, "-%" PRId32 "/%" PRId32,
		   profile->processes.items[task->process].pid, task->tid);
}

static str_id root_text(struct collapsed *collapsed, const struct total *row)
{
	const struct export_data *data = collapsed->data;
	const struct point point = { .total = *row };

	buf_clear(&collapsed->text);
	if (data->by_thread)
		add_thread(collapsed, &data->profile->tasks.items[row->task]);
	for (size_t i = 0; i < data->by.count; i++) {
		const struct key *key = data->by.items[i];

		buf_clear(&collapsed->part);
		key->text(data->labels, keys_value(key, data->labels, &point), &collapsed->part);
		buf_add_str(&collapsed->text, i ? ";" : "");
		add_name(&collapsed->text, buf_text(&collapsed->part));
	}
	return strpool_intern(&collapsed->texts, buf_text(&collapsed->text));
}

/* ---- stacks ---- */

DEFINE_EQUAL(same_node, struct collapsed, tree.items, struct text_node,
	     a->parent == b->parent && a->text == b->text)

static uint32_t child(struct collapsed *collapsed, uint32_t parent, str_id text)
{
	const struct text_node key = { parent, text };
	uint64_t hash = hash_combine(hash_u64(parent), text);
	uint32_t id;

	if (hashidx_find(&collapsed->index, hash, same_node, collapsed, &key, &id))
		return id;
	id = (uint32_t)collapsed->tree.count;
	*vec_push(&collapsed->tree) = key;
	hashidx_add(&collapsed->index, hash, id);
	return id;
}

static uint32_t node_of(struct collapsed *collapsed, uint32_t stack, struct export_frames *path)
{
	const struct stack_node *stacks = collapsed->data->profile->stacks.items;
	uint32_t node;

	path->list.count = 0;
	for (; stack && !collapsed->nodes[stack]; stack = stacks[stack].parent)
		*vec_push(&path->list) = stack;
	node = stack ? collapsed->nodes[stack] : 0;
	for (size_t i = path->list.count; i-- > 0;) {
		stack = path->list.items[i];
		node = child(collapsed, node, frame_text(collapsed, stacks[stack].frame));
		collapsed->nodes[stack] = node;
	}
	return node;
}

DEFINE_ORDER(by_place, struct line, COMPARE(a->root, b->root) ?: COMPARE(a->node, b->node))

static void gather(struct collapsed *collapsed)
{
	const struct export_data *data = collapsed->data;
	struct export_frames path = { 0 };

	for (size_t i = 0; i < data->count; i++) {
		const struct total *row = &data->rows[i];

		if (row->event != data->event)
			continue;
		*vec_push(&collapsed->lines) =
			(struct line){ .root = root_text(collapsed, row),
				       .node = node_of(collapsed, row->stack, &path),
				       .value = data->value == EXPORT_WEIGHT ? row->weight
									     : row->samples };
	}
	vec_free(&path.list);
	qsort(collapsed->lines.items, collapsed->lines.count, sizeof(struct line), by_place);
}

/* ---- lines ---- */

static void add_path(struct collapsed *collapsed, uint32_t node, struct export_frames *path)
{
	path->list.count = 0;
	for (; node; node = collapsed->tree.items[node].parent)
		*vec_push(&path->list) = collapsed->tree.items[node].text;
	for (size_t i = path->list.count; i-- > 0;) {
		if (collapsed->text.size)
			buf_add_char(&collapsed->text, ';');
		buf_add_str(&collapsed->text, strpool_get(&collapsed->texts, path->list.items[i]));
	}
}

static void print_lines(struct collapsed *collapsed, FILE *out)
{
	struct export_frames path = { 0 };

	for (size_t i = 0; i < collapsed->lines.count;) {
		const struct line *line = &collapsed->lines.items[i];
		uint64_t value = 0;

		for (;
		     i < collapsed->lines.count && by_place(line, &collapsed->lines.items[i]) == 0;
		     i++)
			value += collapsed->lines.items[i].value;
		if (!value)
			continue;
		buf_clear(&collapsed->text);
		buf_add_str(&collapsed->text, strpool_get(&collapsed->texts, line->root));
		add_path(collapsed, line->node, &path);
		buf_add_char(&collapsed->text, ' ');
		buf_add_decimal(&collapsed->text, value);
		buf_add_char(&collapsed->text, '\n');
		fwrite(collapsed->text.bytes, 1, collapsed->text.size, out);
	}
	vec_free(&path.list);
}

static int collapsed_write(const struct export_data *data, FILE *out, struct export_note *note,
			   struct err *err)
{
	struct collapsed collapsed = {
		.data = data,
		.frames = xcalloc(data->profile->frames.count, sizeof(str_id)),
		.nodes = xcalloc(data->profile->stacks.count, sizeof(uint32_t)),
	};

	strpool_intern(&collapsed.texts, "");
	*vec_push(&collapsed.tree) = (struct text_node){ 0 };
	gather(&collapsed);
	print_lines(&collapsed, out);
	strpool_done(&collapsed.texts);
	hashidx_done(&collapsed.index);
	vec_free(&collapsed.tree);
	vec_free(&collapsed.lines);
	buf_done(&collapsed.text);
	buf_done(&collapsed.part);
	free(collapsed.frames);
	free(collapsed.nodes);
	return 0;
}

const struct export_format export_collapsed = {
	.name = "collapsed",
	.help = "FlameGraph's input: a line for each stack",
	.one_event = true,
	.by = true,
	.write = collapsed_write,
};

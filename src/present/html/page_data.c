/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/html/page_data.h"

#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_add.h"
#include "present/safe.h"

static const char data_mark[] = "@DATA@";
static const char rest_name[] = "(smaller branches)";

void page_data_text(struct buf *json, const char *name, const char *text)
{
	struct buf safe = { 0 };

	safe_text(&safe, text);
	json_add_text(json, name, buf_text(&safe));
	buf_done(&safe);
}

void page_data_column(struct buf *json, const char *name, struct buf *column)
{
	json_add_line(json);
	json_add_name(json, name);
	buf_add_char(json, '"');
	base64_add(json, column->bytes, column->size);
	buf_add_char(json, '"');
	buf_done(column);
}

/* ---- names ---- */

uint32_t page_names_image(struct page_names *names, const char *path, enum image_kind kind)
{
	json_add_begin(&names->images, NULL, '{');
	page_data_text(&names->images, "path", path);
	json_add_text(&names->images, "kind", image_kind_name(kind));
	json_add_end(&names->images, '}');
	return names->image_count++;
}

uint32_t page_names_add(struct page_names *names, const char *text, int64_t image)
{
	page_data_text(&names->names, NULL, text);
	json_add_name(&names->image_of, NULL);
	buf_printf(&names->image_of, "%" PRId64, image);
	return names->name_count++;
}

uint32_t page_names_rest(struct page_names *names)
{
	if (!names->rest)
		names->rest = page_names_add(names, rest_name, PAGE_REST) + 1;
	return names->rest - 1;
}

static void add_array(struct buf *json, const char *name, struct buf *contents)
{
	json_add_line(json);
	json_add_name(json, name);
	buf_printf(json, "[%s]", buf_text(contents));
	buf_done(contents);
}

void page_names_end(struct page_names *names, struct buf *json)
{
	add_array(json, "names", &names->names);
	add_array(json, "images", &names->images);
	add_array(json, "image_of", &names->image_of);
}

/* ---- trees ---- */

void page_tree_node(struct page_tree *tree, uint32_t depth, uint32_t name, const struct hits *self,
		    const struct hits *old)
{
	buf_add_uleb(&tree->columns[PAGE_RISE], tree->last_depth + 1 - depth);
	buf_add_uleb(&tree->columns[PAGE_NAME], name);
	buf_add_uleb(&tree->columns[PAGE_SELF], self->weight);
	buf_add_uleb(&tree->columns[PAGE_SAMPLES], self->samples);
	if (tree->diff) {
		buf_add_uleb(&tree->columns[PAGE_OLD_SELF], old->weight);
		buf_add_uleb(&tree->columns[PAGE_OLD_SAMPLES], old->samples);
	}
	tree->last_depth = depth;
	tree->node_count++;
}

void page_tree_end(struct page_tree *tree, struct buf *json)
{
	static const char *const names[PAGE_COLUMNS] = { "rise",    "name",	"self",
							 "samples", "old_self", "old_samples" };
	int columns = tree->diff ? PAGE_COLUMNS : PAGE_OLD_SELF;

	json_add_number(json, "nodes", tree->node_count);
	json_add_begin(json, "columns", '{');
	for (int i = 0; i < columns; i++)
		page_data_column(json, names[i], &tree->columns[i]);
	json_add_end(json, '}');
}

/* ---- the page ---- */

/* What names in brackets mean: why stacks are cut, and what threads wait for. */
static void add_meanings(struct buf *json)
{
	char name[64];

	json_add_begin(json, "cuts", '{');
	for (int end = 0; end < STACK_END_COUNT; end++) {
		if (end == STACK_COMPLETE)
			continue;
		snprintf(name, sizeof(name), "[cut:%s]", stack_end_name((enum stack_end)end));
		page_data_text(json, name, stack_end_text((enum stack_end)end));
	}
	json_add_end(json, '}');
	json_add_begin(json, "waits", '{');
	for (int wait = 0; wait < WAIT_COUNT; wait++) {
		snprintf(name, sizeof(name), "[%s]", wait_name((enum wait)wait));
		page_data_text(json, name, wait_text((enum wait)wait));
	}
	json_add_end(json, '}');
}

void page_data_begin(struct buf *json, const char *title, const char *view, bool inverted,
		     const char *head)
{
	json_add_begin(json, NULL, '{');
	json_add_number(json, "version", 2);
	page_data_text(json, "title", title);
	json_add_text(json, "view", view);
	json_add_bool(json, "inverted", inverted);
	json_add_text(json, "head", head);
	add_meanings(json);
}

/* <, > and & occur only in strings, where \u escapes are allowed, so nothing ends the HTML
 * element. */
static void print_within_element(const struct buf *json, FILE *out)
{
	size_t from = 0;

	for (size_t at = 0; at < json->size; at++) {
		if (!strchr("<>&", json->bytes[at]))
			continue;
		fwrite(json->bytes + from, 1, at - from, out);
		fprintf(out, "\\u%04x", (unsigned)json->bytes[at]);
		from = at + 1;
	}
	fwrite(json->bytes + from, 1, json->size - from, out);
}

void page_data_print(struct buf *json, FILE *out)
{
	const char *mark = strstr(page_html, data_mark);

	json_add_end(json, '}');
	fwrite(page_html, 1, (size_t)(mark - page_html), out);
	print_within_element(json, out);
	fputs(mark + strlen(data_mark), out);
	buf_done(json);
}

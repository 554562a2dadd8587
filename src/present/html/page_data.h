/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of a page: JSON in which nothing can end its HTML element. Trees are stored as columns of
 * LEB128 numbers in base64, a few bytes for each node; names are shared by all trees.
 */
#ifndef PRESENT_HTML_PAGE_DATA_H
#define PRESENT_HTML_PAGE_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "aggregate/split.h"
#include "base/buf.h"

enum page_column {
	PAGE_RISE, /* how much less deep than the node before it, plus 1 */
	PAGE_NAME,
	PAGE_SELF,
	PAGE_SAMPLES,
	PAGE_OLD_SELF,
	PAGE_OLD_SAMPLES,
	PAGE_COLUMNS,
};

/* What a name without an image of its own stands for. */
enum {
	PAGE_SEVERAL = -1, /* a function that is in several images, or in none */
	PAGE_GROUP = -2,   /* no function but a value of another key */
	PAGE_REST = -3,	   /* boxes that are too small to be drawn */
};

/* Of one event. All but @diff begins as zero. Nodes are numbered from 1 on. */
struct page_tree {
	bool diff; /* nodes have two sides */
	struct buf columns[PAGE_COLUMNS];
	uint32_t node_count;
	uint32_t last_depth; /* private */
};

/* Begins as zero. Numbers are from 0 on. */
struct page_names {
	struct buf names, images, image_of; /* contents of the JSON arrays of these names */
	uint32_t name_count, image_count;
	uint32_t rest; /* private: number of the name for PAGE_REST, plus 1; 0: none yet */
};

/* Adds what determines a function's colour, and returns its number. */
uint32_t page_names_image(struct page_names *names, const char *path, enum image_kind kind);
/* Adds a name, with the number of its image or one of the numbers above, and returns its number. */
uint32_t page_names_add(struct page_names *names, const char *text, int64_t image);
/* The number of the name for boxes that are too small. */
uint32_t page_names_rest(struct page_names *names);
/* Appends members of an object, and frees the names. */
void page_names_end(struct page_names *names, struct buf *json);

/* Adds a node that follows all before it in depth-first order. @old: of the old side of a diff. */
void page_tree_node(struct page_tree *tree, uint32_t depth, uint32_t name, const struct hits *self,
		    const struct hits *old);
/* Appends members of an object, and frees the tree. */
void page_tree_end(struct page_tree *tree, struct buf *json);

/* Appends a member with a text that is made safe for terminals too. */
void page_data_text(struct buf *json, const char *name, const char *text);
/* Appends the member @column as base64, and frees it. */
void page_data_column(struct buf *json, const char *name, struct buf *column);
/* Begins the page's object. @view: what is shown at first; @head is safe already. */
void page_data_begin(struct buf *json, const char *title, const char *view, bool inverted,
		     const char *head);
/* Ends the object, prints the page with it in place of its mark @DATA@, and frees it. Write errors
 * are left in @out for ferror(). */
void page_data_print(struct buf *json, FILE *out);

/* The page: complete HTML with style and scripts, which the build makes from web/. @DATA@ occurs
 * once, in place of the JSON. */
extern const char page_html[];

#endif

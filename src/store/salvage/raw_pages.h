/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a profile that may be damaged anywhere, as of its last complete write. Pages that
 * the journal would restore come from the journal; neither file is changed.
 */
#ifndef STORE_SALVAGE_RAW_PAGES_H
#define STORE_SALVAGE_RAW_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"

/* A page as it was before an unfinished write. */
struct raw_undone {
	uint32_t page;
	uint64_t at; /* offset in the journal */
};

struct raw_pages {
	int fd, journal; /* borrowed; -1: there is no journal */
	uint32_t page_bytes, usable_bytes;
	uint32_t count;	   /* pages have the numbers 1 to this */
	uint64_t budget;   /* pages that may still be read: damaged ones may form a cycle */
	bool journal_used; /* a write was rolled back */
	bool journal_bad;  /* a part of the journal cannot be read */
	VEC(struct raw_undone) undone; /* by page */
};

/* Reads the headers of the file and its journal. @name is for messages. -EINVAL: another program's
 * database, or empty. -ENOTSUP: a newer version. Another negative errno: it cannot be read. */
int raw_pages_open(struct raw_pages *pages, int fd, int journal, const char *name, struct err *err);
void raw_pages_done(struct raw_pages *pages);

/* Reads a page. False: it does not exist or cannot be read. @ret_bytes has room for page_bytes. */
bool raw_pages_read(struct raw_pages *pages, uint32_t number, uint8_t *ret_bytes);

/* ---- rows ---- */

/*
 * Rows of a page that may be damaged (fileformat2, sections 1.6 and 2.1). A page has rows only if
 * it is sound: rows, free room and the fragments between them fill it exactly, as SQLite's
 * integrity_check demands. The contents of rows are not checked here.
 */

enum { RAW_MAX_COLUMNS = 16 };

struct raw_page {
	uint32_t number;
	int type;
	unsigned cells;
	size_t header; /* offset of the page's header: on the first page it follows the file's */
	const uint8_t *bytes;
	uint32_t usable_bytes;
};

/* @bytes has room for a page, and is borrowed by *ret_page. False: the page is not sound or cannot
 * be read. */
bool raw_page_read(struct raw_pages *pages, uint32_t number, uint8_t *bytes,
		   struct raw_page *ret_page);
bool raw_page_is_leaf(const struct raw_page *page);
/* True if its rows have ids; else they have keys. */
bool raw_page_is_table(const struct raw_page *page);
/* The page after all cells of an interior page. */
uint32_t raw_page_last_child(const struct raw_page *page);

struct raw_cell {
	uint32_t child; /* the page before the cell; 0: on a leaf */
	int64_t id;	/* 0: the row has a key */
	uint64_t bytes; /* of the row; 0 on an interior page of a table */
	struct reader local;
	uint32_t overflow; /* the page where the row continues; 0: none */
	size_t size;	   /* bytes of the cell in the page */
};

/* @number < page->cells. */
bool raw_page_cell(const struct raw_page *page, unsigned number, struct raw_cell *ret_cell);
/* Replaces the contents of @buf by the whole row. False: a part of it cannot be read. */
bool raw_cell_row(struct raw_pages *pages, const struct raw_cell *cell, struct buf *buf);

enum raw_type {
	RAW_NULL = 'n',
	RAW_INTEGER = 'i',
	RAW_REAL = 'r',
	RAW_TEXT = 't',
	RAW_BLOB = 'b',
};

struct raw_value {
	enum raw_type type;
	int64_t integer;
	double real;
	const void *bytes; /* of text and blobs; borrowed from the row */
	size_t size;
};

/* The types of the columns as letters (enum raw_type), with a final NUL. "": it is not a row, or
 * has more than RAW_MAX_COLUMNS. The beginning of a row is enough. */
void raw_row_types(struct reader row, char ret_types[RAW_MAX_COLUMNS + 1]);
/* Returns the number of values; -1: it is not a row. */
int raw_row_values(struct reader row, struct raw_value ret_values[RAW_MAX_COLUMNS]);

#endif

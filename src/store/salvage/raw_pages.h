/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a profile's file that may be damaged anywhere, as of its last whole write: what the
 * journal beside it would undo is taken from there, and neither file is changed.
 */
#ifndef STORE_SALVAGE_RAW_PAGES_H
#define STORE_SALVAGE_RAW_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A page as it was before a write that was not finished. */
struct raw_undone {
	uint32_t page;
	uint64_t at; /* in the journal */
};

struct raw_pages {
	int fd, journal; /* borrowed; -1: there is no journal */
	uint32_t page_bytes, usable_bytes;
	uint32_t count;	   /* the pages are called 1 to this */
	uint64_t budget;   /* pages that may still be read: damaged ones may lead anywhere */
	bool journal_used; /* a write was undone */
	bool journal_bad;  /* a part of what it would undo cannot be read */
	VEC(struct raw_undone) undone; /* by page */
};

/* Looks at the file and its journal. @name is for sentences. -EINVAL: it is another program's
 * database, or empty; -ENOTSUP: it is of a newer version; or why it cannot be read. */
int raw_pages_open(struct raw_pages *pages, int fd, int journal, const char *name, struct err *err);
void raw_pages_done(struct raw_pages *pages);

/* False: it is not there, or cannot be read. @ret_bytes has room for page_bytes. */
bool raw_pages_read(struct raw_pages *pages, uint32_t number, uint8_t *ret_bytes);

#endif

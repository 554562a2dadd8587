/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a profile that may be damaged anywhere, as of its last complete write. Pages that
 * the journal would restore come from the journal; neither file is changed.
 */
#ifndef STORE_SALVAGE_RAW_PAGES_H
#define STORE_SALVAGE_RAW_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
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

#endif

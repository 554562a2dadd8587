/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind rows of a file, in words for people: what `prospect debug rows` prints. */
#ifndef UNWIND_ROW_LISTING_H
#define UNWIND_ROW_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

enum { LISTED_RULE = 48 };

/* Code with one rule, wherever pages end. */
struct listed_row {
	uint64_t start, end; /* ELF virtual addresses, as objdump shows them */
	char cfa[LISTED_RULE];
	char fp[LISTED_RULE];
	char ra[LISTED_RULE];
	bool signal; /* a frame that a signal made */
};

struct listed_facts {
	const char *machine;  /* "x86-64", "arm64" */
	const char *fp_name;  /* "rbp", "x29" */
	uint32_t rows, rules; /* as they are kept, for each page apart */
	uint32_t pages;	      /* of 4 KiB of code */
	uint64_t bytes;	      /* what all that takes */
	uint32_t unreadable;  /* frame descriptions that were left out */
};

struct row_listing;

/* Compiles the rows of an ELF file; "[vdso]" is that of the running kernel. Errors as
 * row_table_compile, or of reading the file. */
int row_listing_open(const char *path, struct row_listing **ret_listing, struct err *err);
void row_listing_free(struct row_listing *listing); /* NULL is fine */
DEFINE_CLEANUP(struct row_listing *, row_listing_free);

struct listed_facts row_listing_facts(const struct row_listing *listing);
/* The next row that has a rule, by address. False: that was all. */
bool row_listing_next(struct row_listing *listing, struct listed_row *ret_row);
/* The row that holds an address. False: none does. */
bool row_listing_at(const struct row_listing *listing, uint64_t address,
		    struct listed_row *ret_row);

#endif

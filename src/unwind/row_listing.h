/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind rows of a file as text, for `prospect debug rows`. */
#ifndef UNWIND_ROW_LISTING_H
#define UNWIND_ROW_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

enum { LISTED_RULE = 48 };

/* A range of code with one rule, across page boundaries. */
struct listed_row {
	uint64_t start, end; /* ELF virtual addresses, as in objdump */
	char cfa[LISTED_RULE];
	char fp[LISTED_RULE];
	char ra[LISTED_RULE];
	bool signal; /* a signal frame */
};

struct listed_facts {
	const char *machine;  /* "x86-64", "arm64" */
	const char *fp_name;  /* "rbp", "x29" */
	uint32_t rows, rules; /* as stored, per page */
	uint32_t pages;	      /* of 4 KiB of code */
	uint64_t bytes;	      /* memory of all three */
	uint32_t unreadable;  /* frame descriptions that were skipped */
};

struct row_listing;

/* Compiles the rows of an ELF file; "[vdso]" is the vdso of the running kernel. Errors: as
 * row_table_compile, or from reading the file. */
int row_listing_open(const char *path, struct row_listing **ret_listing, struct err *err);
void row_listing_free(struct row_listing *listing); /* NULL is fine */
DEFINE_CLEANUP(struct row_listing *, row_listing_free);

struct listed_facts row_listing_facts(const struct row_listing *listing);
/* The next row that has a rule, by address. False: no more. */
bool row_listing_next(struct row_listing *listing, struct listed_row *ret_row);
/* The row that contains an address. False: none. */
bool row_listing_at(const struct row_listing *listing, uint64_t address,
		    struct listed_row *ret_row);

#endif

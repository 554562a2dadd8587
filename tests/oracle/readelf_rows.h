/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind rows of a file as readelf -wF prints them (READELF says which readelf). */
#ifndef TESTS_ORACLE_READELF_ROWS_H
#define TESTS_ORACLE_READELF_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { READELF_COLUMNS = 160, READELF_CELL = 24 };

struct readelf_cells {
	char cfa[READELF_CELL], ra[READELF_CELL], fp[READELF_CELL];
};

/* A row readelf printed, or that of the CIE where a description has none of its own. */
struct readelf_row {
	uint64_t start, end;
	uint64_t fde_start, fde_end;
	bool other_ra; /* the return address is in a register of its own choice */
	struct readelf_cells cells;
};

struct readelf_cie {
	uint64_t offset;
	bool other_ra;
	struct readelf_cells cells;
};

struct readelf_rows {
	const char *fp; /* the frame pointer's name */
	int ra_number;	/* of the return address */
	VEC(struct readelf_row) rows;
	/* Private. */
	VEC(struct readelf_cie) cies;
	struct readelf_cells *cie_cells; /* being read */
	struct readelf_row fde;		 /* being read */
	bool in_fde, has_rows;
	int columns;
	char header[READELF_COLUMNS][READELF_CELL];
};

/* All rows of a file, in readelf's order; none where readelf does not run. */
void readelf_rows_read(struct readelf_rows *told, const char *path, const char *fp, int ra_number);
void readelf_rows_done(struct readelf_rows *told);

#endif

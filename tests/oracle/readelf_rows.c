/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "readelf_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A register is two words, its number and "(name)". */
static int split(char *line, char *words[READELF_COLUMNS])
{
	int count = 0;

	for (char *word = strtok(line, " \n"); word && count < READELF_COLUMNS;
	     word = strtok(NULL, " \n")) {
		if (word[0] != '(')
			words[count++] = word;
	}
	return count;
}

static void copy_cell(char cell[READELF_CELL], const char *text)
{
	snprintf(cell, READELF_CELL, "%s", text);
}

static void read_cells(const struct readelf_rows *told, char **words, int count,
		       struct readelf_cells *cells)
{
	memset(cells, 0, sizeof(*cells));
	for (int i = 1; i < count && i < told->columns; i++) {
		if (strcmp(told->header[i], "CFA") == 0)
			copy_cell(cells->cfa, words[i]);
		else if (strcmp(told->header[i], "ra") == 0)
			copy_cell(cells->ra, words[i]);
		else if (strcmp(told->header[i], told->fp) == 0)
			copy_cell(cells->fp, words[i]);
	}
}

static const struct readelf_cie *find_cie(const struct readelf_rows *told, uint64_t offset)
{
	for (size_t i = told->cies.count; i-- > 0;) {
		if (told->cies.items[i].offset == offset)
			return &told->cies.items[i];
	}
	return NULL;
}

/* A description without rows has that of its CIE. */
static void end_fde(struct readelf_rows *told)
{
	if (told->in_fde && !told->has_rows && told->fde.fde_end > told->fde.fde_start) {
		struct readelf_row row = told->fde;

		row.start = row.fde_start;
		row.end = row.fde_end;
		*vec_push(&told->rows) = row;
	}
	told->in_fde = false;
}

static void begin_entry(struct readelf_rows *told, const char *line, uint64_t offset)
{
	uint64_t offset_of_cie, from, to;
	const struct readelf_cie *cie;
	const char *fde = strstr(line, " FDE cie=");

	end_fde(told);
	told->columns = 0;
	told->cie_cells = NULL;
	if (!fde) {
		struct readelf_cie *made = vec_push(&told->cies);

		*made = (struct readelf_cie){ .offset = offset };
		if (strstr(line, " ra="))
			made->other_ra = atoi(strstr(line, " ra=") + 4) != told->ra_number;
		told->cie_cells = &made->cells;
		return;
	}
	if (sscanf(fde, " FDE cie=%" SCNx64 " pc=%" SCNx64 "..%" SCNx64, &offset_of_cie, &from,
		   &to) != 3)
		return;
	told->in_fde = true;
	told->has_rows = false;
	told->fde = (struct readelf_row){ .fde_start = from, .fde_end = to };
	cie = find_cie(told, offset_of_cie);
	if (!cie)
		return;
	told->fde.cells = cie->cells;
	told->fde.other_ra = cie->other_ra;
}

static void add_row(struct readelf_rows *told, char **words, int count)
{
	struct readelf_row row = told->fde;
	struct readelf_row *last =
		told->rows.count ? &told->rows.items[told->rows.count - 1] : NULL;

	row.start = strtoull(words[0], NULL, 16);
	row.end = row.fde_end;
	read_cells(told, words, count, &row.cells);
	if (told->has_rows && last)
		last->end = row.start;
	if (row.start < row.fde_end)
		*vec_push(&told->rows) = row;
	told->has_rows = true;
}

static void read_line(struct readelf_rows *told, char *line)
{
	char *words[READELF_COLUMNS];
	uint64_t offset;
	int count;

	if (sscanf(line, "%" SCNx64, &offset) == 1 &&
	    (strstr(line, " FDE cie=") || strstr(line, " CIE "))) {
		begin_entry(told, line, offset);
		return;
	}
	count = split(line, words);
	if (count < 2 || strcmp(words[1], "ZERO") == 0)
		return;
	if (strcmp(words[0], "LOC") == 0) {
		told->columns = count;
		for (int i = 0; i < count; i++)
			copy_cell(told->header[i], words[i]);
	} else if (told->columns && strspn(words[0], "0123456789abcdef") == strlen(words[0])) {
		if (told->in_fde)
			add_row(told, words, count);
		else if (told->cie_cells)
			read_cells(told, words, count, told->cie_cells);
	}
}

void readelf_rows_read(struct readelf_rows *told, const char *path, const char *fp, int ra_number)
{
	char command[4096];
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	FILE *pipe;

	*told = (struct readelf_rows){ .fp = fp, .ra_number = ra_number };
	snprintf(command, sizeof(command), "%s -wF -W '%s' 2>/dev/null",
		 getenv("READELF") ? getenv("READELF") : "readelf", path);
	pipe = popen(command, "re");
	if (!pipe)
		return;
	while (getline(&line, &room, pipe) > 0)
		read_line(told, line);
	end_fde(told);
	pclose(pipe);
}

void readelf_rows_done(struct readelf_rows *told)
{
	vec_free(&told->rows);
	vec_free(&told->cies);
}

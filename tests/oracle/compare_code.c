/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that were found by following instructions, against those of the file's frame descriptions:
 * what would be found of each file's code if it had none. Usage: compare_code FILE...
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"
#include "unwind/code_rows.h"
#include "unwind/row_table.h"
#include "unwind/x86_code.h"

enum { PIECE = 4096, ALIGNMENT = 16, MOST_TOLD = 20 };

struct comparison {
	const char *path;
	const struct unwind_table *table;
	struct code_gap gap; /* being looked at */
	uint64_t pieces, rows, alike, different, undescribed, from;
	bool has_rule;
	struct unwind_rule rule;
};

static bool same_saved(const struct unwind_rule *code, const struct unwind_rule *table)
{
	if (code->fp == UNWIND_SAVED_UNDEFINED)
		return true;
	/* popped already: descriptions often do not say so */
	if (code->fp == UNWIND_SAVED_SAME && table->fp == UNWIND_SAVED_CFA)
		return table->fp_offset < -table->cfa_offset || table->cfa != UNWIND_CFA_SP ||
		       table->fp_offset + table->cfa_offset < 0;
	/* pushed, and not changed afterwards */
	if (code->fp == UNWIND_SAVED_CFA && table->fp == UNWIND_SAVED_SAME)
		return true;
	return code->fp == table->fp &&
	       (code->fp == UNWIND_SAVED_SAME || code->fp_offset == table->fp_offset);
}

static bool same(const struct unwind_rule *code, const struct unwind_rule *table)
{
	if (table->ra == UNWIND_SAVED_UNDEFINED || code->ra == UNWIND_SAVED_UNDEFINED)
		return code->ra == table->ra;
	/* counted from another register: not to be compared */
	if (table->cfa != code->cfa)
		return true;
	return table->cfa_offset == code->cfa_offset && same_saved(code, table);
}

/* What is filled up behind a call that never returns is nobody's. */
static bool is_padding(const struct comparison *c, uint64_t at)
{
	uint64_t offset = at - c->gap.address;

	return x86_code_read(c->gap.bytes + offset, c->gap.size - offset).padding;
}

static void compare(struct comparison *c, uint64_t to)
{
	if (is_padding(c, c->from))
		return;
	for (uint64_t at = c->from; at < to; at++) {
		const struct unwind_rule *rule = row_table_find(c->table, at);

		c->rows++;
		if (!rule) {
			c->undescribed++;
		} else if (same(&c->rule, rule)) {
			c->alike++;
		} else if (c->different++ < MOST_TOLD) {
			printf("%s: %" PRIx64 ": cfa %u%+d fp %u%+d, described: cfa %u%+d fp "
			       "%u%+d ra %u\n",
			       c->path, at, c->rule.cfa, c->rule.cfa_offset, c->rule.fp,
			       c->rule.fp_offset, rule->cfa, rule->cfa_offset, rule->fp,
			       rule->fp_offset, rule->ra);
		}
	}
}

static void add(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct comparison *c = context;

	if (c->has_rule)
		compare(c, address);
	c->has_rule = rule != NULL;
	c->from = address;
	if (rule)
		c->rule = *rule;
}

/* As if nothing were known from there on. */
static void compare_piece(const struct elf_section *section, const uint8_t *bytes, uint64_t start,
			  struct comparison *c)
{
	uint64_t left = section->size - (start - section->address);
	struct code_gap gap = { .bytes = bytes + (start - section->address),
				.size = left < PIECE ? left : PIECE,
				.address = start };

	c->has_rule = false;
	c->pieces++;
	c->gap = gap;
	code_rows_find(&gap, add, c);
}

/* Wherever a function begins, or a part of one: there another rule begins than that before. */
static void compare_section(const struct elf_file *file, const struct elf_section *section,
			    struct comparison *c)
{
	const struct unwind_rule *before = NULL, *rule;
	uint8_t *bytes = malloc(section->size);

	if (!bytes || elf_file_read_at(file, section->offset, bytes, section->size, NULL) < 0)
		exit(2);
	for (uint64_t at = section->address; at < section->address + section->size; at++) {
		rule = row_table_find(c->table, at);
		if (rule && rule != before && at % ALIGNMENT == 0 && rule->cfa == UNWIND_CFA_SP &&
		    rule->cfa_offset == 8)
			compare_piece(section, bytes, at, c);
		before = rule;
	}
	free(bytes);
}

static bool compare_file(const char *path)
{
	struct elf_file *file;
	struct row_table *table;
	struct comparison c = { .path = path };
	struct err err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct elf_section *text;

	if (fd < 0 || elf_file_open(fd, &file, &err) < 0 ||
	    elf_file_read_sections(file, &err) < 0 ||
	    row_table_compile(file, NULL, &table, &err) < 0)
		return true;
	c.table = row_table_rows(table);
	text = elf_file_find(file, ".text");
	if (text)
		compare_section(file, text, &c);
	printf("%s: %" PRIu64 " bytes of %" PRIu64 " followed, %" PRIu64 " alike, %" PRIu64
	       " not described, %" PRIu64 " different\n",
	       path, c.rows, text ? text->size : 0, c.alike, c.undescribed, c.different);
	row_table_free(table);
	elf_file_free(file);
	return c.different == 0;
}

int main(int argc, char **argv)
{
	bool right = true;

	for (int i = 1; i < argc; i++)
		right &= compare_file(argv[i]);
	return right ? 0 : 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_rows FILE...: unwind rows against those of readelf -wF, at the first and the last byte of
 * every row readelf prints; what readelf abbreviates (expressions, "u") against libdw. Prints a
 * line for each file: rows compared, how many of them nothing can be said of, differences. Status 1
 * when there were any, 77 when a file has no rows.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "readelf_rows.h"
#include "unwind/row_table.h"

enum { MAX_SHOWN = 10 };

struct names {
	const char *sp, *fp;
	int sp_number, fp_number, ra_number;
};

static const struct names x86_64 = { "rsp", "rbp", 7, 6, 16 };
static const struct names arm64 = { "sp", "x29", 31, 29, 30 };

struct oracle {
	const char *path;
	const struct names *names;
	const struct unwind_table *table;
	Dwarf_CFI *eh, *debug; /* NULL: none */
	struct readelf_rows told;
	uint64_t compared, inexpressible, shadowed, expressions, gaps;
	uint64_t switched; /* where Go's run time changes stacks: its descriptions are wrong */
	uint64_t different;
};

static int by_start(const void *left, const void *right)
{
	const struct readelf_row *a = left, *b = right;

	if (a->fde_start != b->fde_start)
		return a->fde_start < b->fde_start ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* "rsp+8" */
static bool same_cfa(const struct oracle *oracle, const char *cell, const struct unwind_rule *rule)
{
	char text[READELF_CELL];

	switch (rule->cfa) {
	case UNWIND_CFA_SP:
		snprintf(text, READELF_CELL, "%s%+d", oracle->names->sp, rule->cfa_offset);
		break;
	case UNWIND_CFA_FP:
		snprintf(text, READELF_CELL, "%s%+d", oracle->names->fp, rule->cfa_offset);
		break;
	case UNWIND_CFA_REGISTER: { /* the names of others do not matter, the numbers come from
				       libdw */
		const char *sign = strpbrk(cell, "+-");

		return sign && atoi(sign) == rule->cfa_offset;
	}
	default:
		return false;
	}
	return strcmp(text, cell) == 0;
}

static bool frame_at(Dwarf_CFI *cfi, uint64_t address, Dwarf_Frame **ret_frame)
{
	return cfi && dwarf_cfi_addrframe(cfi, address, ret_frame) == 0;
}

static Dwarf_Frame *find_frame(const struct oracle *oracle, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (!frame_at(oracle->eh, address, &frame))
		frame_at(oracle->debug, address, &frame);
	return frame;
}

static bool is_base(const Dwarf_Op *op, int reg, int64_t offset)
{
	if (op->atom == DW_OP_bregx)
		return (int64_t)op->number == reg && (int64_t)op->number2 == offset;
	return op->atom == DW_OP_breg0 + reg && (int64_t)op->number == offset;
}

static bool is_plt(const struct oracle *oracle, const Dwarf_Op *ops, size_t count,
		   const struct unwind_rule *rule)
{
	return count == 9 && is_base(&ops[0], oracle->names->sp_number, 8) &&
	       is_base(&ops[1], oracle->names->ra_number, 0) && ops[2].atom == DW_OP_lit15 &&
	       ops[3].atom == DW_OP_and && (int)ops[4].atom - DW_OP_lit0 == rule->cfa_offset &&
	       ops[5].atom == DW_OP_ge && ops[6].atom == DW_OP_lit3 && ops[7].atom == DW_OP_shl &&
	       ops[8].atom == DW_OP_plus;
}

/* *(reg + offset), and what is added. */
static bool is_deref(const Dwarf_Op *ops, size_t count, int reg, const struct unwind_rule *rule)
{
	int64_t add = 0;

	if (count < 2 || !is_base(&ops[0], reg, rule->cfa_offset) || ops[1].atom != DW_OP_deref)
		return false;
	if (count == 3 && ops[2].atom == DW_OP_plus_uconst)
		add = (int64_t)ops[2].number;
	else if (count != 2)
		return false;
	return add == rule->add;
}

static bool same_cfa_ops(const struct oracle *oracle, Dwarf_Frame *frame,
			 const struct unwind_rule *rule)
{
	const struct names *names = oracle->names;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) != 0)
		return false;
	switch (rule->cfa) {
	case UNWIND_CFA_SP:
		return count == 1 && is_base(ops, names->sp_number, rule->cfa_offset);
	case UNWIND_CFA_FP:
		return count == 1 && is_base(ops, names->fp_number, rule->cfa_offset);
	case UNWIND_CFA_REGISTER:
		return count == 1 && is_base(ops, rule->reg, rule->cfa_offset);
	case UNWIND_CFA_PLT:
		return is_plt(oracle, ops, count, rule);
	case UNWIND_CFA_FP_DEREF:
		return is_deref(ops, count, names->fp_number, rule);
	case UNWIND_CFA_SP_DEREF:
		return is_deref(ops, count, names->sp_number, rule);
	default:
		return false;
	}
}

static bool same_saved_ops(const struct oracle *oracle, Dwarf_Frame *frame, int reg, uint8_t saved,
			   int32_t offset)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, memory, &ops, &count) != 0)
		return false;
	if (count > 0 && ops[0].atom == DW_OP_call_frame_cfa && count > 1 &&
	    ops[1].atom != DW_OP_plus_uconst) {
		ops++;
		count--;
	}
	switch (saved) {
	case UNWIND_SAVED_SAME:
		return count == 0 && !ops;
	case UNWIND_SAVED_UNDEFINED:
		return count == 0 && ops;
	case UNWIND_SAVED_CFA:
		return count == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
		       ops[1].atom == DW_OP_plus_uconst && (int64_t)ops[1].number == offset;
	case UNWIND_SAVED_SP:
		return count == 1 && is_base(ops, oracle->names->sp_number, offset);
	case UNWIND_SAVED_FP:
		return count == 1 && is_base(ops, oracle->names->fp_number, offset);
	case UNWIND_SAVED_REGISTER:
		return count == 1 && (ops[0].atom == DW_OP_regx ||
				      (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31));
	default:
		return false;
	}
}

/* "c-16", "u" (not said, or undefined), "" (nowhere said), "exp", "vexp", "v-8", a register */
static bool same_saved(struct oracle *oracle, const char *cell, uint64_t address, int reg,
		       uint8_t saved, int32_t offset)
{
	char text[READELF_CELL];
	Dwarf_Frame *frame;
	bool same;

	if (cell[0] == 'c') {
		snprintf(text, READELF_CELL, "c%+d", offset);
		return saved == UNWIND_SAVED_CFA && strcmp(cell, text) == 0;
	}
	/* Go's descriptions never mention the frame pointer */
	if (reg == oracle->names->fp_number && (!*cell || strcmp(cell, "u") == 0) &&
	    (saved == UNWIND_SAVED_SAME || saved >= UNWIND_SAVED_LINK))
		return true;
	if (reg == oracle->names->fp_number && *cell && strcmp(cell, "exp") != 0 &&
	    saved == UNWIND_SAVED_UNDEFINED)
		return true;
	frame = find_frame(oracle, address);
	same = frame && same_saved_ops(oracle, frame, reg, saved, offset);
	free(frame);
	oracle->expressions++;
	return same;
}

static bool same_rule(struct oracle *oracle, const struct readelf_row *row, uint64_t address,
		      const struct unwind_rule *rule)
{
	const struct names *names = oracle->names;
	bool same;

	if (!same_saved(oracle, row->cells.ra, address, names->ra_number, rule->ra,
			rule->ra_offset))
		return false;
	if (rule->ra == UNWIND_SAVED_UNDEFINED)
		return true;
	if (!same_saved(oracle, row->cells.fp, address, names->fp_number, rule->fp,
			rule->fp_offset))
		return false;
	if (strcmp(row->cells.cfa, "exp") != 0 && rule->cfa != UNWIND_CFA_REGISTER)
		return same_cfa(oracle, row->cells.cfa, rule);
	oracle->expressions++;
	Dwarf_Frame *frame = find_frame(oracle, address);

	same = frame && same_cfa_ops(oracle, frame, rule);
	free(frame);
	return same;
}

static void tell(struct oracle *oracle, const struct readelf_row *row, uint64_t address,
		 const struct unwind_rule *rule)
{
	static const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };

	if (++oracle->different > MAX_SHOWN)
		return;
	if (!rule)
		rule = &none;
	printf("# %s %" PRIx64 ": readelf %s %s %s; ours cfa %d%+d+%d ra %d%+d fp %d%+d\n",
	       oracle->path, address, row->cells.cfa, row->cells.ra, row->cells.fp, rule->cfa,
	       rule->cfa_offset, rule->add, rule->ra, rule->ra_offset, rule->fp, rule->fp_offset);
}

/* Only what no rule can say may have none. */
static bool may_be_none(const struct readelf_row *row)
{
	return row->other_ra || strcmp(row->cells.cfa, "exp") == 0 ||
	       (row->cells.ra[0] != 'c' && strcmp(row->cells.ra, "u") != 0 && row->cells.ra[0]);
}

static void compare_at(struct oracle *oracle, const struct readelf_row *row, uint64_t address)
{
	const struct unwind_rule *rule = row_table_find(oracle->table, address);

	oracle->compared++;
	if (rule && rule->flags & UNWIND_RULE_SWITCH) {
		oracle->switched++;
	} else if (!rule && may_be_none(row)) {
		oracle->inexpressible++;
		if (getenv("SHOW_INEXPRESSIBLE"))
			printf("# %s %" PRIx64 ": nothing says %s %s %s\n", oracle->path, address,
			       row->cells.cfa, row->cells.ra, row->cells.fp);
	} else if (!rule || !same_rule(oracle, row, address, rule))
		tell(oracle, row, address, rule);
}

/* After a description, where no other begins, there is no rule, except padding. On x86-64 there may be one
 * that the instructions tell, which compare_code_rows compares. */
static void compare_gap(struct oracle *oracle, const struct readelf_row *row, uint64_t next)
{
	static const struct readelf_row nothing = { .cells = { "-", "-", "-" } };

	if (row->end != row->fde_end || row->fde_end >= next ||
	    (next - row->fde_end < 16 && next % 16 == 0))
		return;
	oracle->gaps++;
	if (oracle->names == &x86_64)
		return;
	if (row_table_find(oracle->table, row->fde_end))
		tell(oracle, &nothing, row->fde_end, row_table_find(oracle->table, row->fde_end));
	if (next != UINT64_MAX && row_table_find(oracle->table, next - 1))
		tell(oracle, &nothing, next - 1, row_table_find(oracle->table, next - 1));
}

/* Where descriptions overlap, the one that begins last is believed; of equals, the last one. */
static void compare_rows(struct oracle *oracle)
{
	qsort(oracle->told.rows.items, oracle->told.rows.count, sizeof(struct readelf_row),
	      by_start);
	for (size_t i = 0; i < oracle->told.rows.count; i++) {
		const struct readelf_row *row = &oracle->told.rows.items[i];
		uint64_t next = UINT64_MAX;
		size_t j = i + 1;

		while (j < oracle->told.rows.count &&
		       oracle->told.rows.items[j].fde_start == row->fde_start)
			j++;
		if (j < oracle->told.rows.count)
			next = oracle->told.rows.items[j].fde_start;
		if (row->start >= next || row->end == row->start) {
			oracle->shadowed++;
			continue;
		}
		compare_at(oracle, row, row->start);
		compare_at(oracle, row, (row->end < next ? row->end : next) - 1);
		compare_gap(oracle, row, next);
	}
}

static void print_result(const struct oracle *oracle)
{
	printf("%s: %zu rows, %" PRIu64 " places compared (%" PRIu64 " with libdw), %" PRIu64
	       " gaps, %" PRIu64 " inexpressible, %" PRIu64 " shadowed, %" PRIu64
	       " of changed stacks, %" PRIu64 " different\n",
	       oracle->path, oracle->told.rows.count, oracle->compared, oracle->expressions,
	       oracle->gaps, oracle->inexpressible, oracle->shadowed, oracle->switched,
	       oracle->different);
}

static int compile(const char *path, int fd, struct row_table **ret_table)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct err err = { "" };
	int rc = elf_file_open(fd, &file, &err);

	if (rc == 0)
		rc = elf_file_read_sections(file, &err);
	if (rc == 0)
		rc = row_table_compile(file, NULL, ret_table, &err);
	if (rc < 0)
		printf("%s: %s\n", path, err.text);
	return rc;
}

static int compare_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(row_table_freep) struct row_table *table = NULL;
	struct oracle oracle = { .path = path };
	Dwarf *dwarf;
	Elf *elf;
	int rc = compile(path, fd, &table);

	if (rc < 0)
		return rc == -ENODATA ? 77 : 1;
	oracle.table = row_table_rows(table);
	oracle.names = oracle.table->machine == EM_X86_64 ? &x86_64 : &arm64;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	oracle.eh = dwarf_getcfi_elf(elf);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	oracle.debug = dwarf ? dwarf_getcfi(dwarf) : NULL;
	readelf_rows_read(&oracle.told, path, oracle.names->fp, oracle.names->ra_number);
	compare_rows(&oracle);
	print_result(&oracle);
	dwarf_cfi_end(oracle.eh);
	dwarf_end(dwarf);
	elf_end(elf);
	readelf_rows_done(&oracle.told);
	return oracle.different || !oracle.compared ? 1 : 0;
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? 0 : 2;

	for (int i = 1; i < argc; i++) {
		int rc = compare_file(argv[i]);

		if (rc != 0 && status != 1)
			status = rc;
	}
	return status;
}

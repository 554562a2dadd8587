/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/jump_tables.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/reader.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	REGISTERS = 16,
	NEAR_ADD = 64,	  /* bytes between the sum of table and distance, and the jump */
	NEAR_LOAD = 4096, /* between the load of the table's address and the jump */
	DISTANCE_BYTES = 4,
	ADDRESS_BYTES = 8,
};

/* What a register holds. */
struct loaded {
	uint64_t at;	/* the instruction that loaded it; 0: nothing of interest */
	uint64_t table; /* an address, perhaps of a table */
	bool entry;	/* an entry of the table, which is an address */
};

/* The last sum of two registers in one of them. */
struct sum {
	uint64_t at;
	uint8_t other;
};

struct table_jump {
	uint64_t at;
	uint64_t tables[2];  /* where the table may be; 0: none */
	uint8_t entry_bytes; /* DISTANCE_BYTES or ADDRESS_BYTES */
};

struct jump_tables {
	jump_tables_read read;
	void *context;
	struct loaded loaded[REGISTERS];
	struct sum sums[REGISTERS];
	VEC(struct table_jump) jumps;
	VEC(uint64_t) starts; /* of data that the code refers to */
};

struct jump_tables *jump_tables_new(jump_tables_read read, void *context)
{
	struct jump_tables *tables = xcalloc(1, sizeof(*tables));

	tables->read = read;
	tables->context = context;
	return tables;
}

void jump_tables_free(struct jump_tables *tables)
{
	if (!tables)
		return;
	vec_free(&tables->jumps);
	vec_free(&tables->starts);
	free(tables);
}

/* True for an operand at a fixed address plus an index of 8 bytes. */
static bool is_indexed(const struct x86_code *code)
{
	enum { SIB = 4, NO_BASE = 5, SCALE_8 = 3, NO_INDEX = 4 };

	return x86_mod(code) == 0 && (code->modrm & 7) == SIB && (code->sib & 7) == NO_BASE &&
	       code->sib >> 6 == SCALE_8 &&
	       ((code->sib >> 3 & 7) != NO_INDEX || code->rex & X86_REX_X);
}

/* The base of an operand at a register plus an index of 8 bytes; negative: another operand. */
static int base_of_indexed(const struct x86_code *code)
{
	enum { SIB = 4, SCALE_8 = 3 };

	if (x86_mod(code) != 0 || (code->modrm & 7) != SIB || code->sib >> 6 != SCALE_8)
		return -1;
	return (code->sib & 7) | (code->rex & X86_REX_B ? 8 : 0);
}

static bool is_near(uint64_t before, uint64_t at, uint64_t most)
{
	return before && at - before <= most;
}

static void load(struct jump_tables *tables, uint8_t reg, const struct loaded *loaded)
{
	tables->loaded[reg] = *loaded;
	*vec_push(&tables->starts) = loaded->table;
}

static void add_jump(struct jump_tables *tables, const struct x86_code *code, uint64_t at)
{
	struct table_jump jump = { .at = at, .entry_bytes = ADDRESS_BYTES };
	int base = base_of_indexed(code);
	uint8_t reg = x86_rm(code);

	if (is_indexed(code)) {
		jump.tables[0] = (uint64_t)(int64_t)code->displacement;
		*vec_push(&tables->starts) = jump.tables[0];
	} else if (base >= 0 && is_near(tables->loaded[base].at, at, NEAR_LOAD)) {
		jump.tables[0] = tables->loaded[base].table;
	} else if (x86_mod(code) == 3 && tables->loaded[reg].entry &&
		   tables->loaded[reg].at > tables->sums[reg].at &&
		   is_near(tables->loaded[reg].at, at, NEAR_ADD)) {
		jump.tables[0] = tables->loaded[reg].table;
	} else if (x86_mod(code) == 3 && is_near(tables->sums[reg].at, at, NEAR_ADD)) {
		const struct loaded *one = &tables->loaded[reg],
				    *other = &tables->loaded[tables->sums[reg].other];

		jump.entry_bytes = DISTANCE_BYTES;
		jump.tables[0] = is_near(other->at, at, NEAR_LOAD) ? other->table : 0;
		jump.tables[1] = is_near(one->at, at, NEAR_LOAD) ? one->table : 0;
	}
	if (jump.tables[0] || jump.tables[1])
		*vec_push(&tables->jumps) = jump;
}

void jump_tables_add(struct jump_tables *tables, const struct x86_code *code, uint64_t address)
{
	enum { ADD_TO_RM = 0x01, ADD_TO_REG = 0x03, LEA = 0x8d, LOAD = 0x8b, BY_RIP = 5 };
	struct loaded loaded = { .at = address };
	int base = base_of_indexed(code);

	if (code->kind == X86_JUMP_REGISTER)
		add_jump(tables, code, address);
	if (code->map != 0 || !(code->rex & X86_REX_W))
		return;
	if (code->op == LEA && x86_mod(code) == 0 && (code->modrm & 7) == BY_RIP) {
		loaded.table = address + code->length + (uint64_t)(int64_t)code->displacement;
		load(tables, x86_reg(code), &loaded);
	} else if (code->op == LOAD && is_indexed(code)) {
		loaded.table = (uint64_t)(int64_t)code->displacement;
		loaded.entry = true;
		load(tables, x86_reg(code), &loaded);
	} else if (code->op == LOAD && base >= 0 && tables->loaded[base].at) {
		loaded.table = tables->loaded[base].table;
		loaded.entry = true;
		load(tables, x86_reg(code), &loaded);
	} else if (code->op == ADD_TO_RM && x86_mod(code) == 3) {
		tables->sums[x86_rm(code)] = (struct sum){ address, x86_reg(code) };
	} else if (code->op == ADD_TO_REG && x86_mod(code) == 3) {
		tables->sums[x86_reg(code)] = (struct sum){ address, x86_rm(code) };
	}
}

DEFINE_ORDER(by_address, uint64_t, COMPARE(*a, *b))

void jump_tables_finish(struct jump_tables *tables)
{
	if (tables->starts.count)
		qsort(tables->starts.items, tables->starts.count, sizeof(tables->starts.items[0]),
		      by_address);
}

/* How many bytes a table can have at most: up to what begins after it. */
static uint64_t room_of(const struct jump_tables *tables, uint64_t table)
{
	size_t next =
		search_before(tables->starts.items, tables->starts.count, start, *start <= table);

	return next < tables->starts.count ? tables->starts.items[next] - table : UINT64_MAX;
}

/* The cases of one table, up to the first that leads nowhere. */
static size_t read_cases(const struct jump_tables *tables, uint64_t table, uint8_t entry_bytes,
			 uint64_t low, uint64_t high, uint64_t *ret_cases)
{
	uint8_t bytes[JUMP_TABLES_MAX_CASES * ADDRESS_BYTES];
	uint64_t room = room_of(tables, table), most = JUMP_TABLES_MAX_CASES * entry_bytes;
	size_t size = tables->read(tables->context, table, bytes, room < most ? room : most);
	struct reader reader = reader_make(bytes, size);
	size_t count = 0;

	while (reader_left(&reader) >= entry_bytes) {
		uint64_t target = entry_bytes == ADDRESS_BYTES
					  ? reader_u64(&reader)
					  : table + (uint64_t)(int64_t)(int32_t)reader_u32(&reader);

		if (target < low || target >= high)
			break;
		ret_cases[count++] = target;
	}
	return count;
}

static const struct table_jump *find_jump(const struct jump_tables *tables, uint64_t address)
{
	size_t at =
		search_before(tables->jumps.items, tables->jumps.count, jump, jump->at < address);

	return at < tables->jumps.count && tables->jumps.items[at].at == address
		       ? &tables->jumps.items[at]
		       : NULL;
}

size_t jump_tables_cases(const struct jump_tables *tables, uint64_t address, uint64_t low,
			 uint64_t high, uint64_t *ret_cases)
{
	enum { LEAST = 2 }; /* cases of a table */
	const struct table_jump *jump = find_jump(tables, address);

	for (int i = 0; jump && i < 2; i++) {
		size_t count = jump->tables[i] ? read_cases(tables, jump->tables[i],
							    jump->entry_bytes, low, high, ret_cases)
					       : 0;

		if (count >= LEAST)
			return count;
	}
	return 0;
}

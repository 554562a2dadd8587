/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copied stack is walked: registers, memory, unwind rows and code are all the input's. It is
 *
 *   flags | pc, sp, fp, bx, lr as 8 bytes each | size of the rows, of the code, 2 bytes each
 *         | rows | code | stack
 *
 * The rows are a file of row_file.h, sealed here. They describe the code at CODE, which is
 * followed by code without rows. The copy was taken at STACK.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "target.h"
#include "unwind/row_file.h"
#include "unwind/row_table.h"
#include "unwind/unwinder.h"

enum {
	IS_ARM64 = 1,
	IS_CUT = 2,
	IS_ENTRY = 4,
	HAS_NO_CODE = 8,
	CODE = 0x400000,
	CODE_BYTES = 0x10000,
	STACK = 0x7fff0000,
	MOST_FRAMES = 1024,
};

struct walk {
	const struct unwind_table *table; /* NULL: none */
	const uint8_t *code;
	size_t code_size;
	bool entry;
};

static struct unwind_code find(void *context, uint64_t address)
{
	const struct walk *walk = context;

	if (address < CODE || address >= CODE + 2 * CODE_BYTES)
		return (struct unwind_code){ .mapped = false };
	if (address >= CODE + CODE_BYTES)
		return (struct unwind_code){ .mapped = true };
	return (struct unwind_code){ .mapped = true,
				     .table = walk->table,
				     .bias = walk->table ? CODE - walk->table->base : 0,
				     .entry = walk->entry && address < CODE + 16 };
}

static int read_code(void *context, uint64_t address, void *to, size_t size)
{
	const struct walk *walk = context;
	uint64_t offset = (address - CODE) % CODE_BYTES;

	if (offset > walk->code_size || size > walk->code_size - offset)
		return -1;
	memcpy(to, walk->code + offset, size);
	return 0;
}

static struct unwind_registers read_registers(struct reader *reader)
{
	/* psABI and AArch64 DWARF: bx 3, bp 6, sp 7; fp 29, lr 30, sp 31 */
	struct unwind_registers registers = { .pc = reader_u64(reader), .known = ~0ULL };

	registers.values[7] = registers.values[31] = reader_u64(reader);
	registers.values[6] = registers.values[29] = reader_u64(reader);
	registers.values[3] = reader_u64(reader);
	registers.values[16] = registers.values[30] = reader_u64(reader);
	return registers;
}

/* Each in memory of its own, so that what is read beside it is seen. */
static void *copy_of(struct reader *reader, size_t size)
{
	const void *bytes = reader_bytes(reader, size);
	void *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (bytes && size)
		memcpy(copy, bytes, size);
	return copy;
}

static void walk_it(uint8_t flags, const struct unwind_registers *registers, struct walk *walk,
		    struct reader *rest)
{
	size_t stack_size = reader_left(rest);
	void *stack = copy_of(rest, stack_size);
	static uint64_t addresses[MOST_FRAMES];
	const struct unwind_input input = { .machine = flags & IS_ARM64 ? EM_AARCH64 : EM_X86_64,
					    .registers = registers,
					    .stack_address = STACK,
					    .stack = stack,
					    .stack_size = stack_size,
					    .stack_cut = flags & IS_CUT,
					    .find = find,
					    .read_code = flags & HAS_NO_CODE ? NULL : read_code,
					    .context = walk };
	enum stack_end end = STACK_END_COUNT;

	for (size_t most = 1; most <= MOST_FRAMES; most *= 32)
		if (unwinder_walk(&input, addresses, most, &end) > most || end >= STACK_END_COUNT)
			abort();
	unwinder_entry_end(walk->table, CODE);
	free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_make(bytes, size);
	uint8_t flags = reader_u8(&reader);
	struct unwind_registers registers = read_registers(&reader);
	size_t row_bytes = reader_u16(&reader), code_bytes = reader_u16(&reader);
	struct walk walk = { .entry = flags & IS_ENTRY, .code_size = code_bytes };
	struct row_table *table = NULL;
	uint8_t *rows, *code;

	if (reader.bad || row_bytes > reader_left(&reader) ||
	    code_bytes > reader_left(&reader) - row_bytes)
		return 0;
	rows = copy_of(&reader, row_bytes);
	walk.code = code = copy_of(&reader, code_bytes);
	row_file_seal(rows, row_bytes);
	if (row_file_read(rows, row_bytes, &table, NULL) == 0)
		walk.table = row_table_rows(table);
	walk_it(flags, &registers, &walk, &reader);
	row_table_free(table);
	free(rows);
	free(code);
	return 0;
}

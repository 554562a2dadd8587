/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settled functions against a search through all of them by the rules as they are written. */
#include "elf/symbol_index.h"

#include <elf.h>

#include "tools.h"

enum { TEXT_START = 0x401000, TEXT_SIZE = 400, ROUNDS = 300, MOST = 60 };

static struct elf_file *open_text(const char *folder, struct buf *bytes)
{
	char path[TOOLS_PATH], source[64];
	struct elf_file *file;

	snprintf(source, sizeof(source), ".globl _start\n_start: .skip %d\n", TEXT_SIZE);
	tools_build(folder, "text", "assembler", "-nostdlib -static -Wl,-Ttext=0x401000", source,
		    path);
	assert_int_equal(tools_run(bytes, "cat '%s'", path), 0);
	assert_int_equal(elf_file_open_memory(bytes->bytes, bytes->size, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	return file;
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random >> 11;
}

/* Sized functions only: nested, crossing, alike. */
static struct symbol_index make(uint64_t *random)
{
	struct symbol_index functions = { 0 };
	size_t count = 1 + next_random(random) % MOST;
	char name[16];

	for (size_t i = 0; i < count; i++) {
		uint64_t start = next_random(random) % TEXT_SIZE;
		uint64_t size = 1 + next_random(random) % (TEXT_SIZE - start);

		if (next_random(random) % 3)
			size = 1 + size % 16;
		snprintf(name, sizeof(name), "%sf%zu", i % 2 ? "_" : "", i % 9);
		*vec_push(&functions.list) = (struct symbol_entry){
			.start = TEXT_START + start,
			.size = (uint32_t)size,
			.name = symbol_index_add_name(&functions, name),
			.info = (uint8_t)ELF64_ST_INFO(next_random(random) % 3,
						       next_random(random) % 2 ? STT_FUNC
									       : STT_NOTYPE),
		};
	}
	return functions;
}

/* The rules: of the functions that cover an address those that begin last; of these the best that
 * reaches it. */
static const struct symbol_entry *search(struct symbol_index *functions, uint64_t address)
{
	const struct symbol_entry *found = NULL;

	for (size_t i = 0; i < functions->list.count; i++) {
		const struct symbol_entry *function = &functions->list.items[i];

		if (address < function->start || address - function->start >= function->size)
			continue;
		if (!found || function->start > found->start ||
		    (function->start == found->start &&
		     symbol_index_compare(function, found, functions) < 0))
			found = function;
	}
	return found;
}

/* What a look-up does with the settled ones. */
static const struct symbol_entry *find(const struct symbol_index *functions, uint64_t address)
{
	uint32_t at = SYMBOL_INDEX_NONE;

	for (uint32_t i = 0; i < functions->list.count; i++) {
		if (functions->list.items[i].start <= address)
			at = i;
	}
	for (; at != SYMBOL_INDEX_NONE; at = functions->list.items[at].outer) {
		const struct symbol_entry *function = &functions->list.items[at];

		if (address - function->start < function->size)
			return function;
	}
	return NULL;
}

static void test_like_search(void **state)
{
	struct buf bytes = { 0 };
	struct elf_file *file = open_text(*state, &bytes);
	uint64_t random = 88172645463325252ULL;

	for (int round = 0; round < ROUNDS; round++) {
		struct symbol_index raw = make(&random), settled = { 0 };

		settled.names_size = raw.names_size;
		settled.names = malloc(raw.names_size);
		memcpy(settled.names, raw.names, raw.names_size);
		for (size_t i = 0; i < raw.list.count; i++)
			*vec_push(&settled.list) = raw.list.items[i];
		symbol_index_settle(&settled, file, true);
		for (uint64_t i = 0; i < TEXT_SIZE; i++) {
			const struct symbol_entry *wanted = search(&raw, TEXT_START + i);
			const struct symbol_entry *found = find(&settled, TEXT_START + i);

			assert_int_equal(wanted != NULL, found != NULL);
			if (!wanted)
				continue;
			assert_int_equal(found->start, wanted->start);
			assert_string_equal(symbol_index_name(&settled, found->name),
					    symbol_index_name(&raw, wanted->name));
		}
		symbol_index_compact(&settled, true);
		for (size_t i = 1; i < settled.list.count; i++)
			assert_true(settled.list.items[i].start >= settled.list.items[i - 1].start);
		symbol_index_done(&raw);
		symbol_index_done(&settled);
	}
	elf_file_free(file);
	buf_done(&bytes);
}

static void test_order_of_names(void **state)
{
	/* each is better than those after it */
	static const struct {
		const char *name;
		uint32_t size;
		uint8_t binding, type;
	} rows[] = {
		{ "zz", 1, STB_GLOBAL, STT_FUNC },   { "_b", 1, STB_GLOBAL, STT_FUNC },
		{ "a", 1, STB_WEAK, STT_FUNC },	     { "a@@V2", 1, STB_LOCAL, STT_FUNC },
		{ "aa@V1", 1, STB_LOCAL, STT_FUNC }, { "ab", 1, STB_LOCAL, STT_FUNC },
		{ "a", 1, STB_GLOBAL, STT_NOTYPE },  { "a", 0, STB_GLOBAL, STT_FUNC },
		{ "a", 0, STB_GLOBAL, STT_NOTYPE },
	};
	enum { COUNT = sizeof(rows) / sizeof(*rows) };
	struct symbol_index functions = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		*vec_push(&functions.list) = (struct symbol_entry){
			.name = symbol_index_add_name(&functions, rows[i].name),
			.size = rows[i].size,
			.info = ELF64_ST_INFO(rows[i].binding, rows[i].type)
		};
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t j = 0; j < COUNT; j++) {
			int order = symbol_index_compare(&functions.list.items[i],
							 &functions.list.items[j], &functions);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
	symbol_index_done(&functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_search),
		cmocka_unit_test(test_order_of_names),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/go_functions.h"

#include "elf/go_table.h"

enum { MOST_START_BYTES = 1024 }; /* _start and the code around it take 200 to 500 */

static void add_function(const struct go_function *function, uint32_t name,
			 struct functions *functions)
{
	uint64_t size = function->end - function->start;

	if (size > 0 && *functions_name(functions, name))
		*vec_push(&functions->list) = (struct function){
			.start = function->start,
			.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
			.name = name,
			.rank = FUNCTION_LOCAL | FUNCTION_TYPED | FUNCTION_SIZED,
			.kind = FUNCTION_SYMBOL,
		};
}

/* Bytes of the first function's section that no function in the table covers. */
static uint64_t bytes_outside(const struct elf_file *file, const struct function *first,
			      uint64_t end)
{
	const struct elf_section *code = elf_file_code_section(file, first->start);
	uint64_t bytes = end - first->start;

	return code && bytes < code->size ? code->size - bytes : 0;
}

bool go_functions_read(const struct elf_file *file, struct functions *functions, bool *ret_all)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(file);
	size_t before = functions->list.count;
	struct go_function function = { 0 };
	struct elf_section names;
	uint32_t first;

	if (!table)
		return false;
	names = go_table_names(table);
	if (functions_read_names(functions, file, &names, &first, NULL) < 0)
		return false;
	for (uint64_t i = 0; i < go_table_count(table); i++) {
		if (!go_table_function(table, i, &function))
			break;
		add_function(&function, first + function.name, functions);
	}
	if (functions->list.count == before)
		return false;
	*ret_all = bytes_outside(file, &functions->list.items[before], function.end) <=
		   MOST_START_BYTES;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/elf_symbols.h"

#include <elf.h>
#include <string.h>

struct table {
	const struct elf_file *file;
	struct functions *functions;
	uint32_t names_base, names_size;
};

static bool is_function_type(uint8_t info)
{
	unsigned type = ELF64_ST_TYPE(info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static uint8_t rank_of(const struct elf_symbol *symbol)
{
	unsigned binding = ELF64_ST_BIND(symbol->info);
	uint8_t rank = binding == STB_LOCAL  ? FUNCTION_LOCAL
		       : binding == STB_WEAK ? FUNCTION_WEAK
					     : FUNCTION_GLOBAL;

	if (is_function_type(symbol->info))
		rank |= FUNCTION_TYPED;
	if (symbol->size > 0)
		rank |= FUNCTION_SIZED;
	return rank;
}

/* Mapping symbols of the ARM and RISC-V ABIs mark code and data, and name nothing. */
static bool is_mapping_symbol(const struct elf_file *file, const char *name)
{
	uint16_t machine = elf_file_machine(file);

	if (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]);
}

/* True for labels that assemblers and plugins leave: ".L...", ".annobin...", mapping symbols.
 * Called only for symbols without a type: looking at every name would cost more than all other work
 * here. */
static bool is_label(const struct table *table, uint32_t name)
{
	const char *text = functions_name(table->functions, name);

	return text[0] == '.' || text[0] == '\0' || is_mapping_symbol(table->file, text);
}

static void add_symbol(struct table *table, struct elf_symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);
	uint32_t name = table->names_base + symbol->name;

	if (type != STT_NOTYPE && !is_function_type(symbol->info))
		return;
	if (!elf_symbol_address(table->file, symbol, &symbol->value) || symbol->name == 0 ||
	    symbol->name >= table->names_size)
		return;
	/* bit 0 of an ARM function's value selects the instruction set */
	if (elf_file_machine(table->file) == EM_ARM && is_function_type(symbol->info))
		symbol->value &= ~1ULL;
	if (!elf_file_code_section(table->file, symbol->value) ||
	    (type == STT_NOTYPE && is_label(table, name)))
		return;
	*vec_push(&table->functions->list) = (struct function){
		.start = symbol->value,
		.size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX,
		.name = name,
		.rank = rank_of(symbol),
		.kind = FUNCTION_SYMBOL,
	};
}

static void read_table(const struct elf_file *file, const struct elf_section *section,
		       struct functions *functions)
{
	const struct elf_section *names = elf_file_section(file, section->link);
	struct table table = { .file = file, .functions = functions };
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (!names || names->type != SHT_STRTAB || elf_file_read(file, section, &bytes, NULL) < 0 ||
	    functions_read_names(functions, file, names, &table.names_base, NULL) < 0)
		return;
	table.names_size = (uint32_t)names->size;
	vec_reserve(&functions->list, functions->list.count + section->size / sizeof(Elf64_Sym));
	reader = elf_file_reader(file, bytes, section->size);
	for (;;) {
		struct elf_symbol symbol = elf_symbol_next(file, &reader);

		if (reader.bad)
			break;
		add_symbol(&table, &symbol);
	}
	if (section->type == SHT_DYNSYM) {
		functions->dynamic = steal_ptr(bytes);
		functions->dynamic_size = section->size;
		functions->dynamic_names = table.names_base;
		functions->dynamic_names_size = table.names_size;
	}
}

static void read_tables(const struct elf_file *file, uint32_t type, struct functions *functions)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (section->type != type)
			continue;
		read_table(file, section, functions);
		return; /* the gABI allows one section of each type */
	}
}

void elf_symbols_read(const struct elf_file *file, struct functions *functions,
		      bool *ret_has_symtab)
{
	elf_symbols_read_static(file, functions, ret_has_symtab);
	read_tables(file, SHT_DYNSYM, functions);
}

void elf_symbols_read_static(const struct elf_file *file, struct functions *functions,
			     bool *ret_has_symtab)
{
	size_t before = functions->list.count;

	read_tables(file, SHT_SYMTAB, functions);
	*ret_has_symtab = functions->list.count > before;
}

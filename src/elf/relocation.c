/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/relocation.h"

#include <elf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "elf/elf_symbol.h"

enum operation { SKIP, SET, ADD, SUB };

/* SKIP: no effect, or an offset of a thread-local variable. */
static const struct kind {
	uint16_t machine;
	uint32_t type;
	enum operation operation;
	unsigned size;
} kinds[] = {
	{ EM_X86_64, R_X86_64_NONE, SKIP, 0 },
	{ EM_X86_64, R_X86_64_64, SET, 8 },
	{ EM_X86_64, R_X86_64_32, SET, 4 },
	{ EM_X86_64, R_X86_64_32S, SET, 4 },
	{ EM_X86_64, R_X86_64_DTPOFF32, SKIP, 4 },
	{ EM_X86_64, R_X86_64_DTPOFF64, SKIP, 8 },
	{ EM_386, R_386_NONE, SKIP, 0 },
	{ EM_386, R_386_32, SET, 4 },
	{ EM_386, R_386_TLS_LDO_32, SKIP, 4 },
	{ EM_AARCH64, R_AARCH64_NONE, SKIP, 0 },
	{ EM_AARCH64, R_AARCH64_ABS64, SET, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, SET, 4 },
	{ EM_AARCH64, R_AARCH64_TLS_DTPREL, SKIP, 8 },
	{ EM_ARM, R_ARM_NONE, SKIP, 0 },
	{ EM_ARM, R_ARM_ABS32, SET, 4 },
	{ EM_PPC64, R_PPC64_NONE, SKIP, 0 },
	{ EM_PPC64, R_PPC64_ADDR64, SET, 8 },
	{ EM_PPC64, R_PPC64_ADDR32, SET, 4 },
	{ EM_S390, R_390_NONE, SKIP, 0 },
	{ EM_S390, R_390_64, SET, 8 },
	{ EM_S390, R_390_32, SET, 4 },
	{ EM_RISCV, R_RISCV_NONE, SKIP, 0 },
	{ EM_RISCV, R_RISCV_64, SET, 8 },
	{ EM_RISCV, R_RISCV_32, SET, 4 },
	{ EM_RISCV, R_RISCV_ADD8, ADD, 1 },
	{ EM_RISCV, R_RISCV_ADD16, ADD, 2 },
	{ EM_RISCV, R_RISCV_ADD32, ADD, 4 },
	{ EM_RISCV, R_RISCV_ADD64, ADD, 8 },
	{ EM_RISCV, R_RISCV_SUB8, SUB, 1 },
	{ EM_RISCV, R_RISCV_SUB16, SUB, 2 },
	{ EM_RISCV, R_RISCV_SUB32, SUB, 4 },
	{ EM_RISCV, R_RISCV_SUB64, SUB, 8 },
	{ EM_RISCV, R_RISCV_SET8, SET, 1 },
	{ EM_RISCV, R_RISCV_SET16, SET, 2 },
	{ EM_RISCV, R_RISCV_SET32, SET, 4 },
};

/* A section being completed. */
struct job {
	const struct elf_file *file;
	uint8_t *bytes;
	size_t size;
	const uint8_t *symbols;
	size_t symbols_size;
};

struct entry {
	uint64_t offset, symbol, addend;
	uint32_t type;
	bool has_addend; /* false: the addend is in the section */
};

static bool is_table_of(const struct elf_file *file, size_t index,
			const struct elf_section *section)
{
	const struct elf_section *table = elf_file_section(file, index);

	return (table->type == SHT_RELA || table->type == SHT_REL) && table->size > 0 &&
	       elf_file_section(file, table->info) == section;
}

bool relocation_is_wanted(const struct elf_file *file, const struct elf_section *section)
{
	for (size_t i = 0; elf_file_is_relocatable(file) && i < elf_file_section_count(file); i++) {
		if (is_table_of(file, i, section))
			return true;
	}
	return false;
}

static struct entry next_entry(const struct job *job, struct reader *reader, bool has_addend)
{
	struct entry entry = { .offset = elf_file_word(job->file, reader),
			       .has_addend = has_addend };
	uint64_t info = elf_file_word(job->file, reader);

	if (has_addend)
		entry.addend = elf_file_word(job->file, reader);
	entry.symbol = elf_file_is_64(job->file) ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
	entry.type =
		(uint32_t)(elf_file_is_64(job->file) ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info));
	return entry;
}

static const struct kind *find_kind(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].machine == machine && kinds[i].type == type)
			return &kinds[i];
	}
	return NULL;
}

/* True if numbers are stored with the low byte first. */
static bool is_little(const struct job *job)
{
	bool host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return host != elf_file_reader(job->file, "", 0).swap;
}

static uint64_t get(const struct job *job, uint64_t offset, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		unsigned at = is_little(job) ? size - 1 - i : i;

		value = value << 8 | job->bytes[offset + at];
	}
	return value;
}

static void put(const struct job *job, uint64_t offset, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned at = is_little(job) ? i : size - 1 - i;

		job->bytes[offset + at] = (uint8_t)value;
		value >>= 8;
	}
}

/* The address a symbol stands for. False: it is not defined here. */
static bool find_symbol(const struct job *job, uint64_t index, uint64_t *ret_address)
{
	size_t size = elf_file_is_64(job->file) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct elf_symbol symbol;
	struct reader reader;

	if (index >= job->symbols_size / size)
		return false;
	reader = elf_file_reader(job->file, job->symbols + index * size, size);
	symbol = elf_symbol_next(job->file, &reader);
	return elf_symbol_address(job->file, &symbol, ret_address);
}

static int apply(const struct job *job, const struct entry *entry, struct err *err)
{
	uint16_t machine = elf_file_machine(job->file);
	const struct kind *kind = find_kind(machine, entry->type);
	uint64_t value = 0, there;

	if (!kind)
		return err_set(err, -ENOTSUP,
			       "its debug information has relocations of an unknown type (machine "
			       "%u, type %u)",
			       machine, entry->type);
	if (kind->operation == SKIP)
		return 0;
	if (entry->offset > job->size || kind->size > job->size - entry->offset)
		return err_set(err, -EINVAL, "a relocation lies outside its section");
	there = get(job, entry->offset, kind->size);
	if (find_symbol(job, entry->symbol, &value))
		value += kind->operation == SET && !entry->has_addend ? there : entry->addend;
	if (kind->operation != SET)
		value = kind->operation == ADD ? there + value : there - value;
	put(job, entry->offset, kind->size, value);
	return 0;
}

static int apply_table(struct job *job, const struct elf_section *table, struct err *err)
{
	const struct elf_section *symtab = elf_file_section(job->file, table->link);
	_cleanup_free_ uint8_t *symbols = NULL, *bytes = NULL;
	struct reader reader;
	int rc;

	if (!symtab || symtab->type != SHT_SYMTAB)
		return err_set(err, -EINVAL, "relocations without symbols");
	rc = elf_file_read(job->file, symtab, &symbols, err);
	if (rc == 0)
		rc = elf_file_read(job->file, table, &bytes, err);
	if (rc < 0)
		return rc;
	job->symbols = symbols;
	job->symbols_size = symtab->size;
	reader = elf_file_reader(job->file, bytes, table->size);
	while (rc == 0) {
		struct entry entry = next_entry(job, &reader, table->type == SHT_RELA);

		if (reader.bad)
			break;
		rc = apply(job, &entry, err);
	}
	return rc;
}

int relocation_apply(const struct elf_file *file, const struct elf_section *section, void *bytes,
		     size_t size, struct err *err)
{
	struct job job = { .file = file, .bytes = bytes, .size = size };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < elf_file_section_count(file); i++) {
		if (is_table_of(file, i, section))
			rc = apply_table(&job, elf_file_section(file, i), err);
	}
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of this program and of its libraries, with its unwind rows. */
#ifndef TESTS_UNIT_UNWIND_OWN_MODULES_H
#define TESTS_UNIT_UNWIND_OWN_MODULES_H

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/row_table.h"
#include "unwind/unwinder.h"

enum { MAX_FRAMES = 2048, RBP = 6, RSP = 7 };

#define NO_FRAME_POINTER __attribute__((noinline, noclone, optimize("omit-frame-pointer")))

struct module {
	uint64_t start, end, bias;
	struct row_table *rows;
	uint64_t entry, entry_end;
};

struct modules {
	VEC(struct module) list;
	/* For a module's file: the file to read rows from, in @path. NULL: the file itself. */
	void (*choose)(const char *file, char *path);
};

static inline void read_rows(struct module *module, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &module->rows, NULL), 0);
	module->entry = elf_file_entry(file);
	module->entry_end = unwinder_entry_end(row_table_rows(module->rows), module->entry);
	elf_file_free(file);
	close(fd);
}

static inline void read_chosen_rows(const struct modules *modules, struct module *module,
				    const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", file);
	if (modules->choose)
		modules->choose(file, path);
	read_rows(module, path);
}

static inline void read_vdso_rows(struct module *module)
{
	struct elf_file *file = NULL;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(vdso_copy(&bytes, &size, NULL), 0);
	assert_int_equal(elf_file_open_memory(bytes, size, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	assert_int_equal(row_table_compile(file, NULL, &module->rows, NULL), 0);
	elf_file_free(file);
	free(bytes);
}

static inline int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct modules *modules = context;
	bool vdso = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		struct module *module;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		module = vec_push(&modules->list);
		*module = (struct module){ .bias = info->dlpi_addr };
		module->start = info->dlpi_addr + segment->p_vaddr;
		module->end = module->start + segment->p_memsz;
		if (vdso)
			read_vdso_rows(module);
		else
			read_chosen_rows(modules, module,
					 info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
	}
	return 0;
}

static inline struct unwind_code find_code(void *context, uint64_t address)
{
	const struct modules *modules = context;

	for (size_t i = 0; i < modules->list.count; i++) {
		const struct module *module = &modules->list.items[i];
		uint64_t there = address - module->bias;

		if (address >= module->start && address < module->end)
			return (struct unwind_code){
				.mapped = true,
				.bias = module->bias,
				.table = row_table_rows(module->rows),
				.entry = there >= module->entry && there < module->entry_end,
			};
	}
	return (struct unwind_code){ .mapped = false };
}

static inline int set_up(void **state)
{
	struct modules *modules = calloc(1, sizeof(*modules));

	dl_iterate_phdr(add_module, modules);
	*state = modules;
	return 0;
}

static inline int tear_down(void **state)
{
	struct modules *modules = *state;

	for (size_t i = 0; i < modules->list.count; i++)
		row_table_free(modules->list.items[i].rows);
	vec_free(&modules->list);
	free(modules);
	return 0;
}

#endif

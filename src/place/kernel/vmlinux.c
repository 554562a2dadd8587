/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/vmlinux.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/elf_symbols.h"

static int check_identity(const struct kernel_core *core, const char *path,
			  const struct elf_build_id *file, const struct elf_build_id *running,
			  struct err *err)
{
	if (!running->size)
		return err_set(err, -EINVAL,
			       "%s: cannot be checked: the running kernel has no build id in "
			       "/sys/kernel/notes",
			       path);
	if (file->size != running->size || memcmp(file->bytes, running->bytes, file->size) != 0)
		return err_set(
			err, -EINVAL,
			"%s does not match the running kernel: its build id differs from the one "
			"in /sys/kernel/notes; without -L names come from /proc/kallsyms",
			path);
	if (!core->text)
		return err_set(err, -EINVAL,
			       "%s: the kernel's address is hidden in /proc/kallsyms: run as root, "
			       "or set kernel.kptr_restrict to 0",
			       path);
	return 0;
}

/* The function's start in the file; false also if several have its name. */
static bool find_only(const struct functions *functions, const char *name, uint64_t *ret_start)
{
	const struct function *found = NULL;

	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function *function = &functions->list.items[i];

		if (strcmp(functions_name(functions, function->name), name) != 0)
			continue;
		if (found && found->start != function->start)
			return false;
		found = function;
	}
	if (found)
		*ret_start = found->start;
	return found != NULL;
}

static enum kernel_rank rank_of(const struct function *function)
{
	if (function->rank & FUNCTION_GLOBAL)
		return KERNEL_RANK_GLOBAL;
	return function->rank & FUNCTION_WEAK ? KERNEL_RANK_WEAK : KERNEL_RANK_LOCAL;
}

static void fill(struct kernel_table *table, const struct functions *functions, uint64_t text)
{
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function *function = &functions->list.items[i];
		const char *name = functions_name(functions, function->name);
		struct kallsyms_line line = { .type = 't', .name = name, .module = "" };

		if (function->start - text > INT32_MAX || !kallsyms_is_code(&line))
			continue;
		kernel_table_add(table, (uint32_t)(function->start - text), function->size, name,
				 rank_of(function));
	}
}

static int read_functions(struct elf_file *file, const char *path, struct functions *functions,
			  struct err *err)
{
	bool has_symtab = false;
	int rc = elf_file_read_sections(file, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	elf_symbols_read(file, functions, &has_symtab);
	if (!has_symtab)
		return err_set(err, -EINVAL, "%s: no symbols", path);
	return 0;
}

int vmlinux_use(struct kernel_core *core, const char *path, const struct elf_build_id *running,
		struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct functions functions = { 0 };
	const char *name;
	uint64_t text = 0;
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	rc = elf_file_open(fd, &file, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	rc = check_identity(core, path, elf_file_build_id(file), running, err);
	if (rc == 0)
		rc = read_functions(file, path, &functions, err);
	name = kernel_core_bound_name(core->origin);
	if (rc == 0 && !find_only(&functions, name, &text))
		rc = err_set(err, -EINVAL, "%s: no symbol %s", path, name);
	if (rc == 0) {
		kernel_table_done(&core->table);
		fill(&core->table, &functions, text);
	}
	functions_done(&functions);
	return rc;
}

static int check_image(const struct image *image, const char *path, const struct elf_build_id *file,
		       struct err *err)
{
	if (!image->build_id_size)
		return err_set(
			err, -EINVAL,
			"%s: cannot be checked: the profile does not have its kernel's build id",
			path);
	if (file->size != image->build_id_size ||
	    memcmp(file->bytes, image->build_id, file->size) != 0)
		return err_set(err, -EINVAL,
			       "%s does not match the recorded kernel: its build id differs", path);
	return 0;
}

/* Uses the first function of the profile that the file has exactly once. */
static int find_shift(const struct functions *functions, const char *path,
		      const struct profile *profile, uint32_t image, uint64_t *ret_shift,
		      struct err *err)
{
	uint64_t start;

	for (size_t i = 1; i < profile->symbols.count; i++) {
		const struct symbol *symbol = &profile->symbols.items[i];

		if (symbol->image == image && symbol->kind == SYMBOL_NAMED &&
		    find_only(functions, profile_text(profile, symbol->name), &start)) {
			*ret_shift = start - symbol->start;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "%s: contains none of the kernel functions that were sampled",
		       path);
}

int vmlinux_open(const char *path, const struct profile *profile, uint32_t image, int *ret_fd,
		 uint64_t *ret_shift, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct functions functions = { 0 };
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	rc = elf_file_open(fd, &file, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	rc = check_image(&profile->images.items[image], path, elf_file_build_id(file), err);
	if (rc == 0)
		rc = read_functions(file, path, &functions, err);
	if (rc == 0)
		rc = find_shift(&functions, path, profile, image, ret_shift, err);
	if (rc == 0)
		*ret_fd = steal_fd(fd);
	functions_done(&functions);
	return rc;
}

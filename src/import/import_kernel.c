/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "elf/elf_file.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/kernel_modules.h"

enum {
	MAX_PIECES = 4096, /* each costs a new layout */
	MODULE_NAME = 64,
};

static const char KERNEL_PREFIX[] = "[kernel.";

static bool same_id(const struct elf_build_id *a, const struct elf_build_id *b)
{
	return a->size > 0 && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* "[kernel.kallsyms]"; in mappings a symbol's name follows. */
static bool is_kernel(const char *path)
{
	return strncmp(path, KERNEL_PREFIX, sizeof(KERNEL_PREFIX) - 1) == 0;
}

static struct elf_build_id build_id_of_kernel(const struct perf_data_facts *facts)
{
	struct elf_build_id id = { .size = 0 };

	for (size_t i = 0; i < facts->build_ids.count; i++) {
		const struct perf_data_build_id *told = &facts->build_ids.items[i];

		if (!is_kernel(told->path) || told->cpu_mode == PERF_RECORD_MISC_GUEST_KERNEL)
			continue;
		memcpy(id.bytes, told->bytes, told->size);
		id.size = told->size;
	}
	return id;
}

static int read_build_id(const char *path, struct elf_build_id *ret_id, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	rc = elf_file_open(fd, &file, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", path);
	*ret_id = *elf_file_build_id(file);
	return 0;
}

static int check_vmlinux(const char *path, const struct elf_build_id *recorded, struct err *err)
{
	struct elf_build_id id = { .size = 0 };
	int rc = read_build_id(path, &id, err);

	if (rc < 0)
		return rc;
	if (!recorded->size)
		return err_set(
			err, -EINVAL,
			"--vmlinux %s cannot be checked: the recording has no kernel build id",
			path);
	if (!same_id(&id, recorded))
		return err_set(err, -EINVAL,
			       "--vmlinux %s does not match the recorded kernel: build ids differ",
			       path);
	return 0;
}

int import_kernel_begin(struct import_kernel *kernel, struct import_profile *import,
			const struct perf_data_facts *facts, struct err *err)
{
	const struct import_options *options = import->options;
	struct elf_build_id recorded = build_id_of_kernel(facts), running = { .size = 0 };

	kernel_modules_build_id("/sys", NULL, &running);
	*kernel = (struct import_kernel){ .import = import,
					  .facts = facts,
					  .running = same_id(&recorded, &running) };
	kernel->named = options->kallsyms || options->vmlinux || kernel->running;
	if (options->kallsyms && access(options->kallsyms, R_OK) < 0)
		return err_set(err, -errno, "--kallsyms %s: %s", options->kallsyms,
			       strerror(errno));
	return options->vmlinux ? check_vmlinux(options->vmlinux, &recorded, err) : 0;
}

static bool is_our_release(const struct perf_data_facts *facts)
{
	struct utsname us;

	uname(&us);
	return facts->hostname && strcmp(facts->hostname, us.nodename) == 0 && facts->os_release &&
	       strcmp(facts->os_release, us.release) == 0;
}

/* Without a build id, accepts the running kernel if host and release match and it lies at the same
 * random address. */
static bool try_running(struct import_kernel *kernel, const struct kernel_recorded *recorded)
{
	const struct kernel_symbols_options source = { .recorded = recorded };
	struct kernel_symbols *symbols;

	if (recorded->build_id.size || !recorded->address || !is_our_release(kernel->facts) ||
	    kernel_symbols_new(kernel->import->profile, &source, &symbols, NULL) < 0)
		return false;
	kernel->running = kernel_symbols_same_boot(symbols);
	kernel->named |= kernel->running;
	kernel_symbols_free(symbols);
	return kernel->running;
}

/* Lays out the kernel with the symbol @bound at @address (0: hidden). */
static int lay(struct import_kernel *kernel, enum kernel_bound bound, uint64_t address,
	       uint64_t size, struct err *err)
{
	const struct import_options *options = kernel->import->options;
	struct kernel_recorded recorded = { .bound = bound,
					    .address = address,
					    .size = size,
					    .build_id = build_id_of_kernel(kernel->facts) };
	struct kernel_symbols_options source = {
		.recorded = &recorded,
		.kallsyms = options->kallsyms ? options->kallsyms : "/dev/null",
		.vmlinux = address ? options->vmlinux : NULL,
	};

	if (!options->kallsyms && !options->vmlinux &&
	    (kernel->running || try_running(kernel, &recorded)))
		source.kallsyms = NULL;
	return kernel_symbols_new(kernel->import->profile, &source, &kernel->import->frames.kernel,
				  err);
}

int import_kernel_need(struct import_kernel *kernel, struct err *err)
{
	return kernel->import->frames.kernel ? 0 : lay(kernel, KERNEL_BOUND_TEXT, 0, 0, err);
}

/* The name for "[name]" or "/lib/modules/.../name.ko.xz"; the file's may be spelled "na-me". */
static void module_name(const char *path, char *ret_name, size_t size)
{
	const char *base = path[0] == '[' ? path + 1 : file_base(path);
	size_t length = strcspn(base, path[0] == '[' ? "]" : ".");

	snprintf(ret_name, size, "%.*s", (int)(length < size ? length : size - 1), base);
	for (char *at = ret_name; *at; at++) {
		if (*at == '-')
			*at = '_';
	}
}

static struct elf_build_id build_id_of_module(const struct perf_data_facts *facts,
					      const struct perf_mmap *map)
{
	struct elf_build_id id = { .size = map->build_id_size };

	memcpy(id.bytes, map->build_id, map->build_id_size);
	for (size_t i = 0; !id.size && i < facts->build_ids.count; i++) {
		const struct perf_data_build_id *told = &facts->build_ids.items[i];

		if (strcmp(told->path, map->path) == 0) {
			memcpy(id.bytes, told->bytes, told->size);
			id.size = told->size;
		}
	}
	return id;
}

static int map_core(struct import_kernel *kernel, const struct perf_mmap *map, struct err *err)
{
	const char *symbol = strchr(map->path, ']');
	enum kernel_bound bound = symbol && strcmp(symbol + 1, "_stext") == 0 ? KERNEL_BOUND_STEXT
									      : KERNEL_BOUND_TEXT;
	uint64_t address = map->offset, size = UINT64_MAX;

	if (kernel->import->frames.kernel)
		return 0;
	/* Old versions of perf record a mapping from 0 to the end of the address space. */
	if (map->start && map->start + map->size > address)
		size = map->start + map->size - address;
	return lay(kernel, bound, address, size, err);
}

int import_kernel_map(struct import_kernel *kernel, const struct perf_mmap *map, struct err *err)
{
	struct elf_build_id id = { .size = 0 };
	char name[MODULE_NAME];
	int rc;

	if (strncmp(map->path, "[guest.", 7) == 0)
		return 0;
	if (is_kernel(map->path))
		return map_core(kernel, map, err);
	rc = import_kernel_need(kernel, err);
	if (rc < 0 || kernel->pieces++ >= MAX_PIECES)
		return rc;
	module_name(map->path, name, sizeof(name));
	id = build_id_of_module(kernel->facts, map);
	kernel_symbols_add_module(kernel->import->frames.kernel, name, map->start, map->size, &id);
	return 0;
}

void import_kernel_symbol(struct import_kernel *kernel, const struct perf_ksymbol *symbol)
{
	struct kernel_symbols *symbols = kernel->import->frames.kernel;

	if (!symbols || kernel->pieces++ >= MAX_PIECES)
		return;
	if (symbol->removed)
		kernel_symbols_code_removed(symbols, symbol->address, symbol->size);
	else
		kernel_symbols_code_added(symbols, symbol->address, symbol->size, symbol->name);
}

static void tell_pieces(const struct import_kernel *kernel, struct import_result *result)
{
	size_t beyond = kernel->pieces > MAX_PIECES ? kernel->pieces - MAX_PIECES : 0;
	char told[128];

	if (!beyond)
		return;
	snprintf(told, sizeof(told),
		 "the %zu changes of the kernel's modules and JIT code after the first %d", beyond,
		 MAX_PIECES);
	import_profile_not_visible(kernel->import, told);
	snprintf(result->left_out, sizeof(result->left_out), "%s are omitted", told);
}

void import_kernel_finish(struct import_kernel *kernel, struct import_result *result)
{
	struct kernel_symbols *symbols = kernel->import->frames.kernel;

	if (!symbols)
		return;
	tell_pieces(kernel, result);
	kernel_symbols_name_modules(symbols);
	if (!kernel->named)
		import_profile_not_visible(
			kernel->import,
			"the names of kernel code: the recorded kernel is not the running one; "
			"give its symbols with --kallsyms FILE or --vmlinux FILE");
}

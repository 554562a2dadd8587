/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "elf/elf_file.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/kernel_modules.h"

enum {
	MAX_PIECES = 4096, /* each costs a new layout */
	MODULE_NAME = 64,
};

static const char KERNEL_PREFIX[] = "[kernel.";

/* ---- files ---- */

DEFINE_EQUAL(has_path, struct perf_data_facts, build_ids.items, char, strcmp(a->path, b) == 0)

static uint64_t hash_path(const char *path)
{
	return hash_bytes(path, strlen(path));
}

static bool find(const struct import_maps *maps, const char *path, uint32_t *ret_row)
{
	return hashidx_find(&maps->index, hash_path(path), has_path, maps->facts, path, ret_row);
}

/* The list grows while records are read. If a path has several build ids, the first one counts. */
static void index_build_ids(struct import_maps *maps)
{
	for (; maps->indexed < maps->facts->build_ids.count; maps->indexed++) {
		const struct perf_data_build_id *id = &maps->facts->build_ids.items[maps->indexed];
		uint32_t row;

		if (id->size && !find(maps, id->path, &row))
			hashidx_add(&maps->index, hash_path(id->path), (uint32_t)maps->indexed);
	}
}

/* The recording's build id for a path; NULL: none. Borrowed until the next record. */
static const struct perf_data_build_id *build_id_of(struct import_maps *maps, const char *path)
{
	uint32_t row;

	index_build_ids(maps);
	return find(maps, path, &row) ? &maps->facts->build_ids.items[row] : NULL;
}

static bool is_our_host(const struct perf_data_facts *facts)
{
	struct utsname us;

	uname(&us);
	return !facts->hostname || strcmp(facts->hostname, us.nodename) == 0;
}

void import_maps_done(struct import_maps *maps)
{
	hashidx_done(&maps->index);
}

static void add_build_id(struct import_maps *maps, struct mapped_file *file)
{
	const struct perf_data_build_id *id =
		file->build_id_size ? NULL : build_id_of(maps, file->path);

	if (!id)
		return;
	file->build_id = id->bytes;
	file->build_id_size = id->size;
}

void import_maps_file(struct import_maps *maps, const struct perf_record *record)
{
	const struct perf_mmap *map = &record->mmap;
	bool other_vdso = strcmp(map->path, "[vdso]") == 0 && !maps->running;
	struct mapped_file file = { .path = other_vdso ? "[vdso of another kernel]" : map->path,
				    .start = map->start,
				    .end = map->start + map->size,
				    .offset = map->offset,
				    .dev = maps->same_host ? map->dev : 0,
				    .inode = maps->same_host ? map->inode : 0,
				    .build_id = map->build_id,
				    .build_id_size = map->build_id_size };
	struct mapping mapping;

	if (file.end <= file.start)
		return;
	add_build_id(maps, &file);
	mapping = image_files_map(maps->import->files, &file);
	machine_map(maps->import->machine, record->time_ns, record->pid, &mapping);
	if (maps->import->frames.jit)
		jit_mapped(maps->import->frames.jit,
			   machine_process_of(maps->import->machine, record->pid), &file);
}

/* ---- the kernel: which one ---- */

static bool same_id(const struct elf_build_id *a, const struct elf_build_id *b)
{
	return a->size > 0 && elf_file_build_id_is(a, b->bytes, b->size);
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

int import_maps_begin(struct import_maps *maps, struct import_profile *import,
		      const struct perf_data_facts *facts, struct err *err)
{
	const struct import_options *options = import->options;
	struct elf_build_id recorded = build_id_of_kernel(facts), running = { .size = 0 };

	kernel_modules_build_id("/sys", NULL, &running);
	*maps = (struct import_maps){ .import = import,
				      .facts = facts,
				      .same_host = is_our_host(facts),
				      .running = same_id(&recorded, &running) };
	maps->named = options->kallsyms || options->vmlinux || maps->running;
	if (maps->same_host || options->symfs)
		import->frames.jit =
			jit_new_of_past(import->profile, options->symfs ? options->symfs : "/");
	if (options->kallsyms && access(options->kallsyms, R_OK) < 0)
		return err_set(err, -errno, "--kallsyms %s: %s", options->kallsyms,
			       strerror(errno));
	return options->vmlinux ? check_vmlinux(options->vmlinux, &recorded, err) : 0;
}

/* ---- the kernel: where it lay ---- */

static bool is_our_release(const struct import_maps *maps)
{
	const struct perf_data_facts *facts = maps->facts;
	struct utsname us;

	uname(&us);
	return maps->same_host && facts->hostname && facts->os_release &&
	       strcmp(facts->os_release, us.release) == 0;
}

/* Without a build id, accepts the running kernel if host and release match and it lies at the same
 * random address. */
static bool try_running(struct import_maps *maps, const struct kernel_recorded *recorded)
{
	const struct kernel_symbols_options source = { .recorded = recorded };
	struct kernel_symbols *symbols;

	if (recorded->build_id.size || !recorded->address || !is_our_release(maps) ||
	    kernel_symbols_new(maps->import->profile, &source, &symbols, NULL) < 0)
		return false;
	maps->running = kernel_symbols_same_boot(symbols);
	maps->named |= maps->running;
	kernel_symbols_free(symbols);
	return maps->running;
}

/* Lays out the kernel with the symbol @bound at @address (0: hidden). */
static int lay(struct import_maps *maps, enum kernel_bound bound, uint64_t address, uint64_t size,
	       struct err *err)
{
	const struct import_options *options = maps->import->options;
	struct kernel_recorded recorded = { .bound = bound,
					    .address = address,
					    .size = size,
					    .build_id = build_id_of_kernel(maps->facts) };
	struct kernel_symbols_options source = {
		.recorded = &recorded,
		.kallsyms = options->kallsyms ? options->kallsyms : "/dev/null",
		.vmlinux = address ? options->vmlinux : NULL,
	};

	if (!options->kallsyms && !options->vmlinux &&
	    (maps->running || try_running(maps, &recorded)))
		source.kallsyms = NULL;
	return kernel_symbols_new(maps->import->profile, &source, &maps->import->frames.kernel,
				  err);
}

int import_maps_need_kernel(struct import_maps *maps, struct err *err)
{
	return maps->import->frames.kernel ? 0 : lay(maps, KERNEL_BOUND_TEXT, 0, 0, err);
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

static struct elf_build_id build_id_of_module(struct import_maps *maps, const struct perf_mmap *map)
{
	const struct perf_data_build_id *told =
		map->build_id_size ? NULL : build_id_of(maps, map->path);
	struct elf_build_id id = { .size = told ? told->size : map->build_id_size };

	memcpy(id.bytes, told ? told->bytes : map->build_id, id.size);
	return id;
}

static int map_core(struct import_maps *maps, const struct perf_mmap *map, struct err *err)
{
	const char *symbol = strchr(map->path, ']');
	enum kernel_bound bound = symbol && strcmp(symbol + 1, "_stext") == 0 ? KERNEL_BOUND_STEXT
									      : KERNEL_BOUND_TEXT;
	uint64_t address = map->offset, size = UINT64_MAX;

	if (maps->import->frames.kernel)
		return 0;
	/* Old versions of perf record a mapping from 0 to the end of the address space. */
	if (map->start && map->start + map->size > address)
		size = map->start + map->size - address;
	return lay(maps, bound, address, size, err);
}

int import_maps_kernel(struct import_maps *maps, const struct perf_mmap *map, struct err *err)
{
	struct elf_build_id id = { .size = 0 };
	char name[MODULE_NAME];
	int rc;

	if (strncmp(map->path, "[guest.", 7) == 0)
		return 0;
	if (is_kernel(map->path))
		return map_core(maps, map, err);
	rc = import_maps_need_kernel(maps, err);
	if (rc < 0 || maps->pieces++ >= MAX_PIECES)
		return rc;
	module_name(map->path, name, sizeof(name));
	id = build_id_of_module(maps, map);
	kernel_symbols_add_module(maps->import->frames.kernel, name, map->start, map->size, &id);
	return 0;
}

void import_maps_symbol(struct import_maps *maps, const struct perf_ksymbol *symbol)
{
	struct kernel_symbols *symbols = maps->import->frames.kernel;

	if (!symbols || maps->pieces++ >= MAX_PIECES)
		return;
	if (symbol->removed)
		kernel_symbols_code_removed(symbols, symbol->address, symbol->size);
	else
		kernel_symbols_code_added(symbols, symbol->address, symbol->size, symbol->name);
}

static void tell_pieces(const struct import_maps *maps, struct import_result *result)
{
	size_t beyond = maps->pieces > MAX_PIECES ? maps->pieces - MAX_PIECES : 0;
	char told[128];

	if (!beyond)
		return;
	snprintf(told, sizeof(told),
		 "the %zu changes of the kernel's modules and JIT code after the first %d", beyond,
		 MAX_PIECES);
	profile_not_visible(maps->import->profile, told);
	snprintf(result->left_out, sizeof(result->left_out), "%s are omitted", told);
}

void import_maps_finish(struct import_maps *maps, struct import_result *result)
{
	struct kernel_symbols *symbols = maps->import->frames.kernel;

	if (!symbols)
		return;
	tell_pieces(maps, result);
	kernel_symbols_name_modules(symbols);
	if (!maps->named)
		profile_not_visible(
			maps->import->profile,
			"the names of kernel code: the recorded kernel is not the running one; "
			"give its symbols with --kallsyms FILE or --vmlinux FILE");
}

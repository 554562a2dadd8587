/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_jit.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/xalloc.h"

enum {
	PAGE_BYTES = 4096,
	FUNCTIONS_MAX = 4096, /* of one BPF program; the kernel allows 256 */
};

/* By prefix of the name; the last row takes the rest. */
static const struct {
	const char *prefix, *image;
} kinds[] = {
	{ "ftrace_", "[ftrace]" },
	{ "kprobe_", "[kprobes]" },
	{ "", "[bpf]" },
};

static struct kernel_image *image_of(struct kernel_jit *jit, const char *name)
{
	struct kernel_identity identity = { .kind = IMAGE_BPF };
	size_t i = 0;

	while (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
		i++;
	identity.name = kinds[i].image;
	return kernel_tables_get(jit->tables, &identity);
}

void kernel_jit_add(struct kernel_jit *jit, uint64_t start, uint64_t size, const char *name,
		    enum kernel_rank rank)
{
	const struct kernel_function *function;
	struct kernel_image *image;

	size = size ? size : 1;
	if (!start || size > INT32_MAX || start + size < start)
		return;
	image = image_of(jit, name);
	function = kernel_table_append(&image->table, name, (uint32_t)size, rank);
	if (!function)
		return;
	kernel_jit_remove(jit, start, size);
	*vec_push(&jit->list) = (struct mapping){ .start = start,
						  .end = start + size,
						  .offset = function->start,
						  .image = image->image };
}

void kernel_jit_remove(struct kernel_jit *jit, uint64_t start, uint64_t size)
{
	size_t kept = 0;

	size = size ? size : 1;
	for (size_t i = 0; i < jit->list.count; i++) {
		struct mapping piece = jit->list.items[i];

		if (piece.end <= start || piece.start >= start + size)
			jit->list.items[kept++] = piece;
	}
	jit->list.count = kept;
}

bool kernel_jit_list(struct kernel_jit *jit, const struct kallsyms_line *line)
{
	bool builtin = strncmp(line->module, "__builtin__", 11) == 0;

	if (!builtin && strcmp(line->module, "bpf") != 0)
		return false;
	if (line->address && kallsyms_is_code(line))
		*vec_push(&jit->starts) = (struct kernel_jit_start){ .address = line->address,
								     .name = xstrdup(line->name),
								     .whole_pages = builtin };
	return true;
}

/* --- sizes of BPF programs --- */

static int call(enum bpf_cmd command, union bpf_attr *attr)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : (int)rc;
}

static int read_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

DEFINE_ORDER(by_address, struct kernel_jit_start, COMPARE(a->address, b->address))

static void set_size(struct kernel_jit *jit, uint64_t address, uint64_t size)
{
	struct kernel_jit_start key = { .address = address };
	struct kernel_jit_start *start =
		bsearch(&key, jit->starts.items, jit->starts.count, sizeof(key), by_address);

	if (start)
		start->size = size;
}

/* Sets the sizes of the functions of one program. */
static void size_program(struct kernel_jit *jit, int fd)
{
	struct bpf_prog_info info = { 0 };
	_cleanup_free_ uint64_t *starts = NULL;
	_cleanup_free_ uint32_t *sizes = NULL;
	uint32_t count;

	if (read_info(fd, &info) < 0 || !info.nr_jited_ksyms ||
	    info.nr_jited_ksyms != info.nr_jited_func_lens || info.nr_jited_ksyms > FUNCTIONS_MAX)
		return;
	count = info.nr_jited_ksyms;
	starts = xcalloc(count, sizeof(*starts));
	sizes = xcalloc(count, sizeof(*sizes));
	memset(&info, 0, sizeof(info));
	info.nr_jited_ksyms = info.nr_jited_func_lens = count;
	info.jited_ksyms = (uintptr_t)starts;
	info.jited_func_lens = (uintptr_t)sizes;
	if (read_info(fd, &info) < 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (starts[i] && sizes[i])
			set_size(jit, starts[i], sizes[i]);
	}
}

/* The kernel refuses without CAP_SYS_ADMIN or CAP_BPF: then the sizes stay unknown, and names
 * become "a->b". */
static void size_programs(struct kernel_jit *jit)
{
	union bpf_attr attr;
	uint32_t id = 0;

	for (;;) {
		_cleanup_close_ int fd = -1;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (call(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			return;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = call(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd >= 0)
			size_program(jit, fd);
	}
}

/* --- the listed pieces --- */

static void take(struct kernel_jit *jit, size_t index)
{
	struct kernel_jit_start *start = &jit->starts.items[index];
	uint64_t size = start->size;

	if (!size) {
		size = PAGE_BYTES - start->address % PAGE_BYTES;
		if (index + 1 < jit->starts.count && start[1].address - start->address < size)
			size = start[1].address - start->address;
	}
	kernel_jit_add(jit, start->address, size, start->name,
		       start->size || start->whole_pages ? KERNEL_RANK_LOCAL : KERNEL_RANK_GUESSED);
	free(start->name);
}

void kernel_jit_take_listed(struct kernel_jit *jit)
{
	if (!jit->starts.count)
		return;
	qsort(jit->starts.items, jit->starts.count, sizeof(*jit->starts.items), by_address);
	size_programs(jit);
	for (size_t i = 0; i < jit->starts.count; i++)
		take(jit, i);
	vec_free(&jit->starts);
}

void kernel_jit_done(struct kernel_jit *jit)
{
	for (size_t i = 0; i < jit->starts.count; i++)
		free(jit->starts.items[i].name);
	vec_free(&jit->starts);
	vec_free(&jit->list);
}

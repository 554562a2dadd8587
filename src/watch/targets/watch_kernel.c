/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_kernel.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/hashidx.h"
#include "base/search.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_text.h"

enum {
	MOST_FUNCTIONS = 1 << 22,
	MOST_LIST_BYTES = 64 << 20, /* of available_filter_functions; 2 MB are usual */
};

/* Code between two symbols that cannot be probed, and why. From kernel/kprobes.c and the
 * architectures' arch_populate_kprobe_blacklist. */
static const struct {
	const char *start, *end, *why;
} regions[] = {
	{ "__noinstr_text_start", "__noinstr_text_end", "it is marked noinstr" },
	{ "__kprobes_text_start", "__kprobes_text_end", "probes themselves use it (__kprobes)" },
	{ "__entry_text_start", "__entry_text_end", "it is kernel entry code" },
	{ "__idmap_text_start", "__idmap_text_end", "it runs without the usual mappings" },
	{ "__hyp_text_start", "__hyp_text_end", "it is hypervisor code" },
	{ "_sinittext", "_einittext", "it ran at boot and its memory was freed" },
};

enum { REGIONS = sizeof(regions) / sizeof(*regions) };

static const char blacklisted[] = "it is on the kernel's kprobe blacklist";

struct watch_kernel {
	VEC(struct watch_kernel_function) list;
	struct strpool texts;
	uint64_t bounds[REGIONS][2];
	VEC(uint64_t) blacklist;  /* start addresses; a few hundred */
	struct kernel_text *code; /* NULL: not opened yet */
	struct disassembler *disassembler;
};

/* ---- what there is ---- */

static void take_bound(struct watch_kernel *kernel, const struct kallsyms_line *line)
{
	for (size_t i = 0; i < REGIONS; i++) {
		if (strcmp(line->name, regions[i].start) == 0)
			kernel->bounds[i][0] = line->address;
		if (strcmp(line->name, regions[i].end) == 0)
			kernel->bounds[i][1] = line->address;
	}
}

/* Symbols that are no functions: padding before one, marks of a section's start or end. */
static bool is_mark(const char *name)
{
	static const char *const prefixes[] = { "__pfx_", "__cfi_", "__ksymtab_", "__kstrtab_" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return (length > 11 && strcmp(name + length - 11, "_text_start") == 0) ||
	       (length > 9 && strcmp(name + length - 9, "_text_end") == 0) ||
	       strcmp(name, "_etext") == 0 || strcmp(name, "_text") == 0 ||
	       strcmp(name, "_stext") == 0 || strcmp(name, "_sinittext") == 0 ||
	       strcmp(name, "_einittext") == 0;
}

/* BPF programs and trampolines, created at run time. */
static bool is_made(const char *module)
{
	return strcmp(module, "bpf") == 0 || strncmp(module, "__builtin__", 11) == 0;
}

static void take_line(void *context, const struct kallsyms_line *line)
{
	struct watch_kernel *kernel = context;

	if (!*line->module)
		take_bound(kernel, line);
	if (!kallsyms_is_code(line) || is_made(line->module) ||
	    kernel->list.count == MOST_FUNCTIONS)
		return;
	/* Keep a mark until it has ended the symbol before it. */
	*vec_push(&kernel->list) = (struct watch_kernel_function){
		.address = line->address,
		.name = is_mark(line->name) ? 0 : strpool_intern(&kernel->texts, line->name),
		.module = strpool_intern(&kernel->texts, line->module),
		.global = line->type < 'a',
		.listed = true,
	};
}

DEFINE_ORDER(by_address, struct watch_kernel_function,
	     COMPARE(a->address, b->address) ?: COMPARE(b->global, a->global))

/* Marks names that several functions of the kernel proper or of one module share. */
static void find_shared(struct watch_kernel *kernel)
{
	size_t texts = strpool_count(&kernel->texts);
	uint32_t *last = xcalloc(texts, sizeof(*last)); /* by name: index + 1 */

	for (size_t i = 0; i < kernel->list.count; i++) {
		struct watch_kernel_function *function = &kernel->list.items[i], *other;
		uint32_t before = last[function->name];

		last[function->name] = (uint32_t)i + 1;
		if (!before)
			continue;
		other = &kernel->list.items[before - 1];
		if (other->module == function->module && other->address != function->address)
			other->shares_name = function->shares_name = true;
	}
	free(last);
}

static void settle(struct watch_kernel *kernel)
{
	struct watch_kernel_function *items = kernel->list.items;
	size_t count = kernel->list.count, kept = 0;

	qsort(items, count, sizeof(*items), by_address);
	for (size_t i = 0, next = 0; i < count; i++) {
		while (next < count && items[next].address <= items[i].address)
			next++;
		items[i].size = next < count && items[next].module == items[i].module
					? items[next].address - items[i].address
					: 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (items[i].name)
			items[kept++] = items[i];
	}
	kernel->list.count = kept;
	find_shared(kernel);
}

/* ---- what may not be watched ---- */

/* Parses lines "0xADDRESS-0xEND\tNAME". */
static void read_blacklist(struct watch_kernel *kernel)
{
	static const char path[] = "/sys/kernel/debug/kprobes/blacklist";
	struct buf text = { 0 };
	char *rest, *line;

	if (file_read(path, MOST_LIST_BYTES, &text) == 0 && text.size) {
		rest = text.bytes;
		while ((line = strsep(&rest, "\n")))
			*vec_push(&kernel->blacklist) = strtoull(line, NULL, 16);
	}
	buf_done(&text);
}

static bool same_text(const void *owner, uint32_t id, const void *key)
{
	(void)owner;
	return id == *(const uint32_t *)key;
}

/* Parses lines "NAME" and "NAME [MODULE]". All functions with a listed name count as listed. */
static void read_filter(struct watch_kernel *kernel)
{
	static const char path[] = "/sys/kernel/tracing/available_filter_functions";
	struct hashidx listed = { 0 };
	struct buf text = { 0 };
	char *rest, *line;
	uint32_t id;

	if (file_read(path, MOST_LIST_BYTES, &text) < 0 || !text.size)
		goto done;
	rest = text.bytes;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		id = strpool_intern(&kernel->texts, line);
		if (!hashidx_find(&listed, hash_u64(id), same_text, NULL, &id, &id))
			hashidx_add(&listed, hash_u64(id), id);
	}
	for (size_t i = 0; i < kernel->list.count; i++) {
		id = kernel->list.items[i].name;
		kernel->list.items[i].listed =
			hashidx_find(&listed, hash_u64(id), same_text, NULL, &id, &id);
	}
done:
	hashidx_done(&listed);
	buf_done(&text);
}

const char *watch_kernel_refusal(const struct watch_kernel *kernel,
				 const struct watch_kernel_function *function)
{
	for (size_t i = 0; i < REGIONS; i++) {
		if (function->address >= kernel->bounds[i][0] &&
		    function->address < kernel->bounds[i][1] && kernel->bounds[i][0])
			return regions[i].why;
	}
	for (size_t i = 0; i < kernel->blacklist.count; i++) {
		if (kernel->blacklist.items[i] == function->address)
			return blacklisted;
	}
	return NULL;
}

/* ---- life ---- */

static bool is_hidden(const struct watch_kernel *kernel)
{
	return kernel->list.count == 0 || kernel->list.items[kernel->list.count - 1].address == 0;
}

int watch_kernel_new(struct watch_kernel **ret_kernel, struct err *err)
{
	_cleanup_(watch_kernel_freep) struct watch_kernel *kernel = xcalloc(1, sizeof(*kernel));
	const struct disassembler_options options = { .open_image = NULL };
	int rc;

	strpool_intern(&kernel->texts, "");
	kernel->disassembler = disassembler_new(&options);
	rc = kallsyms_read("/proc/kallsyms", take_line, kernel, err);
	if (rc < 0)
		return rc;
	settle(kernel);
	if (is_hidden(kernel))
		return err_set(err, -EACCES,
			       "kernel addresses are hidden from this user: run as root");
	read_blacklist(kernel);
	read_filter(kernel);
	*ret_kernel = steal_ptr(kernel);
	return 0;
}

void watch_kernel_free(struct watch_kernel *kernel)
{
	if (!kernel)
		return;
	vec_free(&kernel->list);
	vec_free(&kernel->blacklist);
	strpool_done(&kernel->texts);
	kernel_text_free(kernel->code);
	disassembler_free(kernel->disassembler);
	free(kernel);
}

/* ---- questions ---- */

size_t watch_kernel_count(const struct watch_kernel *kernel)
{
	return kernel->list.count;
}

const struct watch_kernel_function *watch_kernel_at(const struct watch_kernel *kernel, size_t index)
{
	return &kernel->list.items[index];
}

const char *watch_kernel_text(const struct watch_kernel *kernel, uint32_t text)
{
	return strpool_get(&kernel->texts, text);
}

const struct watch_kernel_function *watch_kernel_around(const struct watch_kernel *kernel,
							uint64_t address)
{
	const struct watch_kernel_function *items = kernel->list.items;
	size_t before = search_before(items, kernel->list.count, item, item->address <= address);

	if (before == 0)
		return NULL;
	for (before--; before > 0 && items[before - 1].address == items[before].address;)
		before--;
	return address - items[before].address < items[before].size ? &items[before] : NULL;
}

bool watch_kernel_has_module(const struct watch_kernel *kernel, const char *module)
{
	for (size_t i = 0; i < kernel->list.count; i++) {
		if (kernel->list.items[i].module &&
		    strcmp(watch_kernel_text(kernel, kernel->list.items[i].module), module) == 0)
			return true;
	}
	return false;
}

/* ---- code ---- */

static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct watch_kernel *kernel = context;
	const struct watch_kernel_function *function = watch_kernel_around(kernel, address);

	if (!function)
		return false;
	buf_add_str(name, watch_kernel_text(kernel, function->name));
	*ret_start = function->address;
	return true;
}

int watch_kernel_code(struct watch_kernel *kernel, uint64_t start, uint64_t end,
		      struct code_blocks *blocks, struct err *err)
{
	struct disassembler_bytes code = { .machine = code_machine_host(),
					   .start = start,
					   .size = end - start,
					   .name = name_address,
					   .context = kernel };
	_cleanup_free_ uint8_t *bytes = NULL;
	int rc = 0;

	if (end <= start || end - start > KERNEL_TEXT_MAX)
		return err_set(err, -EFBIG, "the end of the function is not known");
	if (!kernel->code)
		rc = kernel_text_open(&kernel->code, err);
	if (rc < 0)
		return rc;
	code.bytes = bytes = xmalloc(code.size);
	rc = kernel_text_read(kernel->code, start, bytes, code.size, err);
	if (rc == 0)
		rc = disassembler_bytes(kernel->disassembler, &code, code_blocks_take, blocks, err);
	if (rc == 0)
		code_blocks_find(blocks);
	return rc;
}

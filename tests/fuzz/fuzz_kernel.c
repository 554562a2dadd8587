/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of itself: /proc/kallsyms (or a copy of it, or a System.map), /proc/modules,
 * the notes of /sys. The first byte says which it is (KINDS); a whole kernel has its symbols, then
 * a byte of 0, then its modules.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz_folder.h"
#include "place/kernel/kallsyms.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/kernel_modules.h"
#include "target.h"

static volatile uint64_t sink;

static void take_line(void *context, const struct kallsyms_line *line)
{
	sink += strlen(line->name) + strlen(line->module) + kallsyms_is_code(line);
}

struct texts {
	char kallsyms[96], modules[96], sys[96];
};

static const struct texts *texts(void)
{
	static struct texts texts;

	snprintf(texts.kallsyms, sizeof(texts.kallsyms), "%s/kallsyms", fuzz_folder());
	snprintf(texts.modules, sizeof(texts.modules), "%s/modules", fuzz_folder());
	snprintf(texts.sys, sizeof(texts.sys), "%s/sys", fuzz_folder());
	return &texts;
}

static void try_kallsyms(const uint8_t *bytes, size_t size)
{
	const char *path = texts()->kallsyms;

	fuzz_folder_write(path, bytes, size);
	kallsyms_read(path, take_line, NULL, NULL);
}

static void try_modules(const uint8_t *bytes, size_t size)
{
	const char *path = texts()->modules;
	struct kernel_modules modules;

	fuzz_folder_write(path, bytes, size);
	if (kernel_modules_read(path, &modules) < 0)
		return;
	for (size_t i = 0; i < modules.list.count; i++)
		sink += strlen(modules.list.items[i].name);
	kernel_modules_done(&modules);
}

static void try_notes(const uint8_t *bytes, size_t size)
{
	struct elf_build_id id;

	kernel_modules_parse_notes(bytes, size, &id);
	if (id.size > sizeof(id.bytes))
		abort();
}

static void ask(struct kernel_symbols *symbols, const struct profile *profile, uint64_t address)
{
	struct symbol symbol;
	uint64_t offset;
	uint32_t image;

	kernel_symbols_place(symbols, address, &image, &offset);
	kernel_symbols_lookup(symbols, image, offset, &symbol);
	sink += strlen(strpool_get(&profile->strings, symbol.name)) +
		kernel_symbols_mark(symbols, address);
}

static void ask_lines(struct kernel_symbols *symbols, const struct profile *profile,
		      const uint8_t *bytes, size_t size)
{
	char *text = strndup((const char *)bytes, size), *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		uint64_t address = strtoull(line, NULL, 16);

		ask(symbols, profile, address);
		ask(symbols, profile, address + 3);
		ask(symbols, profile, address - 1);
	}
	free(text);
}

static void try_kernel(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, 0, size), *modules = end ? end + 1 : bytes + size;
	const struct kernel_symbols_options options = { .kallsyms = texts()->kallsyms,
							.modules = texts()->modules,
							.sys = texts()->sys };
	struct profile *profile = profile_new();
	struct kernel_symbols *symbols;
	struct err err;

	fuzz_folder_write(options.kallsyms, bytes, end ? (size_t)(end - bytes) : size);
	fuzz_folder_write(options.modules, modules, (size_t)(bytes + size - modules));
	if (kernel_symbols_new(profile, &options, &symbols, &err) == 0) {
		ask_lines(symbols, profile, bytes, size);
		kernel_symbols_code_added(symbols, 0xffffffffc0100000, 64, "bpf_prog_1");
		kernel_symbols_modules_replaced(symbols, true);
		kernel_symbols_modules_settled(symbols);
		ask_lines(symbols, profile, bytes, size);
		kernel_symbols_free(symbols);
	}
	profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static void (*const kinds[])(const uint8_t *bytes, size_t size) = {
		['a'] = try_kallsyms, ['m'] = try_modules, ['n'] = try_notes, ['k'] = try_kernel
	};

	if (size > 0 && bytes[0] < sizeof(kinds) / sizeof(*kinds) && kinds[bytes[0]])
		kinds[bytes[0]](bytes + 1, size - 1);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that describe a kernel, of the tests' own making, and what is read from them. */
#ifndef TESTS_UNIT_RESOLVE_KERNEL_FILES_H
#define TESTS_UNIT_RESOLVE_KERNEL_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "place/kernel/kernel_symbols.h"

/* A kernel of a few functions at 0xffffffff90000000, with the files that describe it. */
#define TEXT 0xffffffff90000000
#define CORE                                                   \
	"0000000000000000 A fixed_percpu_data\n"               \
	"ffffffff90000000 T _stext\n"                          \
	"ffffffff90000000 T _text\n"                           \
	"ffffffff90000000 T startup_64\n"                      \
	"ffffffff90001000 T __pfx_vfs_read\n"                  \
	"ffffffff90001010 T vfs_read\n"                        \
	"ffffffff90001010 W alias_of_vfs_read\n"               \
	"ffffffff90001100 t helper\n"                          \
	"ffffffff90001200 t helper\n"                          \
	"ffffffff90001300 T __do_softirq\n"                    \
	"ffffffff90001300 T __softirqentry_text_start\n"       \
	"ffffffff90001400 T asm_sysvec_apic_timer_interrupt\n" \
	"ffffffff90001500 T __cpuidle_text_start\n"            \
	"ffffffff90001500 t vendor_sleep\n"                    \
	"ffffffff90001600 T __cpuidle_text_end\n"              \
	"ffffffff90001600 t last\n"                            \
	"ffffffff90002000 T _etext\n"                          \
	"ffffffff90002000 D some_data\n"                       \
	"ffffffff90009000 T _sinittext\n"                      \
	"ffffffff90009000 t init_code\n"                       \
	"ffffffff90009800 T _einittext\n"

#define TCP_SYMBOLS                                  \
	"ffffffffc0010000 t tcp_mt\t[xt_tcp]\n"      \
	"ffffffffc0010100 t tcp_mt_exit\t[xt_tcp]\n" \
	"ffffffffc0012000 d tcp_data\t[xt_tcp]\n"    \
	"ffffffffc0020000 t udp_init\t[xt_tcp]\n"
#define UDP_SYMBOLS   "ffffffffc0010000 t udp_mt\t[xt_udp]\n"
#define OTHER_SYMBOLS "ffffffffc0014000 t other\t[other]\n"
#define MADE_SYMBOLS                                                  \
	"ffffffffc0100000 t ftrace_trampoline\t[__builtin__ftrace]\n" \
	"ffffffffc0200000 t bpf_prog_6deef7357e7b4530_sd_fw\t[bpf]\n" \
	"ffffffffc0200100 t bpf_prog_6deef7357e7b4530_sd_fw_2\t[bpf]\n"
#define TCP "xt_tcp 16384 0 - Live 0xffffffffc0010000\n"
#define UDP "xt_udp 16384 0 - Live 0xffffffffc0010000\n"
/* As since 6.4: the size includes what lies elsewhere, here beyond the next module. */
#define OTHER "other 4194304 0 - Live 0xffffffffc0014000\n"

struct kernel {
	char folder[64];
	char kallsyms[96], modules[96], map[96];
	struct profile *profile;
	struct kernel_symbols_options options;
	struct kernel_symbols *symbols;
};

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void write_build_id(const struct kernel *kernel, const char *relative, const char *id)
{
	static const char head[] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU";
	char command[256], path[256];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p %s/$(dirname %s)", kernel->folder, relative);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s", kernel->folder, relative);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(head, 1, sizeof(head), file);
	fwrite(id, 1, 20, file);
	fclose(file);
}

static inline int new_kernel(void **state)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	assert_non_null(kernel);
	strcpy(kernel->folder, "/tmp/test_kernel_XXXXXX");
	assert_non_null(mkdtemp(kernel->folder));
	snprintf(kernel->kallsyms, sizeof(kernel->kallsyms), "%s/kallsyms", kernel->folder);
	snprintf(kernel->modules, sizeof(kernel->modules), "%s/modules", kernel->folder);
	snprintf(kernel->map, sizeof(kernel->map), "%s/System.map", kernel->folder);
	write_build_id(kernel, "kernel/notes", "kernel's own id.....");
	kernel->options.kallsyms = kernel->kallsyms;
	kernel->options.modules = kernel->modules;
	kernel->options.sys = kernel->folder;
	kernel->profile = profile_new();
	write_file(kernel->kallsyms, CORE);
	write_file(kernel->modules, "");
	*state = kernel;
	return 0;
}

static inline int free_kernel(void **state)
{
	struct kernel *kernel = *state;
	char command[96];

	kernel_symbols_free(kernel->symbols);
	profile_free(kernel->profile);
	snprintf(command, sizeof(command), "rm -r %s", kernel->folder);
	assert_int_equal(system(command), 0);
	free(kernel);
	return 0;
}

static inline void start(struct kernel *kernel)
{
	struct err err = { 0 };

	if (kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err) < 0)
		fail_msg("%s", err.text);
}

static const struct image *image(const struct kernel *kernel, uint32_t id)
{
	return &kernel->profile->images.items[id];
}

static inline struct symbol symbol_of(struct kernel *kernel, uint64_t address)
{
	struct symbol symbol;
	uint64_t offset;
	uint32_t id;

	kernel_symbols_place(kernel->symbols, address, &id, &offset);
	kernel_symbols_lookup(kernel->symbols, id, offset, &symbol);
	assert_int_equal(symbol.image, id);
	return symbol;
}

static inline void assert_at(struct kernel *kernel, uint64_t address, const char *path,
			     const char *name)
{
	struct symbol symbol = symbol_of(kernel, address);

	assert_string_equal(profile_text(kernel->profile, image(kernel, symbol.image)->path), path);
	assert_string_equal(profile_text(kernel->profile, symbol.name), name);
}

#define WITH_KERNEL(test) cmocka_unit_test_setup_teardown(test, new_kernel, free_kernel)

#endif

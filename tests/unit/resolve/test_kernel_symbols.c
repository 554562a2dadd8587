/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

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

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void write_build_id(const struct kernel *kernel, const char *relative, const char *id)
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

static int new_kernel(void **state)
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

static int free_kernel(void **state)
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

static void start(struct kernel *kernel)
{
	struct err err = { 0 };

	if (kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err) < 0)
		fail_msg("%s", err.text);
}

static const struct image *image(const struct kernel *kernel, uint32_t id)
{
	return &kernel->profile->images.items[id];
}

static struct symbol symbol_of(struct kernel *kernel, uint64_t address)
{
	struct symbol symbol;
	uint64_t offset;
	uint32_t id;

	kernel_symbols_place(kernel->symbols, address, &id, &offset);
	kernel_symbols_lookup(kernel->symbols, id, offset, &symbol);
	assert_int_equal(symbol.image, id);
	return symbol;
}

static void assert_at(struct kernel *kernel, uint64_t address, const char *path, const char *name)
{
	struct symbol symbol = symbol_of(kernel, address);

	assert_string_equal(profile_text(kernel->profile, image(kernel, symbol.image)->path), path);
	assert_string_equal(profile_text(kernel->profile, symbol.name), name);
}

static void test_kernel_proper(void **state)
{
	struct kernel *kernel = *state;
	struct symbol symbol;
	uint64_t offset;
	uint32_t id;

	start(kernel);
	assert_false(kernel_symbols_hidden(kernel->symbols));
	assert_at(kernel, TEXT, "[kernel]", "startup_64");
	assert_at(kernel, TEXT + 0x100f, "[kernel]", "__pfx_vfs_read");
	assert_at(kernel, TEXT + 0x1010, "[kernel]", "vfs_read");
	assert_at(kernel, TEXT + 0x10ff, "[kernel]", "vfs_read");
	assert_at(kernel, TEXT + 0x1300, "[kernel]", "__do_softirq");
	assert_at(kernel, TEXT + 0x1fff, "[kernel]", "last");
	assert_at(kernel, TEXT + 0x97ff, "[kernel]", "init_code");
	symbol = symbol_of(kernel, TEXT + 0x1234);
	assert_int_equal(symbol.start, 0x1200); /* from _text: equal static names are told apart */
	assert_int_equal(symbol.size, 0x100);
	assert_int_equal(symbol.kind, SYMBOL_NAMED);
	kernel_symbols_place(kernel->symbols, TEXT + 0x1234, &id, &offset);
	assert_int_equal(offset, 0x1234);
	assert_int_equal(image(kernel, id)->kind, IMAGE_KERNEL);
	assert_int_equal(image(kernel, id)->state, IMAGE_STATE_READ);
	assert_int_equal(image(kernel, id)->build_id_size, 20);
	assert_memory_equal(image(kernel, id)->build_id, "kernel's own id.....", 20);
}

/* In a file that is not in order, _text need not come first, nor be the lowest. */
static void test_out_of_order(void **state)
{
	struct kernel *kernel = *state;

	write_file(kernel->kallsyms, "ffffffff90000200 t two\nffffffff8fff0000 t below\n"
				     "ffffffff90001000 T _etext\nffffffff90000100 t one\n"
				     "ffffffff90000000 T _text\n");
	start(kernel);
	assert_at(kernel, TEXT + 0x1ff, "[kernel]", "one");
	assert_at(kernel, TEXT + 0x200, "[kernel]", "two");
	assert_int_equal(symbol_of(kernel, TEXT + 0x210).start, 0x200);
	assert_at(kernel, TEXT - 0x10000, "[kernel unmapped]", "[kernel unmapped]");
}

static void test_nothing_there(void **state)
{
	static const uint64_t addresses[] = { TEXT - 1,	     TEXT + 0x2000,	 TEXT + 0x8fff,
					      TEXT + 0x9800, 0xffffffffc0010000, UINT64_MAX };
	struct kernel *kernel = *state;
	uint64_t offset;
	uint32_t id;

	start(kernel);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		kernel_symbols_place(kernel->symbols, addresses[i], &id, &offset);
		assert_int_equal(offset, addresses[i]);
		assert_int_equal(image(kernel, id)->kind, IMAGE_BUCKET);
		assert_at(kernel, addresses[i], "[kernel unmapped]", "[kernel unmapped]");
		assert_int_equal(symbol_of(kernel, addresses[i]).kind, SYMBOL_NONE);
	}
}

static void test_hidden(void **state)
{
	struct kernel *kernel = *state;
	struct err err;
	uint64_t offset;
	uint32_t id;

	write_file(kernel->kallsyms, "0000000000000000 T _text\n0000000000000000 T vfs_read\n"
				     "0000000000000000 t f\t[xt_tcp]\n");
	write_file(kernel->modules, "xt_tcp 16384 0 - Live 0x0000000000000000\n");
	start(kernel);
	assert_true(kernel_symbols_hidden(kernel->symbols));
	kernel_symbols_place(kernel->symbols, TEXT + 5, &id, &offset);
	assert_int_equal(image(kernel, id)->state, IMAGE_STATE_HIDDEN);
	assert_at(kernel, TEXT + 5, "[kernel]", "[kernel]");
	assert_int_equal(symbol_of(kernel, TEXT + 5).kind, SYMBOL_NONE);
	assert_int_equal(kernel_symbols_context(kernel->symbols, &offset, 1), CONTEXT_TASK);
	kernel_symbols_free(kernel->symbols);
	kernel->symbols = NULL;
	write_file(kernel->map, CORE);
	kernel->options.system_map = kernel->map;
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "hidden"));
}

static void test_system_map(void **state)
{
	struct kernel *kernel = *state;

	/* Built for another address, with a symbol that kallsyms leaves out. */
	write_file(kernel->kallsyms, "ffffffff90000000 T _text\nffffffff90000100 t one\n"
				     "ffffffff90000200 T two\nffffffff90001000 T _etext\n");
	write_file(kernel->map, "ffffffff81000000 T _text\nffffffff81000100 t one\n"
				"ffffffff81000180 t one_and_a_half\nffffffff81000200 T two\n"
				"ffffffff81001000 T _etext\nffffffff81002000 D data\n");
	kernel->options.system_map = kernel->map;
	start(kernel);
	assert_at(kernel, TEXT + 0x17f, "[kernel]", "one");
	assert_at(kernel, TEXT + 0x180, "[kernel]", "one_and_a_half");
	assert_at(kernel, TEXT + 0x200, "[kernel]", "two");
}

/* As on arm64: kallsyms does not list _text, and says that _etext is data. */
static void test_text_not_listed(void **state)
{
	struct kernel *kernel = *state;

	write_file(kernel->kallsyms, "ffffffff90010000 T _stext\nffffffff90010100 t one\n"
				     "ffffffff90011000 D _etext\n");
	write_file(kernel->map, "ffff800080000000 T _text\nffff800080010000 T _stext\n"
				"ffff800080010100 t one\nffff800080010200 t two\n"
				"ffff800080011000 D _etext\n");
	kernel->options.system_map = kernel->map;
	start(kernel);
	assert_false(kernel_symbols_hidden(kernel->symbols));
	assert_at(kernel, TEXT + 0x101ff, "[kernel]", "one");
	assert_at(kernel, TEXT + 0x10200, "[kernel]", "two");
	assert_int_equal(symbol_of(kernel, TEXT + 0x10200).start, 0x200);
	assert_at(kernel, TEXT + 0x11000, "[kernel unmapped]", "[kernel unmapped]");
}

static void test_wrong_system_map(void **state)
{
	struct kernel *kernel = *state;
	struct err err;

	write_file(kernel->kallsyms, "ffffffff90000000 T _text\nffffffff90000100 t one\n"
				     "ffffffff90000200 T two\nffffffff90001000 T _etext\n");
	write_file(kernel->map, "ffffffff81000000 T _text\nffffffff81000100 t one\n"
				"ffffffff81000210 T two\nffffffff81001010 T _etext\n");
	kernel->options.system_map = kernel->map;
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "2 of the 4 functions"));
	assert_non_null(strstr(err.text, kernel->map));
	write_file(kernel->map, "ffffffff81000100 t one\n");
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-EINVAL);
	unlink(kernel->map);
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-ENOENT);
}

static void test_modules_at_start(void **state)
{
	struct kernel *kernel = *state;
	struct symbol symbol;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS OTHER_SYMBOLS);
	write_file(kernel->modules, OTHER TCP);
	write_build_id(kernel, "module/xt_tcp/notes/.note.gnu.build-id", "xt_tcp's id.........");
	start(kernel);
	assert_at(kernel, 0xffffffffc00100ff, "[xt_tcp]", "tcp_mt");
	assert_at(kernel, 0xffffffffc0010100, "[xt_tcp]", "tcp_mt_exit");
	assert_at(kernel, 0xffffffffc0013fff, "[xt_tcp]", "tcp_mt_exit");
	assert_at(kernel, 0xffffffffc0014000, "[other]", "other");
	symbol = symbol_of(kernel, 0xffffffffc0010123);
	assert_int_equal(symbol.start, 0x100);
	assert_int_equal(image(kernel, symbol.image)->kind, IMAGE_MODULE);
	assert_int_equal(image(kernel, symbol.image)->build_id_size, 20);
	assert_memory_equal(image(kernel, symbol.image)->build_id, "xt_tcp's id.........", 20);
	symbol = symbol_of(kernel, 0xffffffffc0014000);
	assert_int_equal(image(kernel, symbol.image)->build_id_size, 0);
}

/* One goes, another comes to the same place: addresses are the new one's, names stay everybody's.
 */
static void test_modules_come_and_go(void **state)
{
	struct kernel *kernel = *state;
	struct symbol symbol;
	uint64_t offset;
	uint32_t first, second;

	start(kernel);
	assert_at(kernel, 0xffffffffc0010100, "[kernel unmapped]", "[kernel unmapped]");
	write_file(kernel->kallsyms, CORE TCP_SYMBOLS);
	write_file(kernel->modules, TCP);
	kernel_symbols_modules_changed(kernel->symbols);
	kernel_symbols_place(kernel->symbols, 0xffffffffc0010100, &first, &offset);
	assert_at(kernel, 0xffffffffc0010100, "[xt_tcp]", "tcp_mt_exit");

	write_file(kernel->modules, "");
	kernel_symbols_modules_changed(kernel->symbols);
	assert_at(kernel, 0xffffffffc0010100, "[kernel unmapped]", "[kernel unmapped]");

	write_file(kernel->kallsyms, CORE UDP_SYMBOLS);
	write_file(kernel->modules, UDP);
	kernel_symbols_modules_changed(kernel->symbols);
	kernel_symbols_place(kernel->symbols, 0xffffffffc0010100, &second, &offset);
	assert_int_not_equal(first, second);
	assert_at(kernel, 0xffffffffc0010100, "[xt_udp]", "udp_mt");
	kernel_symbols_lookup(kernel->symbols, first, 0x100, &symbol);
	assert_string_equal(profile_text(kernel->profile, symbol.name), "tcp_mt_exit");

	/* Back elsewhere: the same image. */
	write_file(kernel->kallsyms, CORE);
	write_file(kernel->modules, UDP "xt_tcp 16384 0 - Live 0xffffffffc0030000\n");
	kernel_symbols_modules_changed(kernel->symbols);
	assert_int_equal(symbol_of(kernel, 0xffffffffc0030000).image, first);
	assert_at(kernel, 0xffffffffc0030000, "[xt_tcp]", "tcp_mt");
}

/* One went and another came, in an order nobody told: what both had is nobody's until that is
 * settled. */
static void test_modules_replaced(void **state)
{
	struct kernel *kernel = *state;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS);
	write_file(kernel->modules, TCP);
	start(kernel);
	write_file(kernel->kallsyms, CORE "ffffffffc0012000 t late\t[late]\n");
	write_file(kernel->modules, "late 16384 0 - Live 0xffffffffc0012000\n");
	kernel_symbols_modules_replaced(kernel->symbols, false);
	assert_at(kernel, 0xffffffffc0010100, "[xt_tcp]", "tcp_mt_exit");
	assert_at(kernel, 0xffffffffc0012100, "[module replaced]", "[module replaced]");
	assert_at(kernel, 0xffffffffc0014100, "[late]", "late");
	kernel_symbols_modules_settled(kernel->symbols);
	assert_at(kernel, 0xffffffffc0010100, "[kernel unmapped]", "[kernel unmapped]");
	assert_at(kernel, 0xffffffffc0012100, "[late]", "late");
}

/* More than one of a kind: a third may have been there in between. */
static void test_modules_replaced_often(void **state)
{
	struct kernel *kernel = *state;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS);
	write_file(kernel->modules, TCP);
	start(kernel);
	write_file(kernel->kallsyms, CORE);
	write_file(kernel->modules, "");
	kernel_symbols_modules_replaced(kernel->symbols, true);
	assert_at(kernel, 0xffffffffc0010100, "[module replaced]", "[module replaced]");
	kernel_symbols_modules_settled(kernel->symbols);
	assert_at(kernel, 0xffffffffc0010100, "[kernel unmapped]", "[kernel unmapped]");
}

/* Rebuilt between two loads: the build id tells. */
static void test_module_of_same_name(void **state)
{
	struct kernel *kernel = *state;
	uint32_t first;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS);
	write_file(kernel->modules, TCP);
	write_build_id(kernel, "module/xt_tcp/notes/.note.gnu.build-id", "the first id........");
	start(kernel);
	first = symbol_of(kernel, 0xffffffffc0010000).image;
	write_file(kernel->modules, "");
	kernel_symbols_modules_changed(kernel->symbols);
	write_file(kernel->modules, TCP);
	write_build_id(kernel, "module/xt_tcp/notes/.note.gnu.build-id", "the second id.......");
	write_file(kernel->kallsyms, CORE "ffffffffc0010000 t renamed\t[xt_tcp]\n");
	kernel_symbols_modules_changed(kernel->symbols);
	assert_int_not_equal(symbol_of(kernel, 0xffffffffc0010000).image, first);
	assert_at(kernel, 0xffffffffc0010000, "[xt_tcp]", "renamed");
}

/* A module whose symbols could not be read has its own name, and no other's. */
static void test_module_without_names(void **state)
{
	struct kernel *kernel = *state;

	start(kernel);
	write_file(kernel->modules, TCP);
	unlink(kernel->kallsyms);
	kernel_symbols_modules_changed(kernel->symbols);
	assert_at(kernel, 0xffffffffc0010100, "[xt_tcp]", "[xt_tcp]");
	assert_int_equal(symbol_of(kernel, 0xffffffffc0010100).kind, SYMBOL_NONE);
	unlink(kernel->modules);
	kernel_symbols_modules_changed(kernel->symbols);
	assert_at(kernel, 0xffffffffc0010100, "[kernel unmapped]", "[kernel unmapped]");
}

static void test_made_code_at_start(void **state)
{
	struct kernel *kernel = *state;
	struct symbol symbol;

	write_file(kernel->kallsyms, CORE MADE_SYMBOLS);
	start(kernel);
	assert_at(kernel, 0xffffffffc0100fff, "[ftrace]", "ftrace_trampoline");
	assert_at(kernel, 0xffffffffc0101000, "[kernel unmapped]", "[kernel unmapped]");
	/* No program of this kernel has these addresses: where they end is a guess. */
	assert_at(kernel, 0xffffffffc0200010, "[bpf]", "bpf_prog_6deef7357e7b4530_sd_fw->");
	assert_at(kernel, 0xffffffffc0200100, "[bpf]", "bpf_prog_6deef7357e7b4530_sd_fw_2->");
	symbol = symbol_of(kernel, 0xffffffffc0200010);
	assert_int_equal(symbol.kind, SYMBOL_BRACKET);
	assert_int_equal(image(kernel, symbol.image)->kind, IMAGE_BPF);
}

static void test_made_code_comes_and_goes(void **state)
{
	struct kernel *kernel = *state;
	struct symbol first, second, again;
	const uint64_t at = 0xffffffffc0200040;

	start(kernel);
	kernel_symbols_code_added(kernel->symbols, at, 200, "bpf_prog_1111_a");
	assert_at(kernel, at + 199, "[bpf]", "bpf_prog_1111_a");
	assert_at(kernel, at + 200, "[kernel unmapped]", "[kernel unmapped]");
	first = symbol_of(kernel, at);
	assert_int_equal(first.kind, SYMBOL_NAMED);
	assert_int_equal(first.size, 200);
	kernel_symbols_code_removed(kernel->symbols, at, 200);
	assert_at(kernel, at, "[kernel unmapped]", "[kernel unmapped]");

	kernel_symbols_code_added(kernel->symbols, at, 64, "bpf_prog_2222_b");
	second = symbol_of(kernel, at);
	assert_int_equal(second.image, first.image);
	assert_true(second.start >= first.start + 200);
	kernel_symbols_lookup(kernel->symbols, first.image, first.start + 50, &again);
	assert_int_equal(again.name, first.name);
	/* The same program again, elsewhere, over something that was never told to have gone. */
	kernel_symbols_code_added(kernel->symbols, at + 32, 200, "bpf_prog_1111_a");
	assert_at(kernel, at, "[kernel unmapped]", "[kernel unmapped]");
	again = symbol_of(kernel, at + 40);
	assert_int_equal(again.start, first.start);
	kernel_symbols_code_added(kernel->symbols, at + 0x1000, 0, "kprobe_insn_slot");
	assert_at(kernel, at + 0x1000, "[kprobes]", "kprobe_insn_slot");
}

static void test_made_code_over_a_module(void **state)
{
	struct kernel *kernel = *state;

	write_file(kernel->kallsyms, CORE OTHER_SYMBOLS);
	write_file(kernel->modules, OTHER);
	start(kernel);
	kernel_symbols_code_added(kernel->symbols, 0xffffffffc0200000, 64, "bpf_trampoline_7");
	assert_at(kernel, 0xffffffffc0200000, "[bpf]", "bpf_trampoline_7");
	write_file(kernel->modules, OTHER UDP);
	kernel_symbols_modules_changed(kernel->symbols);
	assert_at(kernel, 0xffffffffc0200000, "[bpf]", "bpf_trampoline_7");
	kernel_symbols_code_removed(kernel->symbols, 0xffffffffc0200000, 64);
	assert_at(kernel, 0xffffffffc0200000, "[other]", "other");
}

static void test_marks(void **state)
{
	struct kernel *kernel = *state;
	const uint64_t timer[] = { TEXT + 0x1110, TEXT + 0x1450, TEXT + 0x1050 };
	const uint64_t softirq[] = { TEXT + 0x1110, TEXT + 0x1350, TEXT + 0x1450 };

	start(kernel);
	assert_int_equal(kernel_symbols_mark(kernel->symbols, TEXT + 0x1300), KERNEL_MARK_SOFTIRQ);
	assert_int_equal(kernel_symbols_mark(kernel->symbols, TEXT + 0x14ff), KERNEL_MARK_HARDIRQ);
	/* No name we know, but the linker script put it among the idle routines. */
	assert_int_equal(kernel_symbols_mark(kernel->symbols, TEXT + 0x1500), KERNEL_MARK_IDLE);
	assert_int_equal(kernel_symbols_mark(kernel->symbols, TEXT + 0x1600), KERNEL_MARK_NONE);
	assert_int_equal(kernel_symbols_mark(kernel->symbols, TEXT + 0x1010), KERNEL_MARK_NONE);
	assert_int_equal(kernel_symbols_context(kernel->symbols, timer, 3), CONTEXT_HARDIRQ);
	assert_int_equal(kernel_symbols_context(kernel->symbols, softirq, 3), CONTEXT_SOFTIRQ);
	assert_int_equal(kernel_symbols_context(kernel->symbols, timer, 1), CONTEXT_TASK);
}

static void test_unreadable(void **state)
{
	struct kernel *kernel = *state;
	struct err err;

	write_file(kernel->kallsyms, "nonsense\n");
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-EINVAL);
	unlink(kernel->kallsyms);
	assert_int_equal(
		kernel_symbols_new(kernel->profile, &kernel->options, &kernel->symbols, &err),
		-ENOENT);
	kernel_symbols_free(NULL);
}

/* Random addresses of the running kernel. The oracle is sort(1) and awk: of all functions at the
 * nearest address before, which are its aliases, one must be our answer. */
static void test_this_machine(void **state)
{
	struct kernel *kernel = *state;
	struct kernel_symbols_options options = { 0 };
	char line[256], path[96];
	unsigned checked = 0;
	FILE *oracle;

	assert_int_equal(kernel_symbols_new(kernel->profile, &options, &kernel->symbols, NULL), 0);
	if (kernel_symbols_hidden(kernel->symbols)) {
		print_message("kernel addresses are hidden here\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/oracle", kernel->folder);
	write_file(
		path,
		"LC_ALL=C awk 'NF == 3 && $2 ~ /^[tTwW]$/' /proc/kallsyms | LC_ALL=C sort -k1,1 | "
		"awk 'BEGIN { srand(42) } $3 == \"_text\" { on = 1 } "
		"$1 != last && on && aliases != \"\" && rand() < 0.05 { print last, $1, aliases } "
		"$3 == \"_etext\" { exit } "
		"$1 != last { aliases = \",\"; last = $1 } { aliases = aliases $3 \",\" }' | "
		"awk 'length < 250'\n");
	snprintf(line, sizeof(line), "sh %s", path);
	oracle = popen(line, "r");
	assert_non_null(oracle);
	while (fgets(line, sizeof(line), oracle)) {
		char aliases[256], name[256];
		uint64_t first, next;

		assert_int_equal(
			sscanf(line, "%" SCNx64 " %" SCNx64 " %255s", &first, &next, aliases), 3);
		for (uint64_t address = first; address < next; address += (next - first + 1) / 2) {
			struct symbol symbol = symbol_of(kernel, address);

			snprintf(name, sizeof(name), ",%s,",
				 profile_text(kernel->profile, symbol.name));
			if (!strstr(aliases, name) || symbol.size != next - first)
				fail_msg("%" PRIx64 " is %s, expected one of %s", address, name,
					 aliases);
			checked++;
		}
	}
	pclose(oracle);
	print_message("%u addresses of this kernel\n", checked);
	assert_true(checked > 1000);
}

#define WITH_KERNEL(test) cmocka_unit_test_setup_teardown(test, new_kernel, free_kernel)

/* Every address that has a place is found again from it, as long as its code is there. */
static void test_address_of_a_place(void **state)
{
	static const uint64_t addresses[] = { TEXT,
					      TEXT + 0x1234,
					      TEXT + 0x97ff,
					      0xffffffffc0010000,
					      0xffffffffc0010123,
					      0xffffffffc0014001,
					      0xffffffffc0200010,
					      0xffffffffc0200101 };
	struct kernel *kernel = *state;
	uint64_t offset, address, gone;
	uint32_t id, module;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS OTHER_SYMBOLS MADE_SYMBOLS);
	write_file(kernel->modules, TCP OTHER);
	start(kernel);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		kernel_symbols_place(kernel->symbols, addresses[i], &id, &offset);
		assert_true(kernel_symbols_address(kernel->symbols, id, offset, &address));
		assert_int_equal(address, addresses[i]);
	}
	kernel_symbols_place(kernel->symbols, TEXT, &id, &offset);
	address = 7;
	assert_false(kernel_symbols_address(kernel->symbols, id, 0x5000, &address));
	assert_false(kernel_symbols_address(kernel->symbols, 0, 0x1234, &address));
	kernel_symbols_place(kernel->symbols, 0xffffffffc0010123, &module, &gone);
	write_file(kernel->modules, UDP);
	write_file(kernel->kallsyms, CORE UDP_SYMBOLS);
	kernel_symbols_modules_changed(kernel->symbols);
	assert_false(kernel_symbols_address(kernel->symbols, module, gone, &address));
	assert_int_equal(address, 7);
}

/* What lies over a module hides it, even at the same offset. */
static void test_address_of_what_is_covered(void **state)
{
	struct kernel *kernel = *state;
	uint64_t offset, address = 7;
	uint32_t id;

	write_file(kernel->kallsyms, CORE TCP_SYMBOLS);
	write_file(kernel->modules, TCP);
	start(kernel);
	kernel_symbols_place(kernel->symbols, 0xffffffffc0010000, &id, &offset);
	kernel_symbols_code_added(kernel->symbols, 0xffffffffc0010000, 64, "bpf_prog_1111_a");
	assert_false(kernel_symbols_address(kernel->symbols, id, offset, &address));
	assert_int_equal(address, 7);
	assert_true(kernel_symbols_address(kernel->symbols, id, offset + 64, &address));
}

static void test_made_code_by_name(void **state)
{
	const uint64_t at = 0xffffffffc0300000;
	struct kernel *kernel = *state;
	uint64_t offset, address;
	uint32_t id;

	start(kernel);
	kernel_symbols_code_added(kernel->symbols, at, 200, "bpf_prog_1111_a");
	kernel_symbols_code_added(kernel->symbols, at + 4096, 300, "bpf_prog_1111_a");
	kernel_symbols_place(kernel->symbols, at, &id, &offset);
	offset = 7;
	assert_false(kernel_symbols_find(kernel->symbols, id, "bpf_prog_1111_a", 201, &offset));
	assert_false(kernel_symbols_find(kernel->symbols, id, "bpf_prog_1111", 200, &offset));
	assert_int_equal(offset, 7);
	assert_true(kernel_symbols_find(kernel->symbols, id, "bpf_prog_1111_a", 300, &offset));
	assert_true(kernel_symbols_address(kernel->symbols, id, offset, &address));
	assert_int_equal(address, at + 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_KERNEL(test_kernel_proper),
		WITH_KERNEL(test_address_of_a_place),
		WITH_KERNEL(test_address_of_what_is_covered),
		WITH_KERNEL(test_made_code_by_name),
		WITH_KERNEL(test_out_of_order),
		WITH_KERNEL(test_nothing_there),
		WITH_KERNEL(test_hidden),
		WITH_KERNEL(test_system_map),
		WITH_KERNEL(test_text_not_listed),
		WITH_KERNEL(test_wrong_system_map),
		WITH_KERNEL(test_modules_at_start),
		WITH_KERNEL(test_modules_come_and_go),
		WITH_KERNEL(test_modules_replaced),
		WITH_KERNEL(test_modules_replaced_often),
		WITH_KERNEL(test_module_of_same_name),
		WITH_KERNEL(test_module_without_names),
		WITH_KERNEL(test_made_code_at_start),
		WITH_KERNEL(test_made_code_comes_and_goes),
		WITH_KERNEL(test_made_code_over_a_module),
		WITH_KERNEL(test_marks),
		WITH_KERNEL(test_unreadable),
		WITH_KERNEL(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

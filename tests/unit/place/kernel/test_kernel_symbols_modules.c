/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules and code that the kernel makes: they come and go. */
#include "place/kernel/kernel_files.h"

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

/* One is unloaded, another loaded in its place: addresses are those of the new one, but symbols
 * found earlier keep their names. */
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

/* One module was unloaded and another loaded, in an unknown order: addresses that both used belong
 * to neither until that is settled. */
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

/* Rebuilt between two loads: the build id shows it. */
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

static void test_jit_code_at_start(void **state)
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

static void test_jit_code_comes_and_goes(void **state)
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
	/* The same program again, elsewhere, over something whose removal was never reported. */
	kernel_symbols_code_added(kernel->symbols, at + 32, 200, "bpf_prog_1111_a");
	assert_at(kernel, at, "[kernel unmapped]", "[kernel unmapped]");
	again = symbol_of(kernel, at + 40);
	assert_int_equal(again.start, first.start);
	kernel_symbols_code_added(kernel->symbols, at + 0x1000, 0, "kprobe_insn_slot");
	assert_at(kernel, at + 0x1000, "[kprobes]", "kprobe_insn_slot");
}

static void test_jit_code_over_a_module(void **state)
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

static void test_jit_code_by_name(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_KERNEL(test_modules_at_start),
		WITH_KERNEL(test_modules_come_and_go),
		WITH_KERNEL(test_modules_replaced),
		WITH_KERNEL(test_modules_replaced_often),
		WITH_KERNEL(test_module_of_same_name),
		WITH_KERNEL(test_module_without_names),
		WITH_KERNEL(test_jit_code_at_start),
		WITH_KERNEL(test_jit_code_comes_and_goes),
		WITH_KERNEL(test_jit_code_over_a_module),
		WITH_KERNEL(test_jit_code_by_name),
		WITH_KERNEL(test_address_of_a_place),
		WITH_KERNEL(test_address_of_what_is_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

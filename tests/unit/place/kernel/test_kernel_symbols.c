/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>

#include "place/kernel/kernel_files.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_KERNEL(test_kernel_proper),    WITH_KERNEL(test_out_of_order),
		WITH_KERNEL(test_nothing_there),    WITH_KERNEL(test_hidden),
		WITH_KERNEL(test_system_map),	    WITH_KERNEL(test_text_not_listed),
		WITH_KERNEL(test_wrong_system_map), WITH_KERNEL(test_marks),
		WITH_KERNEL(test_unreadable),	    WITH_KERNEL(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

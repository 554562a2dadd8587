/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel of another boot or machine: its layout was recorded, its names come from a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "place/kernel/kernel_symbols.h"

#define THEN 0xffffffff81000000 /* where _text was when it was recorded */
#define MADE 0xffffffffc0200000

static const char names[] = "ffffffff90000000 T _text\n"
			    "ffffffff90000100 T _stext\n"
			    "ffffffff90001000 T vfs_read\n"
			    "ffffffff90001100 t __do_softirq\n"
			    "ffffffff90002000 T _etext\n"
			    "ffffffffc0010000 t tcp_mt\t[xt_tcp]\n"
			    "ffffffffc0200000 t bpf_prog_of_now\t[bpf]\n";

struct recorded {
	char kallsyms[64];
	int fd;
	struct profile *profile;
	struct kernel_symbols *symbols;
};

static void start(struct recorded *recorded, const char *text, enum kernel_bound bound,
		  uint64_t address)
{
	const struct kernel_recorded told = { .bound = bound,
					      .address = address,
					      .size = 0x200000,
					      .build_id = { "recorded.build.id...", 20 } };
	struct kernel_symbols_options options = { .recorded = &told,
						  .kallsyms = recorded->kallsyms };
	struct err err;

	recorded->fd = memfd_create("kallsyms", 0);
	assert_int_equal(write(recorded->fd, text, strlen(text)), strlen(text));
	snprintf(recorded->kallsyms, sizeof(recorded->kallsyms), "/proc/self/fd/%d", recorded->fd);
	recorded->profile = profile_new();
	if (kernel_symbols_new(recorded->profile, &options, &recorded->symbols, &err) < 0)
		fail_msg("%s", err.text);
}

static void stop(struct recorded *recorded)
{
	kernel_symbols_free(recorded->symbols);
	profile_free(recorded->profile);
	close(recorded->fd);
}

static void check(struct recorded *recorded, uint64_t address, const char *path, uint64_t offset,
		  const char *name)
{
	struct symbol symbol;
	uint64_t placed;
	uint32_t image;

	kernel_symbols_place(recorded->symbols, address, &image, &placed);
	kernel_symbols_lookup(recorded->symbols, image, placed, &symbol);
	assert_string_equal(
		profile_text(recorded->profile, recorded->profile->images.items[image].path), path);
	assert_int_equal(placed, offset);
	assert_string_equal(profile_text(recorded->profile, symbol.name), name);
}

static void names_move_with_the_kernel(void **state)
{
	struct recorded recorded;
	const struct elf_build_id none = { .size = 0 };
	const struct image *kernel;
	uint64_t offset;
	uint32_t image;

	start(&recorded, names, KERNEL_BOUND_TEXT, THEN);
	check(&recorded, THEN + 0x1010, "[kernel]", 0x1010, "vfs_read");
	kernel_symbols_place(recorded.symbols, THEN + 0x1010, &image, &offset);
	kernel = &recorded.profile->images.items[image];
	assert_int_equal(kernel->build_id_size, 20);
	assert_memory_equal(kernel->build_id, "recorded.build.id...", 20);
	assert_false(kernel_symbols_same_boot(recorded.symbols));
	/* Of another boot, modules are where they were then, without names. */
	kernel_symbols_add_module(recorded.symbols, "xt_tcp", 0xffffffffc0010000, 0x4000, &none);
	kernel_symbols_name_modules(recorded.symbols);
	check(&recorded, 0xffffffffc0010010, "[xt_tcp]", 0x10, "[xt_tcp]");
	stop(&recorded);
}

static void the_symbol_that_is_known_may_be_another(void **state)
{
	struct recorded recorded;

	start(&recorded, names, KERNEL_BOUND_STEXT, THEN + 0x100);
	check(&recorded, THEN + 0x1010, "[kernel]", 0x1010, "vfs_read");
	stop(&recorded);
}

static void of_the_same_boot_modules_have_names(void **state)
{
	const struct elf_build_id id = { "the module's own id.", 20 };
	struct recorded recorded;

	start(&recorded, names, KERNEL_BOUND_TEXT, 0xffffffff90000000);
	assert_true(kernel_symbols_same_boot(recorded.symbols));
	kernel_symbols_add_module(recorded.symbols, "xt_tcp", 0xffffffffc0010000, 0x4000, &id);
	kernel_symbols_add_module(recorded.symbols, "xt_tcp", 0xffffffffc0010000, 0x4000, &id);
	kernel_symbols_name_modules(recorded.symbols);
	check(&recorded, 0xffffffffc0010010, "[xt_tcp]", 0x10, "tcp_mt");
	stop(&recorded);
}

/* BPF programs are those of the recording, not those of today. */
static void jit_code_is_that_of_then(void **state)
{
	struct recorded recorded;

	start(&recorded, names, KERNEL_BOUND_TEXT, 0xffffffff90000000);
	check(&recorded, MADE, "[kernel unmapped]", MADE, "[kernel unmapped]");
	kernel_symbols_code_added(recorded.symbols, MADE, 100, "bpf_prog_of_then");
	check(&recorded, MADE + 8, "[bpf]", 8, "bpf_prog_of_then");
	stop(&recorded);
}

static void without_names_places_are_kept(void **state)
{
	struct recorded recorded;

	start(&recorded, "", KERNEL_BOUND_TEXT, THEN);
	assert_false(kernel_symbols_same_boot(recorded.symbols));
	check(&recorded, THEN + 0x1010, "[kernel]", 0x1010, "[kernel]");
	check(&recorded, THEN + 0x300000, "[kernel unmapped]", THEN + 0x300000,
	      "[kernel unmapped]");
	stop(&recorded);
	start(&recorded, "", KERNEL_BOUND_TEXT, 0);
	assert_true(kernel_symbols_hidden(recorded.symbols));
	check(&recorded, THEN + 0x1010, "[kernel]", THEN + 0x1010, "[kernel]");
	stop(&recorded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_move_with_the_kernel),
		cmocka_unit_test(the_symbol_that_is_known_may_be_another),
		cmocka_unit_test(of_the_same_boot_modules_have_names),
		cmocka_unit_test(jit_code_is_that_of_then),
		cmocka_unit_test(without_names_places_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

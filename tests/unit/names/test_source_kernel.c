/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symbol_source.h"

#include "base/xalloc.h"
#include "place/kernel/kernel_symbols.h"
#include "tools.h"

#define TEXT 0xffffffff90000000ULL

static uint32_t add_frame(struct profile *profile, struct kernel_symbols *kernel, uint64_t address,
			  enum frame_kind kind)
{
	struct frame frame = { .kind = kind };

	kernel_symbols_place(kernel, address, &frame.image, &frame.offset);
	return profile_frame(profile, &frame);
}

static void assert_named(void *made, const struct profile *profile, uint32_t frame,
			 const char *name, uint64_t start)
{
	const struct symbol_source *source = &symbol_source_kernel;
	struct symbol symbol;
	uint64_t changes = 0;

	assert_true(source->answers_for(
		made, &profile->images.items[profile->frames.items[frame].image]));
	assert_int_equal(source->look_up(made, frame, &changes, &symbol), SYMBOL_FOUND);
	assert_string_equal(profile_text(profile, symbol.name), name);
	assert_int_equal(symbol.start, start);
	assert_int_equal(symbol.kind, SYMBOL_NAMED);
}

/* Names of a kallsyms file; a return address is of the function that called. */
static void test_kallsyms(void **state)
{
	static const char text[] = "ffffffff90000000 T _text\nffffffff90000100 T first\n"
				   "ffffffff90000200 T second\nffffffff90001000 T _etext\n";
	char *folder = tools_folder();
	_cleanup_free_ char *kallsyms = xasprintf("%s/kallsyms", folder);
	struct kernel_symbols_options options = { .kallsyms = kallsyms,
						  .modules = "/dev/null",
						  .sys = folder };
	struct profile *profile = profile_new();
	struct kernel_symbols *kernel;
	void *made;

	(void)state;
	tools_write(kallsyms, text, sizeof(text) - 1);
	assert_int_equal(kernel_symbols_new(profile, &options, &kernel, NULL), 0);
	made = symbol_source_kernel.make(
		&(struct symbol_parts){ .profile = profile, .kernel = kernel });
	assert_non_null(made);
	assert_named(made, profile, add_frame(profile, kernel, TEXT + 0x200, FRAME_EXACT), "second",
		     0x200);
	assert_named(made, profile, add_frame(profile, kernel, TEXT + 0x200, FRAME_RETURN), "first",
		     0x100);
	assert_false(symbol_source_kernel.answers_for(made, &(struct image){ .kind = IMAGE_FILE }));
	assert_false(symbol_source_kernel.answers_for(made, &(struct image){ .kind = IMAGE_ANON }));
	symbol_source_kernel.free(made);
	kernel_symbols_free(kernel);
	profile_free(profile);
	tools_remove(folder);
}

static void test_no_kernel(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	assert_null(symbol_source_kernel.make(&(struct symbol_parts){ .profile = profile }));
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kallsyms),
					    cmocka_unit_test(test_no_kernel) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

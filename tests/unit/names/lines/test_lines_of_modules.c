/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of kernel modules, which are relocatable files, and of kernels: what compilers make for
 * several machines, against addr2line on the same files. */
#include "tools.h"

#include "base/xalloc.h"
#include "names/lines/lines.h"

/* Two sections of code, an inlined function, a line table with both. The build id is the one that a
 * kernel would report for the module. */
static const char source[] =
	"__asm__(\".pushsection .note.gnu.build-id,\\\"a\\\",%note\\n\"\n"
	"	\".balign 4\\n.long 4, 4, 3\\n.ascii \\\"GNU\\\\0\\\"\\n.ascii \\\"abcd\\\"\\n\"\n"
	"	\".popsection\");\n"
	"__asm__(\".globl _text\\n_text:\");\n"
	"static int table[64];\n"
	"static inline __attribute__((always_inline)) int mix(int a)\n"
	"{\n"
	"	a = a * 31 + table[a & 63];\n"
	"	return a ^ a >> 3;\n"
	"}\n"
	"int first(int a, int b)\n"
	"{\n"
	"	for (int i = 0; i < b; i++)\n"
	"		a += mix(a + i);\n"
	"	return a;\n"
	"}\n"
	"__attribute__((noinline, section(\".text.far\"))) int far_away(int a)\n"
	"{\n"
	"	table[a & 63] = a;\n"
	"	return mix(a);\n"
	"}\n"
	"int second(int a)\n"
	"{\n"
	"	if (a > 3)\n"
	"		a = far_away(a);\n"
	"	return a + 5;\n"
	"}\n";

enum { MOST_FUNCTIONS = 8, FAR_AWAY = 0x5000, NEAR = 0x40 };

struct function {
	char name[32], section[32];
	uint64_t start, size; /* in the section */
};

struct module {
	const char *folder; /* the test's */
	char path[TOOLS_PATH];
	struct function functions[MOST_FUNCTIONS];
	size_t count;
	uint64_t text; /* of a kernel: its symbol _text */
	const char *compiler;
	enum image_kind kind;
	struct profile *profile;
	uint32_t image;
	struct cache_folder *cache;
	struct debug_files *files;
	struct lines *lines;
};

/* Where a function is, as a profile counts: from where the kernel has put the section. */
static uint64_t place_of(const struct module *module, const struct function *function)
{
	if (module->kind == IMAGE_KERNEL)
		return function->start - module->text;
	return function->start + (strcmp(function->section, ".text") == 0 ? NEAR : FAR_AWAY);
}

/* The functions as nm has them: VALUE SIZE TYPE NAME, and the section by objdump. */
static void read_functions(struct module *module)
{
	struct buf out = { 0 };
	char *text, *line;

	assert_int_equal(tools_run(&out,
				   "objdump -t '%s' | awk '$3 == \"F\" { print $1, $4, $5, $6 }"
				   " $NF == \"_text\" { print \"_text\", $1 }'",
				   module->path),
			 0);
	text = out.bytes;
	while ((line = tools_line(&text)) && module->count < MOST_FUNCTIONS) {
		struct function *function = &module->functions[module->count];

		if (sscanf(line, "_text %lx", &module->text) == 1)
			continue;
		if (sscanf(line, "%lx %31s %lx %31s", &function->start, function->section,
			   &function->size, function->name) == 4)
			module->count++;
	}
	buf_done(&out);
	if (module->count != 3)
		fail_msg("%zu functions, not 3", module->count);
}

/* As a recording has it: names and where they were in memory. */
static void make_profile(struct module *module)
{
	struct profile *profile = module->profile = profile_new();
	struct image image = { .kind = module->kind,
			       .path = strpool_intern(&profile->strings, "[odd_one]"),
			       .build_id = "abcd",
			       .build_id_size = 4 };

	profile_set_text(&profile->run.kernel_release, "9.9.9-test");
	module->image = profile_image(profile, &image);
	for (size_t i = 0; i < module->count; i++) {
		const struct function *function = &module->functions[i];

		profile_symbol(profile, &(struct symbol){ .image = module->image,
							  .name = strpool_intern(&profile->strings,
										 function->name),
							  .start = place_of(module, function),
							  .size = function->size,
							  .kind = SYMBOL_NAMED });
	}
}

static void open_lines(struct module *module)
{
	const struct debug_options options = { .folders = &module->folder, .folder_count = 1 };

	module->files = debug_files_new(&options);
	module->lines =
		lines_new(module->profile, &(struct lines_options){ .debug_files = module->files,
								    .cache = module->cache });
}

static void close_module(struct module *module)
{
	lines_free(module->lines);
	debug_files_free(module->files);
	profile_free(module->profile);
}

/* "FILE:LINE" of each level, the innermost first. */
static void ours(struct module *module, uint64_t address, struct buf *text)
{
	size_t count;
	const struct line_place *places = lines_of(module->lines, module->image, address, &count);

	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(places[i].file, '/');

		buf_printf(text, "%s:%u ", slash ? slash + 1 : places[i].file, places[i].line);
	}
}

/* The same by addr2line, which counts from sections too. */
static void compare(struct module *module, const char *oracle, const struct function *function)
{
	struct buf theirs = { 0 }, text = { 0 };
	char section[64] = "", *at, *line;

	if (module->kind == IMAGE_MODULE)
		snprintf(section, sizeof(section), "-j %s", function->section);
	tools_run(&theirs,
		  "for i in $(seq %lu %lu); do printf '0x%%x\\n' $i; done |"
		  " %s -i %s -e '%s' | sed 's/ (.*//; s|.*/||; s/?$/0/'",
		  function->start, function->start + function->size - 1, oracle, section,
		  module->path);
	at = theirs.bytes;
	for (uint64_t i = 0; i < function->size; i++) {
		buf_clear(&text);
		ours(module, place_of(module, function) + i, &text);
		if (!text.size)
			fail_msg("%s+%lu has no line: %s", function->name, i,
				 lines_problem(module->lines, module->image)
					 ? lines_problem(module->lines, module->image)
					 : "");
		for (char *level = strtok(text.bytes, " "); level; level = strtok(NULL, " ")) {
			line = tools_line(&at);
			if (!line || strcmp(line, level) != 0)
				fail_msg("%s: %s+%lu: %s, not %s", module->compiler, function->name,
					 i, level, line ? line : "nothing");
		}
	}
	assert_null(tools_line(&at));
	buf_done(&theirs);
	buf_done(&text);
}

static bool compile(struct module *module, const char *compiler)
{
	bool is_module = module->kind == IMAGE_MODULE;

	char text[TOOLS_PATH];
	struct buf out = { 0 };
	int rc;

	module->compiler = compiler;
	snprintf(text, sizeof(text), "%s/odd.c", module->folder);
	snprintf(module->path, sizeof(module->path), "%s/%s", module->folder,
		 is_module ? "odd-one.ko" : "vmlinux-9.9.9-test");
	tools_write(text, source, strlen(source));
	rc = tools_run(&out, "%s -O2 %s '%s' -o '%s' 2>&1", compiler,
		       is_module ? "-c" : "-nostdlib -static -Wl,-e,first,--build-id=0x61626364",
		       text, module->path);
	buf_done(&out);
	return rc == 0;
}

static void expect(enum image_kind kind, const char *folder, const char *compiler,
		   const char *oracle)
{
	struct module module = { .folder = folder, .kind = kind };

	if (!compile(&module, compiler)) {
		print_message("left out: %s\n", compiler);
		return;
	}
	read_functions(&module);
	make_profile(&module);
	open_lines(&module);
	for (size_t i = 0; i < module.count; i++)
		compare(&module, oracle, &module.functions[i]);
	close_module(&module);
}

static void lines_are_those_of_addr2line(void **state)
{
	static const char *const flags[] = { "-g",	     "-gdwarf-2", "-gdwarf-3",
					     "-gdwarf-4",    "-gdwarf-5", "-gdwarf-5 -gz=zlib",
					     "-gdwarf-4 -gz" };
	char compiler[128];

	assert_true(compile(&(struct module){ .folder = *state, .kind = IMAGE_MODULE }, "gcc -g"));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		snprintf(compiler, sizeof(compiler), "gcc %s", flags[i]);
		expect(IMAGE_MODULE, *state, compiler, "addr2line");
	}
	expect(IMAGE_MODULE, *state, "gcc -m32 -g -fno-pic", "addr2line");
	expect(IMAGE_MODULE, *state, "aarch64-linux-gnu-gcc -g", "aarch64-linux-gnu-addr2line");
	expect(IMAGE_MODULE, *state, "aarch64-linux-gnu-gcc -gdwarf-4",
	       "aarch64-linux-gnu-addr2line");
}

static void lines_of_kernels(void **state)
{
	expect(IMAGE_KERNEL, *state, "gcc -g", "addr2line");
}

/* What was learned is kept on disk by build id; where sections are is not. */
static void they_are_the_same_from_the_cache(void **state)
{
	static const enum image_kind kinds[] = { IMAGE_MODULE, IMAGE_KERNEL };

	for (size_t i = 0; i < 2; i++) {
		struct module module = { .folder = *state, .kind = kinds[i] };
		char folder[TOOLS_PATH];

		snprintf(folder, sizeof(folder), "%s/cache-%zu", (const char *)*state, i);
		assert_true(compile(&module, "gcc -g"));
		read_functions(&module);
		for (int round = 0; round < 2; round++) {
			module.cache = cache_folder_new(folder, 1 << 20);
			make_profile(&module);
			open_lines(&module);
			compare(&module, "addr2line", &module.functions[0]);
			close_module(&module);
			cache_folder_free(module.cache);
		}
	}
}

/* The order of sections in the kernel is unknown: what rests on a name that is not unique is not
 * used, nor is a file of another module. */
static void what_is_not_sure_has_no_lines(void **state)
{
	struct module module = { .folder = *state, .kind = IMAGE_MODULE };
	struct buf text = { 0 };

	assert_true(compile(&module, "gcc -g"));
	read_functions(&module);
	make_profile(&module);
	/* another function of that name, in the one section with no other */
	profile_symbol(
		module.profile,
		&(struct symbol){ .image = module.image,
				  .name = strpool_intern(&module.profile->strings, "far_away"),
				  .start = 2 * FAR_AWAY,
				  .kind = SYMBOL_NAMED });
	open_lines(&module);
	ours(&module, FAR_AWAY + 1, &text);
	assert_int_equal(text.size, 0);
	ours(&module, NEAR + 1, &text);
	assert_int_not_equal(text.size, 0);
	lines_free(module.lines);
	buf_clear(&text);
	module.profile->images.items[module.image].build_id[0] = 'x';
	module.lines =
		lines_new(module.profile, &(struct lines_options){ .debug_files = module.files });
	ours(&module, NEAR + 1, &text);
	assert_int_equal(text.size, 0);
	assert_non_null(strstr(lines_problem(module.lines, module.image), "build id"));
	close_module(&module);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_those_of_addr2line, tools_set_up,
						tools_tear_down),
		cmocka_unit_test_setup_teardown(lines_of_kernels, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(they_are_the_same_from_the_cache, tools_set_up,
						tools_tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_sure_has_no_lines, tools_set_up,
						tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions whose names say what they return, as compilers describe them. */
#include "dwarf/function_types.h"

#include <fcntl.h>

#include "dwarf/unit_walk.h"
#include "tools.h"

static const char c_source[] =
	"#include <stdbool.h>\n"
	"typedef int status; typedef const volatile status told; typedef void nothing;\n"
	"enum few { A, B }; enum sign { C = -1, D };\n"
	"struct small { int a; }; union either { long a; double b; };\n"
	"#define F __attribute__((noinline, noclone, used))\n"
	"F void none_void(void) { }\n"
	"F nothing none_named(void) { }\n"
	"F double none_double(void) { return 1; }\n"
	"F long double none_longer(void) { return 1; }\n"
	"F struct small none_struct(void) { return (struct small){ -1 }; }\n"
	"F union either none_union(void) { return (union either){ -1 }; }\n"
	"F __int128 none_wide(void) { return -1; }\n"
	"F int s32_int(void) { return -1; }\n"
	"F told s32_named(void) { return -1; }\n"
	"F enum sign s32_enum(void) { return C; }\n"
	"F long s64_long(void) { return -1; }\n"
	"F short s16_short(void) { return -1; }\n"
	"F signed char s8_char(void) { return -1; }\n"
	"F bool u8_bool(void) { return true; }\n"
	"F unsigned char u8_char(void) { return 1; }\n"
	"F unsigned u32_unsigned(void) { return 1; }\n"
	"F enum few u32_enum(void) { return A; }\n"
	"F unsigned long u64_long(void) { return 1; }\n"
	"F const void *p64_void(void) { return 0; }\n"
	"F char *const p64_text(void) { return 0; }\n"
	"F int (*p64_function(void))(void) { return s32_int; }\n"
	"static inline __attribute__((always_inline)) int inside(int a) { return a + 1; }\n"
	"F static int s32_static(int a) { return inside(a); }\n"
	"int main(void) { return s32_static(s32_int()); }\n";

/* Definitions of members and of what is in namespaces refer to declarations. */
static const char cxx_source[] =
	"#define F __attribute__((noinline, used)) extern \"C\"\n"
	"enum class strong : short { A }; class object { int a[9]; };\n"
	"F int &u64_reference(int &a) { return a; }\n"
	"F int &&u64_moved(int &a) { return static_cast<int &&>(a); }\n"
	"F strong s16_enum() { return strong::A; }\n"
	"F bool u8_bool() { return true; }\n"
	"F char32_t u32_letter() { return U'a'; }\n"
	"F object none_class() { return object(); }\n"
	"namespace around { struct box { box(); int get(); static void *find(); }; }\n"
	"around::box::box() { }\n"
	"int around::box::get() { return 1; }\n"
	"void *around::box::find() { return nullptr; }\n"
	"int main() { return 0; }\n";

static const char assembly_source[] = "	.text\n	.globl main\n	.type main, @function\n"
				      "main:	ret\n	.size main, .-main\n";

static const struct {
	const char *prefix;
	struct probe_return returns;
} meanings[] = {
	{ "none_", { PROBE_RETURN_NOTHING, 0 } },
	{ "s8_", { PROBE_RETURN_SIGNED, 8 } },
	{ "s16_", { PROBE_RETURN_SIGNED, 16 } },
	{ "s32_", { PROBE_RETURN_SIGNED, 32 } },
	{ "s64_", { PROBE_RETURN_SIGNED, 64 } },
	{ "u8_", { PROBE_RETURN_UNSIGNED, 8 } },
	{ "u32_", { PROBE_RETURN_UNSIGNED, 32 } },
	{ "u64_", { PROBE_RETURN_UNSIGNED, 64 } },
	{ "p64_", { PROBE_RETURN_POINTER, 64 } },
	{ "main", { PROBE_RETURN_SIGNED, 32 } },
	{ "_ZN6around3boxC2Ev", { PROBE_RETURN_NOTHING, 0 } },
	{ "_ZN6around3box3getEv", { PROBE_RETURN_SIGNED, 32 } },
	{ "_ZN6around3box4findEv", { PROBE_RETURN_POINTER, 64 } },
};

/* A file's debug information, and which unit describes which addresses. */
struct opened {
	struct dwarf_file *file;
	struct interval_map map;
	struct function_types *types;
};

static void open_debug(const char *path, struct opened *opened)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(dwarf_file_open(fd, NULL, &opened->file, NULL), 0);
	unit_walk_map(opened->file, &opened->map);
	opened->types = function_types_new();
}

static void close_debug(struct opened *opened)
{
	function_types_free(opened->types);
	interval_map_done(&opened->map);
	dwarf_file_free(opened->file);
}

static struct probe_return returned_at(struct opened *opened, uint64_t address)
{
	uint32_t unit = interval_map_find(&opened->map, address);

	assert_int_not_equal(unit, INTERVAL_NONE);
	return function_types_returned(opened->types, opened->file->units.items[unit], address);
}

/* All functions of the file whose names say something, as nm(1) has them. Returns how many. */
static size_t compare_all(const char *path)
{
	struct opened opened;
	struct buf symbols = { 0 };
	char *text, *line;
	size_t compared = 0;

	open_debug(path, &opened);
	assert_int_equal(tools_run(&symbols, "nm '%s' | awk '$2 ~ /[tTW]/ { print $1, $3 }'", path),
			 0);
	text = symbols.bytes;
	while ((line = tools_line(&text))) {
		char *name;
		uint64_t address = strtoull(line, &name, 16);

		name++;
		for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
			struct probe_return got;

			if (strncmp(name, meanings[i].prefix, strlen(meanings[i].prefix)) != 0)
				continue;
			got = returned_at(&opened, address);
			if (got.kind != meanings[i].returns.kind ||
			    (got.kind != PROBE_RETURN_NOTHING &&
			     got.bits != meanings[i].returns.bits))
				fail_msg("%s: %s is kind %d of %d bits", path, name, got.kind,
					 got.bits);
			compared++;
		}
		/* in the midst of one no function begins */
		if (strcmp(name, "main") == 0)
			assert_int_equal(returned_at(&opened, address + 1).kind,
					 PROBE_RETURN_UNKNOWN);
	}
	close_debug(&opened);
	buf_done(&symbols);
	return compared;
}

static void test_c(void **state)
{
	static const char *const flags[] = { "-g -O0", "-gdwarf-4 -O2 -fno-ipa-icf",
					     "-gdwarf-5 -O2 -fno-ipa-icf",
					     "-gdwarf-3 -gstrict-dwarf -O1" };
	char path[TOOLS_PATH];

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		tools_build(*state, "c", "c", flags[i], c_source, path);
		assert_int_equal(compare_all(path), 23);
	}
}

static void test_cxx(void **state)
{
	char path[TOOLS_PATH];

	if (!tools_have("g++")) {
		print_message("needs g++\n");
		skip();
	}
	tools_build(*state, "cxx", "c++", "-g -O2 -fno-ipa-icf -std=c++17", cxx_source, path);
	assert_int_equal(compare_all(path), 10);
}

/* What the function @name of a file returns. */
static enum probe_return_kind kind_of(const char *path, const char *name)
{
	struct opened opened;
	struct buf symbol = { 0 };
	enum probe_return_kind kind;

	open_debug(path, &opened);
	assert_int_equal(tools_run(&symbol, "nm '%s' | grep ' %s$'", path, name), 0);
	kind = returned_at(&opened, strtoull(buf_text(&symbol), NULL, 16)).kind;
	close_debug(&opened);
	buf_done(&symbol);
	return kind;
}

/* Before DWARF 3 an enumeration had no underlying type, so its sign is unknown. */
static void test_enumerations(void **state)
{
	char path[TOOLS_PATH];

	tools_build(*state, "old", "c", "-gdwarf-2 -gstrict-dwarf -O1", c_source, path);
	assert_int_equal(kind_of(path, "s32_enum"), PROBE_RETURN_UNKNOWN);
	assert_int_equal(kind_of(path, "u32_enum"), PROBE_RETURN_UNKNOWN);
	assert_int_equal(kind_of(path, "s32_int"), PROBE_RETURN_SIGNED);
}

/* Half of a register is all that a pointer has there. */
static void test_32_bits(void **state)
{
	static const char source[] =
		"#define F __attribute__((noinline, noclone, used))\n"
		"F void *pointer(void) { return 0; } F long long wide(void) { return -1; }\n"
		"F int number(void) { return -1; } F long word(void) { return -1; }\n"
		"F unsigned letter(void) { return 1; } F void nothing(void) { }\n"
		"int main(void) { return 0; }\n";
	struct buf out = { 0 };
	char path[TOOLS_PATH];
	int rc = tools_run(&out,
			   "echo 'int main(void) { return 0; }' | gcc -m32 -nostdlib -static "
			   "-Wl,-e,main -x c - -o '%s/probe' 2>&1",
			   (const char *)*state);

	buf_done(&out);
	if (rc) {
		print_message("needs a compiler for 32 bits\n");
		skip();
	}
	tools_build(*state, "narrow", "c", "-m32 -g -O1 -nostdlib -static -Wl,-e,main", source,
		    path);
	assert_int_equal(kind_of(path, "pointer"), PROBE_RETURN_UNKNOWN);
	assert_int_equal(kind_of(path, "wide"), PROBE_RETURN_UNKNOWN);
	assert_int_equal(kind_of(path, "number"), PROBE_RETURN_SIGNED);
	assert_int_equal(kind_of(path, "word"), PROBE_RETURN_SIGNED);
	assert_int_equal(kind_of(path, "letter"), PROBE_RETURN_UNSIGNED);
	assert_int_equal(kind_of(path, "nothing"), PROBE_RETURN_NOTHING);
}

/* Assemblers describe functions, too, but not what these return. */
static void test_assembly(void **state)
{
	struct opened opened;
	struct buf symbol = { 0 };
	char path[TOOLS_PATH];

	tools_build(*state, "assembly", "assembler", "-g -Wa,-gdwarf-5", assembly_source, path);
	open_debug(path, &opened);
	assert_int_equal(tools_run(&symbol, "nm '%s' | grep ' main$'", path), 0);
	assert_int_equal(returned_at(&opened, strtoull(buf_text(&symbol), NULL, 16)).kind,
			 PROBE_RETURN_UNKNOWN);
	close_debug(&opened);
	buf_done(&symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_c, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_cxx, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_enumerations, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_32_bits, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_assembly, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

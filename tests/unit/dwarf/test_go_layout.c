/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a goroutine is found: what Go's own compiler, linker and debug information say of it, and the
 * assembler and linker of programs for which there is no Go here. */
#include "dwarf/go_layout.h"

#include <elf.h>
#include <fcntl.h>

#include "tools.h"

#define TABLE                                                  \
	".text\n.globl _start\n_start: nop\n"                  \
	".section .gopclntab, \"a\"\n.long 0xfffffff1, 0, 0\n" \
	".section .go.buildinfo, \"aw\"\n.balign 16\n"         \
	"info: .ascii \"\\xff Go buildinf:\"\n"

static void open_file(const char *path, struct elf_file **ret_file, int *ret_fd)
{
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_int_equal(elf_file_open(*ret_fd, ret_file, NULL), 0);
	assert_int_equal(elf_file_read_sections(*ret_file, NULL), 0);
}

static bool read_program(const char *path, struct go_runtime *ret_runtime)
{
	struct elf_file *file;
	bool is_go;
	int fd;

	open_file(path, &file, &fd);
	is_go = go_runtime_read(file, ret_runtime);
	elf_file_free(file);
	close(fd);
	return is_go;
}

/* Assembles and links folder/program. */
static void make(const char *folder, const char *code, const char *how)
{
	struct buf out = { 0 };
	char path[TOOLS_PATH];
	FILE *file;
	int rc;

	snprintf(path, sizeof(path), "%s/code.s", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(code, file);
	fclose(file);
	rc = tools_run(&out, "cc -nostdlib %s -o '%s/program' '%s' 2>&1", how, folder, path);
	if (rc)
		print_message("%s", buf_text(&out));
	buf_done(&out);
	assert_int_equal(rc, 0);
}

static struct go_runtime made(const char *folder, const char *code, const char *how)
{
	struct go_runtime runtime;
	char path[TOOLS_PATH];

	make(folder, code, how);
	snprintf(path, sizeof(path), "%s/program", folder);
	assert_true(read_program(path, &runtime));
	return runtime;
}

static struct go_runtime of_version(const char *folder, const char *version)
{
	char code[TOOLS_PATH];

	snprintf(code, sizeof(code), TABLE ".byte 8, 2\n.quad 0, 0\n.byte %zu\n.ascii \"%s\"\n",
		 strlen(version), version);
	return made(folder, code, "-static");
}

/* ---- versions ---- */

static void layouts_are_those_of_releases(void **state)
{
	static const struct {
		const char *version;
		uint16_t minor;
		uint32_t goid; /* 0: not known */
		bool has_register;
	} rows[] = {
		{ "go1.8.7", 8, 0, false },
		{ "go1.9", 9, 152, false },
		{ "go1.16.15", 16, 152, false },
		{ "go1.17", 17, 152, true },
		{ "go1.22rc1", 22, 152, true },
		{ "go1.23.4 X:boringcrypto", 23, 160, true },
		{ "go1.24", 24, 160, true },
		{ "go1.25.1", 25, 152, true },
		{ "go1.99", 99, 0, true },
		{ "go2.1", 0, 0, false },
		{ "go1.", 0, 0, false },
		{ "go1.25-devel_0123", 0, 0, false },
		{ "devel go1.23-abcdef", 0, 0, false },
		{ "", 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct go_runtime runtime = of_version(*state, rows[i].version);

		assert_int_equal(runtime.minor, rows[i].minor);
		assert_int_equal(runtime.has_goid, rows[i].goid != 0);
		assert_int_equal(runtime.goid, rows[i].goid);
		assert_int_equal(runtime.has_stack_hi, rows[i].minor >= 5);
		assert_int_equal(runtime.stack_hi, rows[i].minor >= 5 ? 8 : 0);
#ifdef __x86_64__
		assert_int_equal(runtime.g_register,
				 rows[i].has_register ? GO_G_R14 : GO_G_REGISTER_NONE);
#endif
	}
}

/* Go 1.13 to 1.17 */
static void versions_may_be_elsewhere(void **state)
{
	struct go_runtime runtime =
		made(*state,
		     TABLE ".byte 8, 0\n.quad header, 0\n"
			   ".data\nheader: .quad text, 8\ntext: .ascii \"go1.15.7junk\"\n",
		     "-static");

	assert_int_equal(runtime.minor, 15);
	runtime = made(*state, TABLE ".byte 8, 0\n.quad 64, 0\n", "-static");
	assert_int_equal(runtime.minor, 0);
}

static void damaged_versions_are_not_known(void **state)
{
	static const char *const rows[] = {
		TABLE,
		TABLE ".byte 8, 2\n.quad 0, 0\n",
		TABLE ".byte 8, 2\n.quad 0, 0\n.byte 200\n.ascii \"go1.19\"\n",
		TABLE ".byte 8, 2\n.quad 0, 0\n.fill 12, 1, 0xff\n",
		".section .gopclntab, \"a\"\n.long 0xfffffff1, 0, 0\n",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(made(*state, rows[i], "-static").minor, 0);
}

static void other_programs_are_not_go(void **state)
{
	struct go_runtime runtime;

	assert_false(read_program("/proc/self/exe", &runtime));
}

/* ---- thread-local storage ---- */

/* The first word of a section, where the linker put what it knows of the variable. */
static int64_t linked(const char *folder)
{
	const struct elf_section *section;
	struct elf_file *file;
	char path[TOOLS_PATH];
	int64_t word = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/program", folder);
	open_file(path, &file, &fd);
	section = elf_file_find(file, "truth");
	assert_non_null(section);
	assert_int_equal(elf_file_read_at(file, section->offset, &word, sizeof(word), NULL), 0);
	elf_file_free(file);
	close(fd);
	return word;
}

static void g_is_where_the_linker_put_it(void **state)
{
#ifdef __x86_64__
#define TLS(before, alignment, after)                                                       \
	TABLE ".section truth, \"a\"\n.quad runtime.tlsg@tpoff\n"                           \
	      ".section .tbss, \"awT\", @nobits\n.balign " alignment "\n.zero " before "\n" \
	      ".globl runtime.tlsg\n.type runtime.tlsg, @object\n.size runtime.tlsg, 8\n"   \
	      "runtime.tlsg: .zero 8\n.zero " after "\n"
	static const char *const rows[] = {
		TLS("0", "8", "0"),    TLS("16", "8", "0"),  TLS("8", "64", "4"),
		TLS("0", "8", "1001"), TLS("24", "32", "0"),
	};
	static const char *const ways[] = { "-static", "-pie -Wl,-z,notext",
					    "-static-pie -Wl,-z,notext" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t j = 0; j < sizeof(ways) / sizeof(ways[0]); j++) {
			struct go_runtime runtime = made(*state, rows[i], ways[j]);

			assert_true(runtime.has_g_tls);
			assert_int_equal(runtime.g_tls, linked(*state));
		}
	}
#else
	skip();
#endif
}

static void what_the_linker_leaves_open_is_not_known(void **state)
{
#ifdef __x86_64__
	struct go_runtime runtime = made(*state, TLS("8", "8", "0"), "-static -s");

	assert_false(runtime.has_g_tls); /* which of two is unknown */
	runtime = made(*state, TLS("0", "8", "0"), "-static -s");
	assert_true(runtime.has_g_tls);
	assert_int_equal(runtime.g_tls, -8);
	runtime = made(*state, TABLE, "-static"); /* as Go's own linker does */
	assert_true(runtime.has_g_tls);
	assert_int_equal(runtime.g_tls, -8);
	runtime = made(*state, TABLE ".section .tbss, \"awT\", @nobits\n.zero 8\n", "-shared");
	assert_false(runtime.has_g_tls);
#else
	skip();
#endif
}

/* ---- Go's own ---- */

static uint32_t readelf_offset(const char *folder, const char *structure, const char *member)
{
	struct buf out = { 0 };
	uint32_t offset;

	tools_run(&out,
		  "readelf --debug-dump=info '%s/program' | awk '/DW_AT_name/ { name = $NF } "
		  "/DW_TAG_structure_type/ { getline; inside = $NF == \"%s\" } "
		  "/DW_AT_data_member_location/ && inside && name == \"%s\" { print $NF; exit }'",
		  folder, structure, member);
	offset = (uint32_t)strtoul(buf_text(&out), NULL, 0);
	buf_done(&out);
	return offset;
}

static void check_against_readelf(const char *folder)
{
	struct go_runtime by_version = { 0 }, by_layout = { 0 };
	struct dwarf_file *dwarf;
	char path[TOOLS_PATH];
	int fd;

	snprintf(path, sizeof(path), "%s/program", folder);
	assert_true(read_program(path, &by_version));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(dwarf_file_open(fd, NULL, &dwarf, NULL), 0);
	assert_true(go_layout_read(dwarf, &by_layout));
	dwarf_file_free(dwarf);
	assert_int_equal(by_layout.goid, readelf_offset(folder, "runtime.g", "goid"));
	assert_int_equal(by_layout.stack_hi, readelf_offset(folder, "runtime.stack", "hi"));
	assert_true(by_version.minor > 0);
	if (by_version.has_goid) /* a later Go than the table has */
		assert_int_equal(by_version.goid, by_layout.goid);
	assert_int_equal(by_version.stack_hi, by_layout.stack_hi);
}

/* Its code for threads' variables has the offset in it. */
static void check_against_code(const char *folder)
{
	struct go_runtime runtime;
	struct buf out = { 0 };
	char path[TOOLS_PATH], wanted[64];

	snprintf(path, sizeof(path), "%s/program", folder);
	assert_true(read_program(path, &runtime));
	if (runtime.machine != EM_X86_64)
		return;
	assert_true(runtime.has_g_tls);
	snprintf(wanted, sizeof(wanted), "0x%llx", (unsigned long long)runtime.g_tls);
	tools_run(&out,
		  "objdump -d --no-show-raw-insn '%s' | grep -o -m 1 'fs:%s\\|$%s,%%r14' | grep -o "
		  "'0x[0-9a-f]*'",
		  path, wanted, wanted);
	out.bytes[strcspn(buf_text(&out), "\n")] = '\0';
	assert_string_equal(buf_text(&out), wanted);
	buf_done(&out);
}

static void gos_debug_information_agrees(void **state)
{
	static const char *const modes[] = { "exe", "pie" };
	struct buf out = { 0 };

	if (!tools_have("go")) {
		print_message("skip: needs go\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int rc = tools_run(&out,
				   "cd '%s' && printf 'package main\\nfunc main() {}\\n' > main.go "
				   "&& HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off go build "
				   "-buildmode=%s -o program main.go 2>&1",
				   (const char *)*state, modes[i]);

		if (rc)
			print_message("%s", buf_text(&out));
		assert_int_equal(rc, 0);
		check_against_readelf(*state);
		check_against_code(*state);
	}
	buf_done(&out);
}

static void programs_of_c_have_no_layout(void **state)
{
	struct go_runtime runtime = { .goid = 7 };
	struct dwarf_file *dwarf;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (dwarf_file_open(fd, NULL, &dwarf, NULL) < 0)
		skip();
	assert_false(go_layout_read(dwarf, &runtime));
	assert_int_equal(runtime.goid, 7);
	dwarf_file_free(dwarf);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, tools_set_up, tools_tear_down)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(layouts_are_those_of_releases),
		IN_FOLDER(versions_may_be_elsewhere),
		IN_FOLDER(damaged_versions_are_not_known),
		cmocka_unit_test(other_programs_are_not_go),
		IN_FOLDER(g_is_where_the_linker_put_it),
		IN_FOLDER(what_the_linker_leaves_open_is_not_known),
		IN_FOLDER(gos_debug_information_agrees),
		cmocka_unit_test(programs_of_c_have_no_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

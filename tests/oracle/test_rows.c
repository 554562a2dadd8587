/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_rows COMPARE_ROWS: rows of libraries, of what compilers and linkers make, and of what people
 * write, as readelf and libdw have them.
 */
#include "tools.h"

/* Of a run of compare_rows. */
struct compared {
	size_t files, rows, inexpressible;
};

/* Needs no header: the compiler for arm64 may have none. Frames of all sizes, realigned ones, early
 * returns, a callback. */
static const char c_source[] =
	"void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n"
	"void *memset(void *, int, unsigned long);\n"
	"void abort(void) __attribute__((noreturn));\n"
	"int chosen[4];\n"
	"static int order(const void *a, const void *b)\n"
	"{\n"
	"	return *(const int *)a - *(const int *)b;\n"
	"}\n"
	"__attribute__((noinline)) int wide(int n)\n"
	"{\n"
	"	char room[100000];\n"
	"	memset(room, n, sizeof(room));\n"
	"	return room[n] + n;\n"
	"}\n"
	"__attribute__((noinline)) int aligned(int n)\n"
	"{\n"
	"	int sorted[64] __attribute__((aligned(64)));\n"
	"	char *more = __builtin_alloca(n);\n"
	"	memset(more, n, n);\n"
	"	for (int i = 0; i < 64; i++)\n"
	"		sorted[i] = wide(i) ^ more[i % n];\n"
	"	qsort(sorted, 64, sizeof(int), order);\n"
	"	return sorted[n % 64];\n"
	"}\n"
	"__attribute__((noinline)) int early(int n, int *out)\n"
	"{\n"
	"	if (n < 3)\n"
	"		return n;\n"
	"	int a = aligned(n), b = aligned(n + 1), c = aligned(n + 2), d = aligned(n + 3);\n"
	"	out[a & 3] = b * c + d;\n"
	"	if (a == b)\n"
	"		abort();\n"
	"	return early(n - 1, out) + a * b;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	return early(argc + 5, chosen) & 1;\n"
	"}\n";

/* What compilers do not write. */
static const char assembler_source[] =
	".text\n.globl _start\n"
	"_start: .cfi_startproc\n.cfi_undefined rip\nnop\n.cfi_endproc\n"
	".p2align 4\n"
	"bare: .skip 40\n" /* no description */
	".p2align 4\n"
	"f: .cfi_startproc\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp, -16\nnop\n"
	".cfi_def_cfa_register rbp\n.cfi_remember_state\nnop\n"
	".cfi_def_cfa rsp, 8\n.cfi_restore rbp\n.cfi_rel_offset rbx, 24\nnop\n"
	".cfi_restore_state\n.skip 300\n.cfi_same_value rbp\n.skip 70000\n"
	".cfi_register rbp, rax\nnop\n.cfi_def_cfa r10, 0\nnop\n"
	".cfi_escape 0x0f,0x03,0x76,0x78,0x06\n" /* *(rbp - 8) */
	".cfi_escape 0x10,0x06,0x02,0x76,0x00\nnop\n"
	".cfi_escape 0x0f,0x05,0x77,0x28,0x06,0x23,0x08\nnop\n" /* *(rsp + 40) + 8 */
	".cfi_def_cfa_register rsp\nnop\n"
	".cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\nnop\n"
	".cfi_escape 0x12,0x07,0x7f\n.cfi_escape 0x13,0x7e\n.cfi_escape 0x2e,0x10\n"
	".cfi_escape 0x2f,0x06,0x02\nnop\n" /* GNU_negative_offset_extended */
	".cfi_escape 0x14,0x06,0x02\nnop\n"
	".cfi_escape 0x16,0x06,0x02,0x77,0x00\nnop\n"
	".cfi_endproc\n"
	"back_to_back: .cfi_startproc\n.cfi_def_cfa_offset 24\nret\n.cfi_endproc\n"
	"short_gap: .skip 7\n" /* code, not padding */
	"odd: .cfi_startproc simple\n.cfi_def_cfa rsp, 16\n.cfi_offset rip, -16\nret\n"
	".cfi_endproc\n"
	"trampoline: .cfi_startproc\n.cfi_signal_frame\n"
	".cfi_escape 0x0f,0x04,0x77,0xa0,0x01,0x06\n"
	".cfi_escape 0x10,0x10,0x03,0x77,0xa8,0x01\n"
	".cfi_escape 0x10,0x06,0x03,0x77,0xf8,0x00\nnop\n"
	".cfi_endproc\n"
	".section .text.b,\"ax\"\n"
	"elsewhere: .cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\npop %rbx\n.cfi_endproc\n";

static const char *compare_rows;

static struct compared compare(const char *files)
{
	struct compared sum = { 0, 0, 0 };
	struct buf out = { 0 };
	int rc = tools_run(&out, "'%s' %s 2>&1", compare_rows, files);
	char *text, *line;

	if (rc != 0)
		fail_msg("status %d: %s", rc, buf_text(&out));
	text = out.bytes;
	while (text && (line = tools_line(&text))) {
		const char *counts = strrchr(line, ':');
		size_t rows, places, libdw, gaps, inexpressible;

		assert_non_null(counts);
		assert_int_equal(sscanf(counts,
					": %zu rows, %zu places compared (%zu with libdw), "
					"%zu gaps, %zu inexpressible,",
					&rows, &places, &libdw, &gaps, &inexpressible),
				 5);
		assert_non_null(strstr(counts, " 0 different"));
		sum.files++;
		sum.rows += rows;
		sum.inexpressible += inexpressible;
	}
	buf_done(&out);
	return sum;
}

static struct compared compare_built(const char *folder, const char *name, const char *language,
				     const char *flags, const char *source)
{
	char path[TOOLS_PATH];
	struct compared compared;

	tools_build(folder, name, language, flags, source, path);
	compared = compare(path);
	assert_int_equal(compared.files, 1);
	return compared;
}

static void test_libraries(void **state)
{
	struct compared compared;
	struct buf out = { 0 };

	(void)state;
	tools_run(
		&out,
		"for name in libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libcrypto.so.3"
		" libgcrypt.so.20 libsqlite3.so.0 libelf.so.1 libz.so.1; do"
		" path=$(gcc -print-file-name=$name); [ -f \"$path\" ] && printf \"'%%s' \" "
		"\"$path\";"
		" done; printf \"'%%s' '%%s'\" /lib64/ld-linux-x86-64.so.2 \"$(command -v bash)\"");
	compared = compare(buf_text(&out));
	print_message("%zu rows of %zu files\n", compared.rows, compared.files);
	assert_true(compared.files >= 6);
	assert_true(compared.rows > 50000);
	assert_true(compared.inexpressible * 1000 < compared.rows);
	buf_done(&out);
}

static void test_compilers(void **state)
{
	static const char *const flags[] = {
		"-O0",
		"-O2",
		"-O2 -fomit-frame-pointer -fno-pie -no-pie",
		"-O2 -mstackrealign -fcf-protection=none",
		"-Os -fno-plt",
		"-O3 -static",
		"-O2 -fno-omit-frame-pointer -mcmodel=large -fpic",
		"-O2 -Wl,-z,lazy -Wl,-z,ibtplt",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		assert_true(compare_built(*state, "flags", "c", flags[i], c_source).rows > 10);
}

static void test_linkers(void **state)
{
	static const char *const linkers[] = { "gold", "lld", "mold" };
	size_t tried = 0;

	for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++) {
		char name[32], flags[64];

		snprintf(name, sizeof(name), "ld.%s", linkers[i]);
		snprintf(flags, sizeof(flags), "-O2 -fuse-ld=%s -Wl,-z,lazy", linkers[i]);
		if (!tools_have(name))
			continue;
		compare_built(*state, name, "c", flags, c_source);
		tried++;
	}
	if (tried == 0) {
		print_message("no other linker is installed\n");
		skip();
	}
}

static void test_assembler(void **state)
{
	struct compared compared =
		compare_built(*state, "odd", "assembler", "-nostdlib -static", assembler_source);

	assert_int_equal(compared.inexpressible, 0);
	assert_true(compared.rows > 15);
}

/* The start files have .eh_frame, all else has not. */
static void test_debug_frame(void **state)
{
	char source[sizeof(assembler_source) + 64];

	compare_built(*state, "debug", "c",
		      "-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions",
		      c_source);
	compare_built(*state, "packed", "c",
		      "-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -gz=zlib",
		      c_source);
	snprintf(source, sizeof(source), ".cfi_sections .debug_frame\n%s", assembler_source);
	assert_true(
		compare_built(*state, "debug_odd", "assembler", "-nostdlib -static", source).rows >
		15);
}

static void compare_arm64(const char *folder, const char *flags)
{
	char source[TOOLS_PATH], program[TOOLS_PATH];
	struct buf out = { 0 };
	struct compared compared;

	snprintf(source, sizeof(source), "%s/arm64.c", folder);
	snprintf(program, sizeof(program), "%s/arm64", folder);
	tools_write(source, c_source, strlen(c_source));
	if (tools_run(&out, "aarch64-linux-gnu-gcc %s -fpic -shared -nostdlib -o '%s' '%s' 2>&1",
		      flags, program, source))
		fail_msg("%s", buf_text(&out));
	compared = compare(program);
	assert_true(compared.rows > 20);
	buf_done(&out);
}

static void test_arm64(void **state)
{
	static const char *const flags[] = { "-O0", "-O2", "-O2 -fomit-frame-pointer",
					     "-O2 -mbranch-protection=standard" };

	if (!tools_have("aarch64-linux-gnu-gcc")) {
		print_message("needs aarch64-linux-gnu-gcc\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		compare_arm64(*state, flags[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),   cmocka_unit_test(test_compilers),
		cmocka_unit_test(test_linkers),	    cmocka_unit_test(test_assembler),
		cmocka_unit_test(test_debug_frame), cmocka_unit_test(test_arm64),
	};

	if (argc != 2)
		return 2;
	compare_rows = argv[1];
	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disassembler against objdump -d, on files of every kind that is made here. */
#include "code/disassembler.h"

#include "code/listing.h"

/* Everything that a listing has besides a sequence of instructions: data in .text with and without
 * a type, runs of zeroes of many lengths, aliases, jump tables, imports, thread locals. */
static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"__thread int tls_a = 3, tls_b; int shared_x = 5; static int quiet_y[100];\n"
	"int f(int a) { switch (a) { case 0: return 1; case 1: return puts(\"x\");\n"
	" case 2: return printf(\"%d\", shared_x); case 3: return (int)strlen(getenv(\"X\"));\n"
	" case 4: return quiet_y[a]; case 5: tls_a++; return tls_b++; default: return 7; } }\n"
	"static __attribute__((noinline)) int g(int a) { return f(a) * 3 + quiet_y[a]; }\n"
	"int main(int c, char **v) { (void)v; return g(c) + fprintf(stderr, \"y\"); }\n"
	"asm(\".text\\n.type table,%object\\n.size table,20\\n\"\n"
	" \"table: .long 1,0,0,0,0x41424344\\n.long 0,0,0,0\\n.type after,%function\\n\"\n"
	" \"after: nop\\n.byte 0,0\\nlabel3: nop\\n.byte 0,0,0,0,0\\nlabel4: nop\\n.Llocal: "
	"nop\\n\"\n"
	" \".globl alias\\nalias:\\n.size after,20\\n.skip 40\\nnop\\n.skip 11\\nnop\\n\"\n"
	" \"odd.o: nop\\n.dotted: ret\\n.byte 0\\n\");\n";

static void check(const char *folder, const char *language, const char *flags, const char *source)
{
	char path[TOOLS_PATH];
	size_t lines;

	tools_build(folder, "file", language, flags, source, path);
	lines = listing_compare(path);
	assert_true(lines > 10);
	print_message("%zu lines equal: %s\n", lines, flags);
}

static void test_links(void **state)
{
	static const char *const flags[] = {
		"-O2",
		"-O0 -fcf-protection=full",
		"-O2 -no-pie -fno-pie",
		"-O2 -Wl,-z,lazy -fcf-protection=none",
		"-O2 -Wl,-z,now -fno-plt",
		"-O2 -s",
		"-O2 -static-pie -s",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		check(*state, "c", flags[i], program);
}

/* Names with versions, two for one function, and words that name themselves. */
static void test_versions(void **state)
{
	char script[TOOLS_PATH], flags[2 * TOOLS_PATH];
	const char *map = "V1 { global: old; twice; };\n"
			  "V2 { global: fresh; twice; data; local: *; } V1;\n";

	snprintf(script, sizeof(script), "%s/map", (const char *)*state);
	tools_write(script, map, strlen(map));
	snprintf(flags, sizeof(flags), "-O2 -shared -fPIC -s -Wl,--version-script='%s'", script);
	check(*state, "c", flags,
	      "#include <stdio.h>\nint data = 1; int *word = &data;\n"
	      "int old(void) { return puts(\"old\") + data; }\n"
	      "int fresh(void) { return old() + *word; }\n"
	      "__asm__(\".symver twice_1, twice@V1\\n.symver twice_2, twice@@V2\");\n"
	      "int twice_1(void) { return fresh(); }\n"
	      "int twice_2(void) { return twice_1() + old() + (word == &data); }\n");
}

/* Names that share an address: each pair is decided by another rule. What is no code, an
 * instruction that a label cuts, an absolute symbol in the midst of the code. */
static const char labels[] =
	".text\n.globl _start\n_start: call a1\ncall b1\ncall c1\ncall d1\ncall e1\ncall f1\n"
	"call .dot1\ncall file.o\ncall plain\nret\n"
	".globl a1,a2\n.type a2,%function\na1:\na2: nop\n"
	".globl b1,b2\n.type b2,%object\nb1:\nb2: nop\n"
	".globl c1,c2\n.type c1,%function\n.type c2,%function\n.size c1,1\n.size c2,2\n"
	"c1:\nc2: nop\nnop\n.globl d2\nd1:\nd2: nop\n.weak e1\ne1:\ne2: nop\n"
	".globl f1,f0\nf1:\nf0: nop\n.globl .dot1,dot2\n.dot1:\ndot2: nop\n"
	".globl file.o,gile\n.type file.o,%function\nfile.o:\ngile: nop\n"
	".globl absolute\nabsolute = 0x10004\nplain: mov absolute,%eax\ncall absolute\n"
	"cut: .byte 0x48,0xb8\nbehind: nop\n.type short,%function\nshort: movabs $1,%rax\n"
	"ret\n.size short,1\n.globl odd\n.type odd,%function\nodd: .byte 0,0,0x48\n.size odd,1\n"
	".section .more,\"ax\"\nmore: jmp plain\n.skip 3\n";

static void test_labels(void **state)
{
	check(*state, "assembler", "-nostdlib -static -Wl,-Ttext=0x10000", labels);
	check(*state, "assembler", "-nostdlib -shared -Wl,-Bsymbolic -Wl,-z,notext", labels);
}

/* As a report asks: one function, whose size may end in the midst of an instruction. */
/* The other syntax of x86, which other machines' code does not have. */
static void test_intel(void **state)
{
	char path[TOOLS_PATH];

	tools_build(*state, "file", "assembler", "-nostdlib -static -Wl,-Ttext=0x10000", labels,
		    path);
	assert_true(listing_compare_syntax(path, true) > 10);
	print_message("%zu lines equal: /bin/true\n", listing_compare_syntax("/bin/true", true));
}

static void test_functions(void **state)
{
	char path[TOOLS_PATH];
	struct listing_files files = { .paths = { path }, .fd = -1 };
	struct disassembler_options options = { .open_image = listing_open, .context = &files };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	struct buf whole = { 0 }, part = { 0 }, sizes = { 0 };
	size_t functions = 0;
	char *text, *line;

	tools_build(*state, "functions", "assembler", "-nostdlib -static -Wl,-Ttext=0x10000",
		    labels, path);
	listing_objdump(path, false, &whole);
	tools_run(&sizes, "nm -S '%s' | awk 'NF == 4 { print $1, $2 }'", path);
	text = sizes.bytes;
	while ((line = tools_line(&text))) {
		uint64_t start, size;
		struct err err;

		assert_int_equal(sscanf(line, "%" SCNx64 " %" SCNx64, &start, &size), 2);
		buf_clear(&part);
		assert_int_equal(disassembler_function(disassembler, 0, start, start + size,
						       listing_take, &part, &err),
				 0);
		assert_true(part.size > 0);
		assert_non_null(strstr(whole.bytes, part.bytes));
		functions++;
	}
	assert_true(functions >= 4);
	close(files.fd);
	buf_done(&whole);
	buf_done(&part);
	buf_done(&sizes);
}

static void test_indirect(void **state)
{
	check(*state, "c", "-O2 -shared -fPIC -s -Wl,-z,lazy",
	      "static int fast(void) { return 1; }\nstatic void *choose(void) { return fast; }\n"
	      "__attribute__((ifunc(\"choose\"), visibility(\"hidden\"))) int chosen(void);\n"
	      "int f(void) { return chosen() + chosen(); }\n");
}

static void test_recent_instructions(void **state)
{
	check(*state, "assembler", "-nostdlib -shared",
	      ".text\n.globl f\nf: vaddps %zmm1,%zmm2,%zmm3{%k1}{z}\n"
	      "vpdpbusd (%rax){1to16},%zmm30,%zmm31\nvfmadd132ph %zmm1,%zmm2,%zmm3\n"
	      "vpopcntd %zmm1,%zmm2\nvcmpps $5,%zmm1,%zmm2,%k3\nkandw %k1,%k2,%k3\n"
	      "vpternlogd $0x96,%zmm1,%zmm2,%zmm3\nvgatherdps (%rax,%zmm1,4),%zmm2{%k1}\n"
	      "ldtilecfg (%rax)\ntileloadd (%rbx,%rcx),%tmm1\ntdpbf16ps %tmm1,%tmm2,%tmm3\n"
	      "tdpbssd %tmm4,%tmm5,%tmm6\ntilestored %tmm1,(%rax,%rbx)\ntilerelease\n"
	      "serialize\nmovdir64b (%rax),%rbx\nendbr64\nvzeroupper\nuiret\nhreset $0\nret\n"
	      ".byte 0x62,0x06\n");
}

static void test_i386(void **state)
{
	check(*state, "c", "-m32 -O2 -nostdlib -shared -fPIC",
	      "extern int outside(int), other(int); int data;\n"
	      "int f(int a) { return outside(a) + other(a) + data; }\n"
	      "int g(int a) { switch (a) { case 0: return f(1); case 1: return 5; case 2:\n"
	      " return outside(9); case 3: return 99; case 4: return 3; case 5: return 1; }\n"
	      " return a; }\n"
	      "asm(\".text\\nfar: .byte 0xe9,0,0,0,0xf0\\n.byte 0xe8,0,0,0,0xf0\\n\");\n");
}

static const char arm64[] =
	"extern int outside(int), other(int); extern __thread int far;\n"
	"static const int table[] = { 1, 2, 3 };\n"
	"int api(int a) { return outside(a) + other(table[a & 1]) + far; }\n"
	"asm(\".text\\n.arch armv8.5-a+sve2+lse+bf16+memtag\\n.globl lit\\n.type "
	"lit,%function\\n\"\n"
	" \"lit: ldr x0,=0x123456789abcdef0\\nldr w1,=0x11223344\\nret\\n.ltorg\\n.byte "
	"1,2,3\\n\"\n"
	" \".globl q\\nq: .short 7\\n.align 2\\nnop\\nudf #0\\n.word 0\\n.hword 1\\n.align 2\\n\"\n"
	" \"lse: ldadd x1,x2,[x3]\\ncasal w0,w1,[x2]\\nswpal x1,x2,[x3]\\nstset w0,[x1]\\n\"\n"
	" \"sve: ptrue p0.s\\nld1w z0.s,p0/z,[x0,x1,lsl #2]\\nfmla z1.s,p0/m,z2.s,z3.s\\n\"\n"
	" \"whilelo p1.d,x0,x1\\nsqdmlalb z0.s,z1.h,z2.h\\nbfdot z0.s,z1.h,z2.h\\nirg x0,x1\\n\"\n"
	" \"stg x0,[x1]\\npaciasp\\nb lse\\ncbz x0,lse\\nadr x0,lse\\n\");\n";

static void test_arm64(void **state)
{
	static const char *const flags[] = {
		"-shared -fPIC -O2",
		"-shared -fPIC -O2 -s",
		"-shared -fPIC -O2 -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt",
		"-shared -fPIC -O0 -g",
	};
	char path[TOOLS_PATH], source[TOOLS_PATH];
	struct buf out = { 0 };

	if (!tools_have("aarch64-linux-gnu-gcc") ||
	    tools_run(&out, "objdump -i | grep aarch64") != 0) {
		print_message("needs gcc-aarch64-linux-gnu and binutils-multiarch\n");
		buf_done(&out);
		skip();
	}
	snprintf(path, sizeof(path), "%s/arm64", (const char *)*state);
	snprintf(source, sizeof(source), "%s/arm64.c", (const char *)*state);
	tools_write(source, arm64, strlen(arm64));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (tools_run(&out, "aarch64-linux-gnu-gcc -nostdlib %s -o '%s' '%s' 2>&1",
			      flags[i], path, source) != 0)
			fail_msg("%s: %s", flags[i], buf_text(&out));
		print_message("%zu lines equal: arm64 %s\n", listing_compare(path), flags[i]);
	}
	buf_done(&out);
}

static bool count_line(void *context, const struct code_line *line)
{
	size_t *left = context;

	(void)line;
	return --*left > 0;
}

/* Three images and room for two: the one unused for longest goes. */
static void test_pool(void **state)
{
	static const uint32_t order[] = { 0, 1, 0, 2, 0, 1, 2 };
	static const size_t opened[] = { 1, 2, 2, 3, 3, 4, 5 };
	struct listing_files files = { .paths = { "/bin/true", "/bin/false", "/bin/sh" },
				       .fd = -1 };
	struct disassembler_options options = { .max_images = 2,
						.open_image = listing_open,
						.context = &files };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		unsigned long entry;
		struct err err;
		size_t left = 3;

		tools_run(&out, "readelf -h %s | sed -n 's/.*Entry point address: *//p'",
			  files.paths[order[i]]);
		entry = strtoul(buf_text(&out), NULL, 16);
		assert_int_equal(disassembler_function(disassembler, order[i], entry, entry + 16,
						       count_line, &left, &err),
				 0);
		assert_int_equal(left, 0); /* it stopped when count_line asked for it */
		assert_int_equal(files.opened, opened[i]);
	}
	close(files.fd);
	buf_done(&out);
}

/* The start of what holds an address: its label as nm has it, and the section where there is none.
 */
static void test_start(void **state)
{
	char path[TOOLS_PATH];
	struct listing_files files = { .paths = { path }, .fd = -1 };
	struct disassembler_options options = { .open_image = listing_open, .context = &files };
	struct buf out = { 0 };

	for (int stripped = 0; stripped < 2; stripped++) {
		_cleanup_(disassembler_freep) struct disassembler *disassembler =
			disassembler_new(&options);
		uint64_t label, start = 0;
		struct err err;

		tools_build(*state, "start", "assembler",
			    stripped ? "-nostdlib -static -s -Wl,-e,0"
				     : "-nostdlib -static -Wl,-e,0",
			    ".text\nnop\nnop\nf: nop\nnop\nret\n", path);
		tools_run(&out, "readelf -SW '%s' | sed -n 's/.* .text *PROGBITS *//p'", path);
		label = strtoul(buf_text(&out), NULL, 16) + (stripped ? 0 : 2);
		assert_int_equal(disassembler_start(disassembler, 0, label + 2, &start, &err), 0);
		assert_int_equal(start, label);
		assert_int_equal(disassembler_start(disassembler, 0, 0, &start, &err), -ENODATA);
		assert_int_equal(disassembler_start(disassembler, 0, 1, &start, &err), -ENODATA);
		assert_int_equal(disassembler_start(disassembler, 0, UINT64_MAX, &start, &err),
				 -ENODATA);
	}
	close(files.fd);
	buf_done(&out);
}

/* The start of a section, in hexadecimal. */
static uint64_t section_start(const char *path, const char *name)
{
	struct buf out = { 0 };
	uint64_t start;

	tools_run(&out, "readelf -SW '%s' | sed -n 's/.* \\%s *PROGBITS *//p'", path, name);
	start = strtoul(buf_text(&out), NULL, 16);
	buf_done(&out);
	return start;
}

/* Data is not code, and no function is larger than 64 MiB. */
static void test_limits(void **state)
{
	char path[TOOLS_PATH];
	struct listing_files files = { .paths = { path, "/bin/sh" }, .fd = -1 };
	struct disassembler_options options = { .open_image = listing_open, .context = &files };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	uint64_t start;
	struct err err = { "" };

	tools_build(*state, "large", "assembler", "-nostdlib -shared",
		    ".text\n.fill 70000000,1,0x90\n", path);
	start = section_start(path, ".text");
	assert_int_equal(disassembler_function(disassembler, 0, start, start + 70000000, count_line,
					       &(size_t){ 3 }, &err),
			 -EFBIG);
	assert_true(err.text[0] != '\0');
	start = section_start("/bin/sh", ".rodata");
	assert_true(start > 0);
	assert_int_equal(disassembler_start(disassembler, 1, start, &start, &err), -ENODATA);
	close(files.fd);
}

static void test_errors(void **state)
{
	struct listing_files files = { .paths = { "/bin/true", "/etc/passwd", "/no/such" },
				       .fd = -1 };
	struct disassembler_options options = { .open_image = listing_open, .context = &files };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	static const int expected[] = { -ENODATA, -ENOEXEC, -ENOENT };
	struct buf out = { 0 };

	(void)state;
	for (uint32_t image = 0; image < 3; image++) {
		struct err err = { "" };

		assert_int_equal(
			disassembler_function(disassembler, image, 0, 16, listing_take, &out, &err),
			expected[image]);
		assert_true(err.text[0] != '\0');
	}
	assert_int_equal(out.size, 0);
	close(files.fd);
}

static bool name_of(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	(void)context;
	if (address < 0xffffffff81000000 || address >= 0xffffffff81000020)
		return false;
	buf_add_str(name, "start_kernel");
	*ret_start = 0xffffffff81000000;
	return true;
}

static void test_bytes(void **state)
{
	/* call .+9; jmp .-0x10; jmp to the start; nop; and the first byte of a call */
	static const uint8_t code[] = { 0xe8, 4, 0, 0, 0, 0xeb, 0xee, 0xeb, 0xf7, 0x90, 0xe8 };
	struct disassembler_bytes bytes = { .machine = { EM_X86_64, true },
					    .bytes = code,
					    .size = sizeof(code),
					    .start = 0xffffffff81000000,
					    .name = name_of };
	struct disassembler_options options = { 0 };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(disassembler_bytes(disassembler, &bytes, listing_take, &out, &err), 0);
	assert_string_equal(buf_text(&out),
			    "ffffffff81000000:\tcall   ffffffff81000009 <start_kernel+0x9>\n"
			    "ffffffff81000005:\tjmp    0xffffffff80fffff5\n"
			    "ffffffff81000007:\tjmp    ffffffff81000000 <start_kernel>\n"
			    "ffffffff81000009:\tnop\n"
			    "ffffffff8100000a:\t.byte 0xe8\n");
	buf_clear(&out);
	bytes.machine.machine = EM_S390;
	assert_int_equal(disassembler_bytes(disassembler, &bytes, listing_take, &out, &err),
			 -ENOTSUP);
	buf_done(&out);
}

/* A file with bytes changed at random gives lines or an error, and the sanitizers nothing to say.
 */
static void test_damaged(void **state)
{
	char path[TOOLS_PATH], copy[TOOLS_PATH];
	struct buf bytes = { 0 }, out = { 0 };
	unsigned seed = 1;

	tools_build(*state, "whole", "c", "-O2 -Wl,-z,lazy", program, path);
	snprintf(copy, sizeof(copy), "%s/damaged", (const char *)*state);
	tools_run(&bytes, "cat '%s'", path);
	for (int i = 0; i < 300; i++) {
		_cleanup_free_ char *damaged = malloc(bytes.size);
		struct listing_files files = { .paths = { copy }, .fd = -1 };
		struct disassembler_options options = { .open_image = listing_open,
							.context = &files };
		_cleanup_(disassembler_freep) struct disassembler *disassembler =
			disassembler_new(&options);
		struct err err;

		memcpy(damaged, bytes.bytes, bytes.size);
		for (int change = 0; change < 40; change++)
			damaged[(unsigned)rand_r(&seed) % bytes.size] = (char)rand_r(&seed);
		memcpy(damaged, "\177ELF", 4);
		tools_write(copy, damaged, bytes.size);
		listing_sections(disassembler, copy, &out, &err);
		buf_clear(&out);
		if (files.fd >= 0)
			close(files.fd);
	}
	buf_done(&bytes);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_links, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_versions, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_labels, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_intel, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_functions, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_indirect, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_recent_instructions, tools_set_up,
						tools_tear_down),
		cmocka_unit_test_setup_teardown(test_i386, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_arm64, tools_set_up, tools_tear_down),
		cmocka_unit_test(test_pool),
		cmocka_unit_test_setup_teardown(test_start, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_limits, tools_set_up, tools_tear_down),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test_setup_teardown(test_damaged, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the assembler without sizes. Each is followed by code of others up to the next symbol;
 * a label NAME_end says where it ends. */
#include "elf/code_extents.h"

#include <elf.h>
#include <fcntl.h>

#include "elf/readelf.h"

struct opened {
	int fd;
	struct elf_file *file;
	struct code_extents *extents;
	struct readelf elf;
};

static struct opened open_file(const char *path)
{
	struct opened opened = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct err err;

	if (opened.fd < 0 || elf_file_open(opened.fd, &opened.file, &err) < 0 ||
	    elf_file_read_sections(opened.file, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	opened.extents = code_extents_new(opened.file);
	opened.elf = readelf_read(path);
	return opened;
}

static void close_file(struct opened *opened)
{
	readelf_done(&opened->elf);
	code_extents_free(opened->extents);
	elf_file_free(opened->file);
	close(opened->fd);
}

static uint64_t address_of(const struct readelf *elf, const char *name, const char *more)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "%s%s", name, more);
	for (size_t i = 0; i < elf->symbols.count; i++) {
		if (strcmp(elf->symbols.items[i].name, wanted) == 0)
			return elf->symbols.items[i].start;
	}
	fail_msg("no %s", wanted);
	return 0;
}

/* Where the next function begins. */
static uint64_t limit_of(const struct readelf *elf, uint64_t start)
{
	for (size_t i = readelf_at_or_after(elf, start + 1); i < elf->symbols.count; i++) {
		if (!strstr(elf->symbols.items[i].name, "_end"))
			return elf->symbols.items[i].start;
	}
	fail_msg("nothing after %#" PRIx64, start);
	return 0;
}

/* Every function of the file ends where its source says. Returns their number. */
static size_t check_ends(struct opened *opened)
{
	size_t checked = 0;

	for (size_t i = 0; i < opened->elf.symbols.count; i++) {
		const char *end = strstr(opened->elf.symbols.items[i].name, "_end");
		uint64_t start, wanted = opened->elf.symbols.items[i].start, found;
		char name[64];

		if (!end)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(end - opened->elf.symbols.items[i].name),
			 opened->elf.symbols.items[i].name);
		start = address_of(&opened->elf, name, "");
		found = code_extents_end(opened->extents, start, limit_of(&opened->elf, start));
		if (found != wanted)
			fail_msg("%s at %#" PRIx64 " ends at +%" PRIu64 ", not +%" PRIu64, name,
				 start, found - start, wanted - start);
		checked++;
	}
	return checked;
}

/* OTHER: what follows a function, and is none of it. */
#define OTHER "mov $15, %eax\nsyscall\n"

static const char x86_source[] =
	"returns: xor %eax, %eax\nret\nreturns_end: nop\n" OTHER
	"loops: mov $9, %ecx\n1: dec %ecx\njz 2f\njmp 1b\n2: test %edi, %edi\njne 3f\nret\n"
	"3: mov $1, %eax\nret\nloops_end:\n" OTHER
	/* the condition of a loop comes first, the code before it is reached from there */
	"inverted: jmp 2f\n1: dec %ecx\n2: test %ecx, %ecx\njne 1b\nret\ninverted_end:\n" OTHER
	"aligned: jmp 1f\n.p2align 4\n1: dec %ecx\njne 1b\nret\naligned_end:\n.p2align 4\n" OTHER
	/* a prefix is jumped over */
	"inside: je 1f\n.byte 0xf0\n1: cmpxchg %ecx, (%rdi)\nret\ninside_end:\n" OTHER
	"leaves: dec %eax\njmp .Llocal\nleaves_end:\n" OTHER
	"leaves_on_condition: dec %eax\njne .Llocal\nret\nleaves_on_condition_end:\n" OTHER
	".Llocal: lea 1(%rax), %rdx\njmp *%rdx\n"
	"leaves_back: jne returns\njmp returns\nleaves_back_end:\n" OTHER
	"by_slot: jmp *8(%rdi)\nby_slot_end:\n" OTHER
	"by_stack: jmp *8(%rsp)\nby_stack_end:\n" OTHER
	"by_address: jmp *by_slot(%rip)\nby_address_end:\n" OTHER
	"stops: test %edi, %edi\nje 1f\nud2\n1: hlt\nstops_end:\n" OTHER
	"breaks: int3\nbreaks_end: int3\n" OTHER
	/* a local function that is called, and reached at the end too */
	"calls: call 1f\njmp 1f\ncalls_end: 1: dec %eax\nret\n"
	"reads_counter: call 1f\n1: pop %rax\nret\nreads_counter_end:\n" OTHER
	"calls_on: call *%rax\ncall returns\nret\ncalls_on_end:\n" OTHER
	/* not known to return */
	".p2align 4\ncalls_last: nop\ncall returns\ncalls_last_end:\n.p2align 4\n" OTHER "ret\n"
	/* what is not known */
	"computed: cmp $3, %eax\nja 1f\nlea 2f(%rip), %rdx\nadd %rax, %rdx\njmp *%rdx\n1: ret\n"
	"2: ret\n" OTHER "computed_end:\n"
	"by_table: jmp *(%rdx,%rax,8)\n" OTHER "by_table_end:\n"
	"strange: dec %eax\n.byte 6\n" OTHER "strange_end:\n"
	"large: .skip 70000, 0x90\nret\n" OTHER "large_end:\n"
	"last: test %edi, %edi\nlast_end:\nbehind: nop\n";

static const char x86_described[] =
	/* a description begins with the function */
	"described: .cfi_startproc\njmp *%rax\ndec %eax\nret\n.cfi_endproc\ndescribed_end:\n" OTHER
	/* the next one begins with another */
	"before: dec %eax\ncall described\nbefore_end:\n.cfi_startproc\n" OTHER
	"ret\n.cfi_endproc\n" OTHER
	/* an entry in the middle of one */
	".cfi_startproc\nret\nwithin: jmp *%rax\nnop\n.cfi_endproc\nwithin_end:\nbehind: "
	"nop\n" OTHER
	".section .init,\"ax\"\nwhole: ret\nmov $1, %eax\nwhole_end: behind_init: nop\n"
	".section .fini,\"ax\"\nrest: ret\nmov $1, %eax\nrest_end: behind_fini: nop\n";

static struct opened build(const char *folder, const char *name, const char *flags,
			   const char *source)
{
	char path[TOOLS_PATH];

	tools_build(folder, name, "assembler", flags, source, path);
	return open_file(path);
}

static void test_x86(void **state)
{
	struct opened opened = build(*state, "x86", "-nostdlib -static -Wl,-e0", x86_source);

	assert_int_equal(check_ends(&opened), 22);
	close_file(&opened);
}

static void test_descriptions(void **state)
{
	struct opened opened =
		build(*state, "described", "-nostdlib -static -Wl,-e0", x86_described);

	assert_int_equal(check_ends(&opened), 5);
	close_file(&opened);
}

/* Functions that share the bytes of a file, as often as it takes. */
static void test_total(void **state)
{
	enum { TIMES = CODE_EXTENTS_MAX_TOTAL / CODE_EXTENTS_MAX_BYTES };
	struct opened opened =
		build(*state, "total", "-nostdlib -static -Wl,-e0", "f: ret\n.skip 100000, 0x90\n");
	uint64_t start = address_of(&opened.elf, "f", "");
	uint64_t limit = readelf_section_of(&opened.elf, start)->end;

	for (int i = 0; i < TIMES; i++)
		assert_int_equal(code_extents_end(opened.extents, start, limit), start + 1);
	assert_int_equal(code_extents_end(opened.extents, start, limit), limit);
	close_file(&opened);
}

static void test_other_machine(void **state)
{
	struct opened opened = build(*state, "i386", "-m32 -nostdlib -static -Wl,-e0",
				     "f: ret\nnop\nret\nf_end:\nbehind: nop\n");

	assert_int_equal(elf_file_machine(opened.file), EM_386);
	assert_int_equal(check_ends(&opened), 1);
	close_file(&opened);
}

/* No bytes, or not as many. */
static void test_without_bytes(void **state)
{
	struct opened opened = build(*state, "bare", "-nostdlib -static -Wl,-e0",
				     "f: ret\nnop\n.section .more,\"ax\",@nobits\ng: .skip 9\n");
	uint64_t f = address_of(&opened.elf, "f", ""), g = address_of(&opened.elf, "g", "");

	assert_int_equal(code_extents_end(opened.extents, g, g + 9), g + 9);
	assert_int_equal(code_extents_end(opened.extents, f, f + 100), f + 100);
	assert_int_equal(code_extents_end(opened.extents, f, f), f);
	assert_int_equal(code_extents_end(opened.extents, 1, 20), 20);
	close_file(&opened);
}

#define ARM64_OTHER "mov x8, #139\nsvc #0\n"

static const char arm64_source[] =
	"returns: mov w0, #0\nret\nreturns_end: nop\n" ARM64_OTHER
	"signed: .inst 0xd65f0bff\nsigned_end:\n" ARM64_OTHER /* retaa */
	"branches: cbz x0, 1f\ncbnz w1, 2f\ntbz x0, #40, 3f\ntbnz w0, #3, 4f\nb.ne 5f\nret\n"
	"1: ret\n2: ret\n3: ret\n4: ret\n5: b 6f\nbranches_end:\n" ARM64_OTHER "6: ret\n"
	"inverted: b 2f\n1: sub x0, x0, #1\n2: cbnz x0, 1b\nret\ninverted_end:\n" ARM64_OTHER
	"leaves: cbz x0, .Llocal\nb .Llocal\nleaves_end:\n" ARM64_OTHER
	"leaves_back: b.eq returns\nb returns\nleaves_back_end:\n" ARM64_OTHER ".Llocal: br x1\n"
	"stops: cbz x0, 1f\nbrk #1\n1: cbz x1, 1f\nhlt #1\n1: .inst 0\nstops_end:\n" ARM64_OTHER
	"calls: bl returns\nblr x1\nbl 1f\nb 1f\ncalls_end: 1: ret\n"
	".p2align 4\ncalls_last: bl returns\ncalls_last_end:\n.p2align 4\n" ARM64_OTHER "ret\n"
	"computed: cbz x0, 1f\nbr x1\n1: ret\n" ARM64_OTHER "computed_end:\n"
	"last: mov w0, #0\nlast_end:\nbehind: nop\n";

static void test_arm64(void **state)
{
	char path[TOOLS_PATH], program[TOOLS_PATH];
	struct buf out = { 0 };
	struct opened opened;

	if (!tools_have("aarch64-linux-gnu-gcc")) {
		print_message("needs aarch64-linux-gnu-gcc\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/arm64.s", (char *)*state);
	snprintf(program, sizeof(program), "%s/arm64", (char *)*state);
	tools_write(path, arm64_source, strlen(arm64_source));
	if (tools_run(&out, "aarch64-linux-gnu-gcc -nostdlib -static -Wl,-e0 -o '%s' '%s' 2>&1",
		      program, path))
		fail_msg("%s", buf_text(&out));
	opened = open_file(program);
	assert_int_equal(check_ends(&opened), 11);
	close_file(&opened);
	buf_done(&out);
}

/* ---- musl ---- */

/* A symbol of an object of an archive. */
struct member_symbol {
	char name[64];
	uint64_t start, size;
	bool function;
};

struct truth {
	VEC(struct member_symbol) list; /* functions of the assembler, with their sizes */
	VEC(struct member_symbol) member;
	unsigned text; /* the member's section of code */
	uint64_t text_size;
};

/* A function without a size ends where another symbol of the object is, or with its section. */
static void end_member(struct truth *truth)
{
	for (size_t i = 0; i < truth->member.count; i++) {
		struct member_symbol symbol = truth->member.items[i];
		uint64_t end = truth->text_size;

		if (symbol.size || !symbol.function)
			continue;
		for (size_t j = 0; j < truth->member.count; j++) {
			uint64_t start = truth->member.items[j].start;

			end = start > symbol.start && start < end ? start : end;
		}
		symbol.size = end - symbol.start;
		*vec_push(&truth->list) = symbol;
	}
	truth->member.count = 0;
	truth->text = 0;
}

static void read_member_line(struct truth *truth, const char *line)
{
	struct member_symbol symbol = { 0 };
	char type[32];
	unsigned section;

	if (strncmp(line, "File: ", 6) == 0)
		end_member(truth);
	else if (sscanf(line, " [%u] .text PROGBITS %*x %*x %" SCNx64, &section,
			&truth->text_size) == 2)
		truth->text = section;
	else if (sscanf(line, " %*d: %" SCNx64 " %" SCNu64 " %31s %*s %*s %u %63s", &symbol.start,
			&symbol.size, type, &section, symbol.name) == 5 &&
		 section == truth->text && strcmp(type, "SECTION") != 0) {
		symbol.function = strcmp(type, "FUNC") == 0;
		*vec_push(&truth->member) = symbol;
	}
}

static struct truth read_archive(const char *path)
{
	struct truth truth = { 0 };
	struct buf out = { 0 };
	char *text, *line;

	assert_int_equal(tools_run(&out, "readelf -SsW '%s'", path), 0);
	text = out.bytes;
	while ((line = strsep(&text, "\n")))
		read_member_line(&truth, line);
	end_member(&truth);
	vec_free(&truth.member);
	buf_done(&out);
	return truth;
}

static const struct member_symbol *find_true(const struct truth *truth, const char *name)
{
	for (size_t i = 0; i < truth->list.count; i++) {
		if (strcmp(truth->list.items[i].name, name) == 0)
			return &truth->list.items[i];
	}
	return NULL;
}

/* Those of its library without .symtab, and of its archive, which has an object for each file. */
static void check_library(const char *library, const char *archive)
{
	struct opened opened = open_file(library);
	struct truth truth = read_archive(archive);
	size_t checked = 0, shorter = 0;

	for (size_t i = 0; i < opened.elf.symbols.count; i++) {
		const struct readelf_symbol *symbol = &opened.elf.symbols.items[i];
		const struct member_symbol *wanted = find_true(&truth, symbol->name);
		size_t next = readelf_at_or_after(&opened.elf, symbol->start + 1);
		uint64_t limit = next < opened.elf.symbols.count
					 ? opened.elf.symbols.items[next].start
					 : readelf_section_of(&opened.elf, symbol->start)->end;
		uint64_t end;

		if (symbol->size || !wanted)
			continue;
		end = code_extents_end(opened.extents, symbol->start, limit);
		if (end != symbol->start + wanted->size)
			fail_msg("%s has %" PRIu64 " bytes, not %" PRIu64, symbol->name,
				 end - symbol->start, wanted->size);
		checked++;
		shorter += end < limit;
	}
	print_message("%s: %zu functions, others follow %zu of them\n", library, checked, shorter);
	assert_true(checked > 20 && shorter > 0);
	vec_free(&truth.list);
	close_file(&opened);
}

static void test_musl(void **state)
{
	char library[TOOLS_PATH], archive[TOOLS_PATH];
	struct buf out = { 0 };

	if (tools_run(&out, "ls /usr/lib/$(uname -m)-linux-musl/libc.a 2>&1") != 0) {
		print_message("needs musl-dev\n");
		buf_done(&out);
		skip();
	}
	snprintf(archive, sizeof(archive), "%.*s", (int)strcspn(buf_text(&out), "\n"),
		 buf_text(&out));
	snprintf(library, sizeof(library), "%s/libc.so", (char *)*state);
	assert_int_equal(tools_run(&out, "strip -o '%s' '%.*sso'", library,
				   (int)strlen(archive) - 1, archive),
			 0);
	check_library(library, archive);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),	      cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_total),	      cmocka_unit_test(test_other_machine),
		cmocka_unit_test(test_without_bytes), cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_musl),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

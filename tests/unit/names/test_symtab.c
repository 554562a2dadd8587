/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symtab.h"

#include <fcntl.h>
#include <glob.h>

#include "elf/eh_ranges.h"
#include "elf/elf_file.h"
#include "elf/readelf.h"

struct opened {
	int fd;
	struct elf_file *file;
	struct symtab *symtab;
	struct eh_ranges *ranges;
	struct buf name;
	struct symtab_hit hit;
};

static struct opened open_file(const char *path)
{
	struct opened opened = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct err err;

	if (opened.fd < 0 || elf_file_open(opened.fd, &opened.file, &err) < 0 ||
	    symtab_new(opened.file, NULL, &opened.symtab, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	eh_ranges_read(opened.file, &opened.ranges, NULL);
	return opened;
}

static void close_file(struct opened *opened)
{
	eh_ranges_free(opened->ranges);
	symtab_free(opened->symtab);
	elf_file_free(opened->file);
	buf_done(&opened->name);
	close(opened->fd);
}

/* The name of an address, with the kind it must have. */
static const char *look(struct opened *opened, uint64_t address, enum symbol_kind kind)
{
	symtab_lookup(opened->symtab, NULL, address, &opened->name, &opened->hit);
	if (opened->hit.kind != kind)
		fail_msg("%#" PRIx64 " is %s (%s), not %s", address, buf_text(&opened->name),
			 symbol_kind_name(opened->hit.kind), symbol_kind_name(kind));
	if (opened->hit.size > 0) {
		assert_true(address >= opened->hit.start);
		assert_true(address - opened->hit.start < opened->hit.size);
	}
	return buf_text(&opened->name);
}

/* Every address where readelf has a function has a name readelf lists where the function begins. */
static void check_starts(struct opened *opened, const struct readelf *elf)
{
	for (size_t i = 0; i < elf->symbols.count; i++) {
		const struct readelf_symbol *symbol = &elf->symbols.items[i];
		const char *name;

		if (symbol->size == 0)
			continue;
		name = look(opened, symbol->start, SYMBOL_NAMED);
		assert_int_equal(opened->hit.start, symbol->start);
		if (!readelf_lists(elf, symbol->start, name, strlen(name)))
			fail_msg("%#" PRIx64 " is not %s", symbol->start, name);
		name = look(opened, symbol->start + symbol->size - 1, SYMBOL_NAMED);
		if (!readelf_lists(elf, opened->hit.start, name, strlen(name)))
			fail_msg("%#" PRIx64 " is not %s", opened->hit.start, name);
	}
}

/* Of symbols that begin at or before an address: the greatest end. 0: none in the section. */
static uint64_t end_before(const struct readelf *elf, const struct readelf_section *section,
			   uint64_t address)
{
	uint64_t end = 0;

	for (size_t i = readelf_at_or_after(elf, section->start);
	     i < elf->symbols.count && elf->symbols.items[i].start <= address; i++) {
		const struct readelf_symbol *symbol = &elf->symbols.items[i];

		if (symbol->start + symbol->size > end)
			end = symbol->start + symbol->size;
	}
	return end;
}

static bool ends_there(const struct readelf *elf, uint64_t end, const char *name, size_t length)
{
	for (size_t i = 0; i < elf->symbols.count; i++) {
		const struct readelf_symbol *symbol = &elf->symbols.items[i];

		if (symbol->start + symbol->size == end && strlen(symbol->name) == length &&
		    memcmp(symbol->name, name, length) == 0)
			return true;
	}
	return false;
}

/* The address is in no function: the bracket has the neighbours that readelf lists. */
static void check_gap(struct opened *opened, const struct readelf *elf, uint64_t address)
{
	const struct readelf_section *section = readelf_section_of(elf, address);
	uint64_t end = end_before(elf, section, address);
	size_t next = readelf_at_or_after(elf, address);
	const char *name = look(opened, address, SYMBOL_BRACKET);
	const char *arrow = strstr(name, "->");

	assert_non_null(arrow);
	if (end == 0 ? arrow != name : !ends_there(elf, end, name, (size_t)(arrow - name)))
		fail_msg("%#" PRIx64 ": %s does not end before", address, name);
	if (next == elf->symbols.count || elf->symbols.items[next].start >= section->end)
		assert_string_equal(arrow, "->");
	else if (!readelf_lists(elf, elf->symbols.items[next].start, arrow + 2, strlen(arrow + 2)))
		fail_msg("%#" PRIx64 ": %s does not begin after", address, name);
}

/* A gap begins at the end of a function and is in no other. Symbols without a size make gaps that
 * readelf cannot show, so files with such symbols are skipped. */
static size_t check_gaps(struct opened *opened, const struct readelf *elf)
{
	size_t gaps = 0, step = elf->symbols.count / 2000 + 1;

	for (size_t i = 0; i < elf->symbols.count; i++) {
		if (elf->symbols.items[i].size == 0)
			return 0;
	}
	for (size_t i = 0; i < elf->symbols.count; i += step) {
		uint64_t end = elf->symbols.items[i].start + elf->symbols.items[i].size;
		const struct readelf_section *section = readelf_section_of(elf, end);

		if (!section || end_before(elf, section, end) > end ||
		    readelf_lists(elf, end, "", 0) ||
		    (readelf_at_or_after(elf, end) < elf->symbols.count &&
		     elf->symbols.items[readelf_at_or_after(elf, end)].start == end))
			continue;
		check_gap(opened, elf, end);
		gaps++;
	}
	return gaps;
}

static size_t check_file(const char *path)
{
	struct readelf elf = readelf_read(path);
	struct opened opened = open_file(path);
	size_t gaps;

	check_starts(&opened, &elf);
	gaps = check_gaps(&opened, &elf);
	print_message("%s: %zu symbols, %zu functions, %zu gaps\n", path, elf.symbols.count,
		      symtab_count(opened.symtab), gaps);
	close_file(&opened);
	readelf_done(&elf);
	return gaps;
}

/* Every library this test itself has mapped, and large ones where there are any. */
static void test_libraries(void **state)
{
	struct buf maps = { 0 };
	size_t gaps = 0;
	char *text, *line;
	glob_t more;

	(void)state;
	assert_int_equal(tools_run(&maps,
				   "awk '$2 ~ /x/ && $6 ~ /^\\// { print $6 }' /proc/%d/maps"
				   " | sort -u",
				   getpid()),
			 0);
	text = maps.bytes;
	while ((line = tools_line(&text)))
		gaps += check_file(line);
	assert_true(gaps > 100);
	buf_done(&maps);
	glob("/usr/lib/*/libcrypto.so.?", 0, NULL, &more);
	glob("/usr/lib/*/libstdc++.so.6", GLOB_APPEND, NULL, &more);
	glob("/usr/lib/*/libLLVM-*.so.1", GLOB_APPEND, NULL, &more);
	glob("/bin/bash", GLOB_APPEND, NULL, &more);
	for (size_t i = 0; i < more.gl_pathc; i++)
		check_file(more.gl_pathv[i]);
	globfree(&more);
}

static const char PROGRAM[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) static int hidden(int x)\n"
	"{ return printf(\"%d\", x) + x; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) * 3; }\n"
	"extern int twin(int) __attribute__((alias(\"shown\"), weak));\n"
	"int main(int argc, char **argv) { (void)argv; return shown(argc); }\n";

static void test_ways_to_link(void **state)
{
	static const char *const ways[] = { "-pie -fPIE",
					    "-no-pie",
					    "-static",
					    "-static-pie -fPIE",
					    "-O2 -ffunction-sections -Wl,--gc-sections",
					    "-O2 -Wl,-z,noseparate-code",
					    "-m32" };
	char path[TOOLS_PATH];
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char name[16];

		if (strcmp(ways[i], "-m32") == 0 &&
		    tools_run(&out,
			      "echo 'int main(void){return 0;}' | gcc -m32 -x c - -o /dev/null"
			      " 2>&1") != 0)
			continue; /* no 32-bit libraries: the others are what must work */
		snprintf(name, sizeof(name), "way%zu", i);
		tools_build(*state, name, "c", ways[i], PROGRAM, path);
		check_file(path);
	}
	buf_done(&out);
}

/* Without .symtab the functions only it had are gone, and what is left is what readelf lists. */
static void test_stripped(void **state)
{
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	struct opened opened;

	tools_build(*state, "whole", "c", "-O1 -shared -fPIC", PROGRAM, path);
	opened = open_file(path);
	assert_true(symtab_is_complete(opened.symtab));
	close_file(&opened);
	assert_int_equal(tools_run(&out, "strip -o '%s.stripped' '%s'", path, path), 0);
	strcat(path, ".stripped");
	opened = open_file(path);
	assert_false(symtab_is_complete(opened.symtab));
	close_file(&opened);
	check_file(path);
	buf_done(&out);
}

/* Labels of an assembler file: the addresses are those of the directives. */
static const char LABELS[] = ".text\n.globl _start\n.type _start,@function\n"
			     "_start: .skip 16\n.size _start, 16\n"
			     ".type outer,@function\nouter: .skip 8\n"
			     ".type inner,@function\ninner: .skip 8\n.size inner, 8\n"
			     "label: .skip 8\n.size outer, . - outer\n"
			     ".skip 4\n.annobin_x: .skip 4\n" /* a gap at 40 */
			     "unsized: .skip 8\nnext: .skip 4\n.Llocal2: .skip 4\n"
			     ".type __a,@function\n.globl __a\n__a:\n"
			     ".type a_long,@function\n.globl a_long\na_long:\n"
			     ".type b,@function\n.globl b\nb:\n"
			     ".type c,@function\n.weak c\nc:\n"
			     ".type d,@function\nd: .skip 8\n"
			     ".size __a,8\n.size a_long,8\n.size b,8\n.size c,8\n.size d,8\n"
			     ".skip 8\n" /* a gap at 72 */
			     ".type far,@function\nfar: .globl near\n.type near,@function\nnear:\n"
			     ".skip 8\n.size near,8\n.skip 8\n.size far,16\n"
			     ".skip 8\n" /* a gap up to the end */
			     ".section .other,\"ax\",@progbits\n.skip 8\n";

static void test_labels(void **state)
{
	static const struct {
		uint64_t offset;
		enum symbol_kind kind;
		const char *name;
		uint64_t start, size;
	} wanted[] = {
		{ 0, SYMBOL_NAMED, "_start", 0, 16 },
		{ 15, SYMBOL_NAMED, "_start", 0, 16 },
		{ 16, SYMBOL_NAMED, "outer", 16, 24 },
		{ 24, SYMBOL_NAMED, "inner", 24, 8 },
		{ 31, SYMBOL_NAMED, "inner", 24, 8 },
		{ 32, SYMBOL_NAMED, "outer", 16, 24 }, /* a label in a function is a place */
		{ 39, SYMBOL_NAMED, "outer", 16, 24 },
		{ 40, SYMBOL_BRACKET, "outer->unsized", 40, 8 },
		{ 47, SYMBOL_BRACKET, "outer->unsized", 40, 8 },
		{ 48, SYMBOL_NAMED, "unsized", 48, 8 },
		{ 56, SYMBOL_NAMED, "next", 56, 8 },
		{ 63, SYMBOL_NAMED, "next", 56, 8 },
		{ 64, SYMBOL_NAMED, "b", 64, 8 },
		{ 72, SYMBOL_BRACKET, "b->near", 72, 8 },
		{ 80, SYMBOL_NAMED, "near", 80, 8 },
		{ 88, SYMBOL_NAMED, "far", 80, 16 },
		{ 96, SYMBOL_BRACKET, "far->", 96, 8 },
		{ 104, SYMBOL_NONE, "[.other]", 104, 8 },
		{ 112, SYMBOL_NONE, "[unknown]", 0, 0 },
	};
	char path[TOOLS_PATH];
	struct opened opened;
	uint64_t text;

	tools_build(*state, "labels", "assembler",
		    "-nostdlib -static -Wl,--build-id=none -Wl,-Ttext=0x401000"
		    " -Wl,--section-start=.other=0x401068",
		    LABELS, path);
	opened = open_file(path);
	text = elf_file_find(opened.file, ".text")->address;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const char *name = look(&opened, text + wanted[i].offset, wanted[i].kind);

		assert_string_equal(name, wanted[i].name);
		if (wanted[i].size == 0)
			continue;
		assert_int_equal(opened.hit.start, text + wanted[i].start);
		assert_int_equal(opened.hit.size, wanted[i].size);
	}
	close_file(&opened);
}

/* Of the assembler, without a size: the local function after it is in the table of the whole file only. */
static void test_sizeless(void **state)
{
	static const char source[] = ".globl f\n.type f,@function\nf: xor %eax, %eax\nret\n"
				     "local: mov $15, %eax\nsyscall\n"
				     ".globl g\n.type g,@function\ng: nop\nret\n"
				     ".globl _ZN1a5emptyEv\n.type _ZN1a5emptyEv,@function\n"
				     "_ZN1a5emptyEv: .size _ZN1a5emptyEv, 0\n"
				     "last: ret\n";
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	struct opened opened;
	uint64_t text;

	tools_build(*state, "sizeless", "assembler", "-shared -nostdlib", source, path);
	opened = open_file(path);
	text = elf_file_find(opened.file, ".text")->address;
	assert_string_equal(look(&opened, text + 2, SYMBOL_NAMED), "f");
	assert_string_equal(look(&opened, text + 3, SYMBOL_NAMED), "local");
	close_file(&opened);
	assert_int_equal(tools_run(&out, "strip '%s'", path), 0);
	opened = open_file(path);
	assert_string_equal(look(&opened, text + 2, SYMBOL_NAMED), "f");
	assert_int_equal(opened.hit.size, 3);
	assert_string_equal(look(&opened, text + 3, SYMBOL_BRACKET), "f->g");
	assert_string_equal(look(&opened, text + 9, SYMBOL_BRACKET), "f->g");
	assert_int_equal(opened.hit.start, text + 3);
	assert_int_equal(opened.hit.size, 7);
	assert_string_equal(look(&opened, text + 10, SYMBOL_NAMED), "g");
	/* what a compiler wrote has no code */
	assert_string_equal(look(&opened, text + 12, SYMBOL_BRACKET), "_ZN1a5emptyEv->");
	close_file(&opened);
	buf_done(&out);
}

/* The names ld gives to symbols with versions in .symtab have them cut off. */
static void test_versions(void **state)
{
	static const char source[] = "int f1(void) { return 1; } int f2(void) { return 2; }\n"
				     "__asm__(\".symver f1, f@V1\\n.symver f2, f@@V2\");\n";
	char path[TOOLS_PATH], flags[TOOLS_PATH * 2], script[TOOLS_PATH];
	struct opened opened;
	struct readelf elf;

	snprintf(script, sizeof(script), "%s/versions", (char *)*state);
	tools_write(script, "V1 {}; V2 {} V1;", 16);
	snprintf(flags, sizeof(flags), "-shared -fPIC -Wl,--version-script=%s", script);
	tools_build(*state, "versioned", "c", flags, source, path);
	opened = open_file(path);
	elf = readelf_read(path);
	for (size_t i = 0; i < elf.symbols.count; i++) {
		if (strcmp(elf.symbols.items[i].name, "f") == 0)
			assert_string_equal(look(&opened, elf.symbols.items[i].start, SYMBOL_NAMED),
					    "f");
	}
	readelf_done(&elf);
	close_file(&opened);
}

/* In a stripped program the unwind ranges tell functions in one bracket apart. */
static void test_ranges_in_brackets(void **state)
{
	static const char source[] = "static __attribute__((noinline)) int f(int x)\n"
				     "{ __asm__ volatile(\"\"); return x + 1; }\n"
				     "static __attribute__((noinline)) int g(int x)\n"
				     "{ __asm__ volatile(\"\"); return x * 5; }\n"
				     "int first(int x) { return f(x) + g(x); }\n";
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	struct opened whole, stripped;
	struct readelf elf;
	size_t seen = 0;

	tools_build(*state, "brackets", "c", "-O2 -shared -fPIC -fno-ipa-sra -fno-ipa-cp", source,
		    path);
	elf = readelf_read(path);
	whole = open_file(path);
	assert_int_equal(tools_run(&out, "strip '%s' -o '%s.s'", path, path), 0);
	strcat(path, ".s");
	stripped = open_file(path);
	for (size_t i = 0; i < elf.symbols.count; i++) {
		const struct readelf_symbol *symbol = &elf.symbols.items[i];
		struct symtab_hit hit;

		if (strcmp(symbol->name, "f") != 0 && strcmp(symbol->name, "g") != 0)
			continue;
		symtab_lookup(stripped.symtab, stripped.ranges, symbol->start + 1, &stripped.name,
			      &hit);
		assert_int_equal(hit.kind, SYMBOL_BRACKET);
		assert_int_equal(hit.start, symbol->start);
		assert_int_equal(hit.size, symbol->size);
		seen++;
	}
	assert_int_equal(seen, 2);
	readelf_done(&elf);
	close_file(&whole);
	close_file(&stripped);
	buf_done(&out);
}

/* Code of other machines, bytes in the other order, Thumb addresses, mapping symbols. */
static void test_other_machines(void **state)
{
	static const char source[] =
		"int g(int);\n"
		"int f(int x) { return x + 40000000; }\n"
		"static __attribute__((noinline)) int h(int x) { return x * 7; }\n"
		"int g(int x) { return f(x) + h(x + 1); }\n";
	static const char *const targets[] = { "aarch64-linux-gnu",	"armv7-linux-gnueabihf",
					       "powerpc64le-linux-gnu", "mips-linux-gnu",
					       "i386-linux-gnu",	"riscv64-linux-gnu" };
	char path[TOOLS_PATH], text[TOOLS_PATH];
	struct buf out = { 0 };

	if (!tools_have("clang") || !tools_have("ld.lld")) {
		print_message("clang or lld is not installed\n");
		skip();
	}
	snprintf(text, sizeof(text), "%s/machines.c", (char *)*state);
	tools_write(text, source, strlen(source));
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct opened opened;

		snprintf(path, sizeof(path), "%s/%s", (char *)*state, targets[i]);
		if (tools_run(&out,
			      "clang --target=%s -mthumb -O1 -fPIC -shared -nostdlib"
			      " -fuse-ld=lld -Wno-unused-command-line-argument '%s' -o '%s'"
			      " 2>&1",
			      targets[i], text, path) != 0)
			fail_msg("%s: %s", targets[i], buf_text(&out));
		opened = open_file(path);
		assert_true(tools_run(&out, "readelf -sW '%s' | awk '$8 == \"h\" { print $2 }'",
				      path) == 0);
		assert_string_equal(
			look(&opened, strtoull(buf_text(&out), NULL, 16) & ~1ULL, SYMBOL_NAMED),
			"h");
		tools_run(&out, "readelf -sW '%s' | awk '$8 == \"f\" { print $2; exit }'", path);
		assert_string_equal(
			look(&opened, strtoull(buf_text(&out), NULL, 16) & ~1ULL, SYMBOL_NAMED),
			"f");
		close_file(&opened);
	}
	buf_done(&out);
}

/* The "$d" that marks the data after a function is no name. */
static void test_mapping_symbols(void **state)
{
	static const char source[] = ".globl f\n.type f,%function\nf: ret\n.size f, . - f\n"
				     ".word 5\n";
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	struct opened opened;
	uint64_t text;

	if (!tools_have("clang") || !tools_have("ld.lld")) {
		print_message("clang or lld is not installed\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/marks.s", (char *)*state);
	tools_write(path, source, strlen(source));
	assert_int_equal(tools_run(&out,
				   "clang --target=aarch64-linux-gnu -nostdlib -shared"
				   " -fuse-ld=lld '%s' -o '%s.so' && nm -a '%s.so' 2>&1",
				   path, path, path),
			 0);
	assert_int_equal(tools_run(&out, "readelf -sW '%s.so' | grep -q ' $d'", path), 0);
	strcat(path, ".so");
	opened = open_file(path);
	text = elf_file_find(opened.file, ".text")->address;
	assert_string_equal(look(&opened, text, SYMBOL_NAMED), "f");
	assert_string_equal(look(&opened, text + 4, SYMBOL_BRACKET), "f->");
	close_file(&opened);
	buf_done(&out);
}

/* No symbols at all: an honest name. */
static void test_nothing(void **state)
{
	char path[TOOLS_PATH];
	struct opened opened;

	tools_build(*state, "bare", "assembler", "-nostdlib -static -s",
		    ".globl _start\n_start: .skip 64\n", path);
	opened = open_file(path);
	assert_int_equal(symtab_count(opened.symtab), 0);
	assert_string_equal(
		look(&opened, elf_file_find(opened.file, ".text")->address + 5, SYMBOL_NONE),
		"[unknown]");
	close_file(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),      cmocka_unit_test(test_ways_to_link),
		cmocka_unit_test(test_stripped),       cmocka_unit_test(test_labels),
		cmocka_unit_test(test_versions),       cmocka_unit_test(test_ranges_in_brackets),
		cmocka_unit_test(test_other_machines), cmocka_unit_test(test_mapping_symbols),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_sizeless),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

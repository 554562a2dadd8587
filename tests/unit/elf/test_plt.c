/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PLT against objdump, which names its slots on its own; slots no linker at hand writes, put
 * together by an assembler; the words the dynamic linker fills against readelf -r. */
#include "elf/plt.h"

#include <fcntl.h>
#include <inttypes.h>

#include "elf/readelf.h"
#include "names/symtab.h"

/* The label objdump prints before a slot, "name@plt", "name@@VERSION@plt", "*ABS*+0x123@plt"
 * or "other@plt-0x10" for the head of the section; or the symbol that mold puts there, "name$plt",
 * "name$pltgot" or one for the head. Does it say what we say? */
static bool agrees(const struct readelf *elf, const char *label, const char *name)
{
	const char *mold = strstr(label, "$plt");
	size_t length = mold ? (size_t)(mold - label) : strcspn(label, "@");
	uint64_t resolver;

	if (strcmp(label, "_PROCEDURE_LINKAGE_TABLE_") == 0)
		return strcmp(name, ".plt") == 0;
	/* of two local names for the place of the resolver either will do */
	if (strcmp(label, "chosen$pltgot") == 0)
		return strcmp(name, "choose@plt") == 0 || strcmp(name, "chosen@plt") == 0;

	if (label[0] == '.') /* it knows no more of a static program than the section */
		return name[0] == '.' || strstr(name, "@plt");
	if (strstr(label, "@plt-0x"))
		return strncmp(name, ".plt", 4) == 0;
	if (sscanf(label, "*ABS*+0x%" SCNx64 "@plt", &resolver) == 1) {
		size_t at = readelf_at_or_after(elf, resolver);

		if (at == elf->symbols.count || elf->symbols.items[at].start != resolver)
			return strcmp(name, ".plt") == 0; /* its name was stripped */
		return readelf_lists(elf, resolver, name, strcspn(name, "@"));
	}
	return strncmp(label, name, length) == 0 && strcmp(name + length, "@plt") == 0;
}

/* Slots that have a name. */
static size_t count_slots(const struct elf_file *file, const struct symtab *symtab)
{
	struct buf name = { 0 };
	struct symtab_hit hit;
	size_t slots = 0;

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		for (uint64_t at = 0; strstr(section->name, "plt") && at < section->size; at += 8) {
			symtab_lookup(symtab, NULL, section->address + at, &name, &hit);
			slots += hit.start == section->address + at &&
				 strstr(buf_text(&name), "@plt");
		}
	}
	buf_done(&name);
	return slots;
}

/* How many slots the file has by name; objdump must agree with each it knows. */
static size_t check_with(const char *objdump, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf out = { 0 }, name = { 0 };
	struct readelf elf = readelf_read(path);
	struct elf_file *file;
	struct symtab *symtab;
	char *text, *line;
	size_t slots;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(symtab_new(file, NULL, &symtab, NULL), 0);
	tools_run(&out,
		  "%s -d -j .plt -j .plt.sec -j .plt.got -j .iplt '%s' 2>/dev/null |"
		  " sed -n 's/^\\([0-9a-f]*\\) <\\(.*\\)>:$/\\1 \\2/p'",
		  objdump, path);
	text = out.bytes;
	while (text && (line = strsep(&text, "\n"))) {
		struct symtab_hit hit;
		uint64_t address;
		char label[4096];

		if (sscanf(line, "%" SCNx64 " %4095s", &address, label) != 2)
			continue;
		symtab_lookup(symtab, NULL, address, &name, &hit);
		if (hit.kind != SYMBOL_PLT || !agrees(&elf, label, buf_text(&name)))
			fail_msg("%s %#" PRIx64 ": %s, objdump: %s", path, address, buf_text(&name),
				 label);
	}
	slots = count_slots(file, symtab);
	print_message("%s: %zu slots\n", path, slots);
	symtab_free(symtab);
	elf_file_free(file);
	readelf_done(&elf);
	buf_done(&out);
	buf_done(&name);
	close(fd);
	return slots;
}

static size_t check_file(const char *path)
{
	return check_with("objdump", path);
}

static const char PROGRAM[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"static int one(int x) { return x; }\n"
	"static int (*choose(void))(int) { return one; }\n"
	"int chosen(int) __attribute__((ifunc(\"choose\")));\n"
	"void *volatile kept;\n"
	"int main(int argc, char **argv) { kept = (void *)&puts; puts(argv[0]); getenv(\"A\");\n"
	"return chosen(argc) + atoi(argv[0]) + (int)strlen(argv[0]); }\n";

static void test_layouts(void **state)
{
	static const struct {
		const char *flags;
		size_t least;
	} layouts[] = {
		{ "-O1 -Wl,-z,lazy -fcf-protection=none", 3 },
		{ "-O1 -Wl,-z,now -fcf-protection=none", 3 },
		{ "-O1 -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy", 3 },
		{ "-O1 -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now", 3 },
		{ "-O1 -no-pie", 3 },
		{ "-O1 -static", 1 },
		{ "-O1 -static-pie -fPIE", 1 },
		{ "-O1 -s", 3 },
	};
	char path[TOOLS_PATH], name[16];

	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		snprintf(name, sizeof(name), "layout%zu", i);
		tools_build(*state, name, "c", layouts[i].flags, PROGRAM, path);
		if (check_file(path) < layouts[i].least)
			fail_msg("%s: too few", layouts[i].flags);
	}
}

/* With IBT a slot has two halves; the lazy one, which objdump leaves without name, has it too. */
static void test_lazy_halves(void **state)
{
	char path[TOOLS_PATH];
	size_t both, one;

	tools_build(*state, "halves", "c", "-O1 -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy",
		    PROGRAM, path);
	both = check_file(path);
	tools_build(*state, "whole", "c", "-O1 -fcf-protection=none -Wl,-z,lazy", PROGRAM, path);
	one = check_file(path);
	assert_true(both >= one + 3);
}

static void test_other_linkers(void **state)
{
	static const char *const linkers[] = { "gold", "lld", "mold" };
	char path[TOOLS_PATH], flags[64], tool[16];

	for (size_t i = 0; i < sizeof(linkers) / sizeof(*linkers); i++) {
		snprintf(tool, sizeof(tool), "ld.%s", linkers[i]);
		if (!tools_have(tool)) {
			print_message("%s is not installed\n", tool);
			continue;
		}
		snprintf(flags, sizeof(flags), "-O1 -fuse-ld=%s", linkers[i]);
		tools_build(*state, linkers[i], "c", flags, PROGRAM, path);
		assert_true(check_file(path) > 2);
	}
}

static void test_libraries(void **state)
{
	static const char *const commands[] = { "bash", "git", "perl", "gcc" };
	struct buf out = { 0 };
	size_t slots = 0;
	char *text, *line;

	(void)state;
	assert_int_equal(tools_run(&out,
				   "awk '$2 ~ /x/ && $6 ~ /^\\// { print $6 }' /proc/%d/maps"
				   " | sort -u",
				   getpid()),
			 0);
	text = out.bytes;
	while ((line = tools_line(&text)))
		slots += check_file(line);
	assert_true(slots > 100);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (tools_run(&out, "readlink -f \"$(command -v %s)\"", commands[i]) == 0) {
			text = out.bytes;
			check_file(tools_line(&text));
		}
	}
	buf_done(&out);
}

/* Code for another machine, whose slots llvm-objdump names. */
static void test_arm64(void **state)
{
	static const char *const flags[] = { "", "-Wl,-z,force-bti -mbranch-protection=standard",
					     "-Wl,-z,pac-plt" };
	static const char source[] = "int puts(const char *); int getx(void);\n"
				     "int f(void) { return puts(\"x\") + getx(); }\n";
	char path[TOOLS_PATH], text[TOOLS_PATH];
	struct buf out = { 0 };

	if (!tools_have("clang") || !tools_have("ld.lld") || !tools_have("llvm-objdump-14")) {
		print_message("clang, lld or llvm-objdump-14 is not installed\n");
		skip();
	}
	snprintf(text, sizeof(text), "%s/arm64.c", (char *)*state);
	tools_write(text, source, strlen(source));
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		snprintf(path, sizeof(path), "%s/arm64-%zu", (char *)*state, i);
		if (tools_run(&out,
			      "clang --target=aarch64-linux-gnu -O1 -fPIC -shared -nostdlib"
			      " -fuse-ld=lld %s '%s' -o '%s' 2>&1",
			      flags[i], text, path) != 0)
			fail_msg("%s", buf_text(&out));
		assert_int_equal(check_with("llvm-objdump-14", path), 2);
	}
	buf_done(&out);
}

/* Assembles @source for a machine into a shared object. */
static struct elf_file *assemble(const char *folder, const char *target, const char *source,
				 struct buf *bytes)
{
	char path[TOOLS_PATH];
	struct elf_file *file;
	struct buf out = { 0 };

	if (!tools_have("clang") || !tools_have("ld.lld")) {
		print_message("clang or lld is not installed\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/slots.s", folder);
	tools_write(path, source, strlen(source));
	if (tools_run(&out,
		      "clang --target=%s -nostdlib -shared -fuse-ld=lld -Wl,-z,notext '%s'"
		      " -o '%s.so' 2>&1",
		      target, path, path) != 0)
		fail_msg("%s", buf_text(&out));
	assert_int_equal(tools_run(bytes, "cat '%s.so'", path), 0);
	assert_int_equal(elf_file_open_memory(bytes->bytes, bytes->size, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	buf_done(&out);
	return file;
}

struct wanted_slot {
	uint64_t offset; /* in .plt.bnd */
	uint32_t size;
	const char *name;
};

/* .plt.bnd is a name that lld leaves to the source. */
static void check_slots(const char *folder, const char *target, const char *source,
			const struct wanted_slot *wanted, size_t count)
{
	struct buf bytes = { 0 };
	struct elf_file *file = assemble(folder, target, source, &bytes);
	uint64_t start = elf_file_find(file, ".plt.bnd")->address;
	struct symbol_index index = { 0 };
	size_t slots = 0;

	symbol_index_read(&index, file);
	plt_read(file, &index);
	for (size_t i = 0; i < index.list.count; i++) {
		const struct symbol_entry *entry = &index.list.items[i];

		if (entry->source != ENTRY_SLOT)
			continue;
		assert_true(slots < count);
		assert_int_equal(entry->start - start, wanted[slots].offset);
		assert_int_equal(entry->size, wanted[slots].size);
		assert_string_equal(symbol_index_name(&index, entry->name), wanted[slots].name);
		slots++;
	}
	assert_int_equal(slots, count);
	symbol_index_done(&index);
	elf_file_free(file);
	buf_done(&bytes);
}

static void test_arm64_slots(void **state)
{
	static const char source[] = ".section .plt.bnd, \"awx\", @progbits\n.balign 4096\nstart:\n"
				     ".org 24\n.quad one\n.org 8192\n"
				     "nop\nbti c\nadrp x16, #-8192\nldr x17, [x16, #24]\n"
				     "add x16, x16, #24\nbr x17\n"
				     "adrp x16, #0x100000\nldr x17, [x16, #32760]\n"
				     "add x16, x16, #24\nautia1716\nbr x17\nnop\n"
				     "adrp x16, #-8192\nldr x17, [x16, #24]\nret\n"
				     ".org 8192 + 0x100000 + 32760\n.quad two\n";
	static const struct wanted_slot wanted[] = { { 8192 + 4, 20, "one" },
						     { 8192 + 24, 20, "two" } };

	check_slots(*state, "aarch64-linux-gnu", source, wanted, 2);
}

static void test_x86_slots(void **state)
{
	static const char source[] =
		".section .plt.bnd, \"awx\", @progbits\n.balign 4096\nstart:\n"
		".org 0x1000 + 43 - 0x100\n.quad two\n.org 0x1000\n"
		"pushq 8(%rip)\njmp *16(%rip)\n.balign 16\n"		 /* the head: no slot */
		"endbr64\nmov $1, %r11d\njmp *0x100(%rip)\n.balign 16\n" /* mold */
		"endbr64\n.byte 0xf2\njmp *-0x100(%rip)\n.balign 16\n"	 /* .plt.sec */
		"ret\n.balign 16\n.org 0x1000 + 32 + 0x100\n.quad one\n";
	static const struct wanted_slot wanted[] = { { 0x1000 + 16, 16, "one" },
						     { 0x1000 + 32, 16, "two" } };

	check_slots(*state, "x86_64-linux-gnu", source, wanted, 2);
}

/* Frees the index. */
static void print_slots(struct symbol_index *index, struct buf *out)
{
	for (size_t i = 0; i < index->list.count; i++) {
		if (index->list.items[i].source == ENTRY_SLOT)
			buf_printf(out, "%016" PRIx64 " <%s@plt>:\n", index->list.items[i].start,
				   symbol_index_name(index, index->list.items[i].name));
	}
	symbol_index_done(index);
}

/* As objdump labels them, also for people, who see more of them. @prefix: the digits that 32-bit
 * addresses lack there. */
static void check_labels(const char *folder, const char *flags, const char *prefix, size_t at_least)
{
	char path[TOOLS_PATH];
	struct buf ours = { 0 }, theirs = { 0 }, people = { 0 };
	char *our_text, *their_text, *line;
	struct symbol_index index = { 0 };
	struct plt_words *words;
	struct elf_file *file;
	size_t slots = 0;
	int fd;

	tools_build(folder, "labels", "c", flags,
		    "extern int one(int), two(int), three(int); int (*taken)(int) = three;\n"
		    "int f(int a) { return one(a) + two(a) + three(a) + (taken == three); }\n",
		    path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	words = plt_words_new(file);
	symbol_index_read_labels(&index, file);
	plt_read_as_objdump(file, words, &index);
	print_slots(&index, &ours);
	symbol_index_read(&index, file);
	plt_read(file, &index);
	print_slots(&index, &people);
	tools_run(&theirs, "objdump -d '%s' | grep '@plt>:$'", path);
	our_text = ours.bytes;
	their_text = theirs.bytes;
	while (their_text && (line = tools_line(&their_text))) {
		char *mine = tools_line(&our_text);

		assert_non_null(mine);
		assert_string_equal(mine + strlen(prefix), line);
		assert_non_null(strstr(buf_text(&people), mine));
		slots++;
	}
	assert_true(!our_text || *our_text == '\0');
	assert_true(slots >= at_least);
	plt_words_free(words);
	elf_file_free(file);
	close(fd);
	buf_done(&ours);
	buf_done(&theirs);
	buf_done(&people);
}

static void test_labels_x86_64(void **state)
{
	check_labels(*state, "-shared -fPIC -nostdlib -fcf-protection=none -Wl,-z,lazy", "", 2);
	check_labels(*state, "-shared -fPIC -nostdlib -fcf-protection=full -Wl,-z,lazy", "", 2);
	check_labels(*state, "-shared -fPIC -nostdlib -Wl,-z,now", "", 2);
}

static void test_labels_i386(void **state)
{
	check_labels(*state, "-m32 -shared -fPIC -nostdlib -fcf-protection=none", "00000000", 2);
	check_labels(*state, "-m32 -shared -fPIC -nostdlib -fcf-protection=full -Wl,-z,ibtplt",
		     "00000000", 2);
}

/* Checks one line of readelf -rW that names a symbol: "PLACE INFO TYPE VALUE NAME + ADDEND". */
static bool check_line(const struct plt_words *words, const struct symbol_index *index,
		       const char *line)
{
	const struct plt_word *word;
	struct elf_symbol symbol;
	uint64_t place, value;
	char name[4096];

	if (sscanf(line, "%" SCNx64 " %*x R_%*s %" SCNx64 " %4095s +", &place, &value, name) != 3)
		return false;
	word = plt_words_find(words, place);
	assert_non_null(word);
	assert_int_equal(word->place, place);
	assert_true(symbol_index_dynamic(index, word->symbol, &symbol));
	name[strcspn(name, "@")] = '\0';
	assert_string_equal(symbol_index_name(index, symbol.name), name);
	assert_int_equal(symbol.value, value);
	return true;
}

static struct elf_file *open_file(int fd)
{
	struct elf_file *file;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	return file;
}

static void check_words(const char *path, size_t at_least)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = open_file(fd);
	_cleanup_(plt_words_freep) struct plt_words *words = plt_words_new(file);
	struct symbol_index index = { 0 };
	struct buf out = { 0 };
	size_t checked = 0;
	char *text, *line;

	symbol_index_read(&index, file);
	tools_run(&out, "readelf -rW '%s'", path);
	text = out.bytes;
	while ((line = strsep(&text, "\n")))
		checked += check_line(words, &index, line);
	assert_true(checked >= at_least);
	assert_true(symbol_index_dynamic_count(&index) > 1);
	assert_null(plt_words_find(words, 1));
	assert_false(symbol_index_dynamic(&index, UINT32_MAX, &(struct elf_symbol){ 0 }));
	symbol_index_done(&index);
	buf_done(&out);
}

static void test_words(void **state)
{
	struct buf library = { 0 };

	(void)state;
	check_words("/bin/sh", 50);
	tools_run(&library, "gcc -print-file-name=libstdc++.so.6 | tr -d '\\n'");
	if (strchr(buf_text(&library), '/'))
		check_words(buf_text(&library), 500);
	buf_done(&library);
}

static const char WORDS[] = "extern int outside(void), __attribute__((weak)) perhaps;\n"
			    "int here; int *const word = &here; int *moved = &perhaps;\n"
			    "static int hidden; int *quiet = &hidden;\n"
			    "int f(void) { return outside() + *word; }\n";

static void test_words_of(void **state)
{
	char path[TOOLS_PATH];
	struct symbol_index index = { 0 };
	struct buf out = { 0 };
	struct elf_symbol symbol;
	struct plt_words *words;
	struct elf_file *file;
	unsigned long quiet;
	int fd;

	tools_build(*state, "words.so", "c", "-shared -fPIC -nostdlib", WORDS, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	file = open_file(fd);
	words = plt_words_new(file);
	symbol_index_read(&index, file);
	tools_run(&out, "nm '%s' | sed -n 's/ D quiet$//p'", path);
	quiet = strtoul(buf_text(&out), NULL, 16);
	assert_true(quiet > 0);
	assert_null(plt_words_find(words, quiet)); /* only moved by the load address */
	assert_non_null(plt_words_find(words, quiet - 8));
	assert_true(
		symbol_index_dynamic(&index, plt_words_find(words, quiet - 8)->symbol, &symbol));
	assert_string_equal(symbol_index_name(&index, symbol.name), "perhaps");
	symbol_index_done(&index);
	plt_words_free(words);
	elf_file_free(file);
	close(fd);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	      cmocka_unit_test(test_lazy_halves),
		cmocka_unit_test(test_other_linkers), cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_arm64),	      cmocka_unit_test(test_arm64_slots),
		cmocka_unit_test(test_x86_slots),     cmocka_unit_test(test_labels_x86_64),
		cmocka_unit_test(test_labels_i386),   cmocka_unit_test(test_words),
		cmocka_unit_test(test_words_of),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

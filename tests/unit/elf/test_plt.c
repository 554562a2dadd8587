/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PLT against objdump, which names its slots on its own. */
#include "elf/plt.h"

#include <fcntl.h>
#include <inttypes.h>

#include "elf/readelf.h"
#include "names/symtab.h"

/* The label objdump prints in front of a slot, "name@plt", "name@@VERSION@plt", "*ABS*+0x123@plt"
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
		size_t at = readelf_at_or_behind(elf, resolver);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	      cmocka_unit_test(test_lazy_halves),
		cmocka_unit_test(test_other_linkers), cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

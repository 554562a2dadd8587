/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_command.h"

#include <elf.h>
#include <sys/stat.h>

#include "preload/preload_elf.h"
#include "tools.h"

/* An ELF file of @count program headers, the last one of type @last. */
struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr programs[3];
};

static struct elf elf_of(uint16_t count, uint32_t last)
{
	struct elf elf = { .head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
				     .e_machine = PRELOAD_MACHINE,
				     .e_phoff = offsetof(struct elf, programs),
				     .e_phnum = count } };

	for (uint16_t i = 0; i < count; i++)
		elf.programs[i].p_type = i + 1 == count ? last : PT_LOAD;
	return elf;
}

static void test_files(void **state)
{
	struct elf dynamic = elf_of(3, PT_INTERP), fixed = elf_of(3, PT_LOAD), other = dynamic;
	struct elf far = dynamic, odd = dynamic, many = fixed;

	(void)state;
	assert_int_equal(preload_judge_elf(&dynamic, sizeof(dynamic)), PRELOAD_REFUSAL_NONE);
	assert_int_equal(preload_judge_elf(&fixed, sizeof(fixed)), PRELOAD_REFUSAL_STATIC);
	other.head.e_machine = EM_SPARC;
	assert_int_equal(preload_judge_elf(&other, sizeof(other)), PRELOAD_REFUSAL_MACHINE);
	dynamic.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(preload_judge_elf(&dynamic, sizeof(dynamic)), PRELOAD_REFUSAL_MACHINE);
	/* What lies elsewhere is not known. */
	far.head.e_phoff = UINT64_MAX - 7;
	assert_int_equal(preload_judge_elf(&far, sizeof(far)), PRELOAD_REFUSAL_NONE);
	odd.head.e_phoff = 3;
	assert_int_equal(preload_judge_elf(&odd, sizeof(odd)), PRELOAD_REFUSAL_NONE);
	many.head.e_phnum = UINT16_MAX;
	assert_int_equal(preload_judge_elf(&many, sizeof(many)), PRELOAD_REFUSAL_NONE);
	for (size_t size = 0; size < sizeof(fixed); size++) {
		struct elf *part = malloc(size + 1); /* nothing is read beyond */

		memcpy(part, &fixed, size);
		assert_int_equal(preload_judge_elf(part, size), PRELOAD_REFUSAL_NONE);
		free(part);
	}
}

static void write_program(const char *folder, const char *name, const void *bytes, size_t size,
			  mode_t mode)
{
	char path[TOOLS_PATH];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	tools_write(path, bytes, size);
	assert_int_equal(chmod(path, mode), 0);
}

static void expect(const char *word, enum preload_refusal wanted, const char *folder,
		   const char *name)
{
	char path[TOOLS_PATH], *found;

	snprintf(path, sizeof(path), "%s%s%s", folder, *folder ? "/" : "", name);
	assert_int_equal(preload_command_judge(word, &found), wanted);
	assert_string_equal(found, path);
	free(found);
}

static void test_search(void **state)
{
	const char *folder = *state;
	const struct elf fixed = elf_of(1, PT_LOAD), dynamic = elf_of(1, PT_INTERP);
	char path[2 * TOOLS_PATH], word[TOOLS_PATH], first[TOOLS_PATH];
	char *before = strdup(getenv("PATH"));

	snprintf(first, sizeof(first), "%s/first", folder);
	assert_int_equal(mkdir(first, 0755), 0);
	snprintf(path, sizeof(path), "/nonexistent:%s:%s", first, folder);
	setenv("PATH", path, 1);
	write_program(folder, "fixed", &fixed, sizeof(fixed), 0755);
	write_program(folder, "dynamic", &dynamic, sizeof(dynamic), 0755);
	write_program(folder, "script", "#!/bin/sh\n", 10, 0755);
	write_program(first, "dynamic", &fixed, sizeof(fixed), 0644); /* not executable */
	expect("fixed", PRELOAD_REFUSAL_STATIC, folder, "fixed");
	expect("dynamic", PRELOAD_REFUSAL_NONE, folder, "dynamic");
	expect("script", PRELOAD_REFUSAL_NONE, folder, "script");
	expect("nowhere", PRELOAD_REFUSAL_NONE, "", "nowhere");
	snprintf(word, sizeof(word), "%s/fixed", folder);
	expect(word, PRELOAD_REFUSAL_STATIC, folder, "fixed");
	assert_int_equal(chdir(folder), 0);
	setenv("PATH", "", 1);
	expect("fixed", PRELOAD_REFUSAL_STATIC, ".", "fixed");
	setenv("PATH", "/nonexistent:", 1);
	expect("fixed", PRELOAD_REFUSAL_STATIC, ".", "fixed");
	assert_int_equal(chdir("/"), 0);
	unsetenv("PATH");
	expect("sh", PRELOAD_REFUSAL_NONE, "", "sh");
	setenv("PATH", before, 1);
	free(before);
}

static void test_rights(void **state)
{
	struct stat file = { .st_mode = S_IFREG | 0755, .st_uid = 5, .st_gid = 6 };
	const char *folder = *state;
	const struct elf dynamic = elf_of(1, PT_INTERP);
	char word[TOOLS_PATH];

	assert_false(preload_gains_ids(&file, 1, 1));
	file.st_mode = S_IFREG | S_ISUID | 0755;
	assert_true(preload_gains_ids(&file, 1, 1));
	assert_false(preload_gains_ids(&file, 5, 1));
	file.st_mode = S_IFREG | S_ISGID | 0755;
	assert_true(preload_gains_ids(&file, 5, 1));
	assert_false(preload_gains_ids(&file, 1, 6));
	file.st_mode = S_IFREG | S_ISGID | 0745; /* mandatory locks */
	assert_false(preload_gains_ids(&file, 1, 1));
	write_program(folder, "gains", &dynamic, sizeof(dynamic), 04755);
	snprintf(word, sizeof(word), "%s/gains", folder);
	expect(word, PRELOAD_REFUSAL_NONE, folder, "gains"); /* it is ours */
	if (chown(word, 65534, 65534) < 0 || chmod(word, 04755) < 0)
		skip(); /* only root can */
	expect(word, PRELOAD_REFUSAL_PRIVILEGED, folder, "gains");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test_setup_teardown(test_search, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_rights, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

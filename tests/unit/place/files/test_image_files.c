/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/image_files.h"

#include <sys/syscall.h>

#include "place/files/image_files_fixture.h"

static void test_both_records(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file by_inode = record_of(fixture->one);
	struct elf_build_id build_id = build_id_of(fixture->one);
	struct mapped_file by_build_id = { .path = fixture->one,
					   .build_id = build_id.bytes,
					   .build_id_size = build_id.size };
	uint32_t id = image_files_mapped(fixture->files, &by_inode);
	struct stat st;

	assert_int_equal(stat(fixture->one, &st), 0);
	assert_int_equal(image(fixture, id)->kind, IMAGE_FILE);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_UNREAD);
	assert_int_equal(image(fixture, id)->size, st.st_size);
	assert_int_equal(image(fixture, id)->inode, st.st_ino);
	assert_int_equal(image(fixture, id)->build_id_size, 20);
	assert_memory_equal(image(fixture, id)->build_id, build_id.bytes, 20);
	assert_int_equal(image_files_mapped(fixture->files, &by_inode), id);
	assert_int_equal(image_files_mapped(fixture->files, &by_build_id), id);
	assert_opens(fixture, id, &build_id);
}

static void test_other_file(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id build_id = build_id_of(fixture->two);
	struct mapped_file record = record_of(fixture->one);
	uint32_t id;

	/* the path leads to a file with the right inode but another build id: not the one */
	record.build_id = build_id.bytes;
	record.build_id_size = build_id.size;
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_REPLACED);
	assert_int_equal(image_files_open(fixture->files, id), -1);
	record = record_of(fixture->one);
	record.inode++;
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_REPLACED);
	assert_int_equal(image_files_open(fixture->files, id), -1);
	/* equal build ids decide, whatever the inode */
	build_id = build_id_of(fixture->one);
	record.build_id = build_id.bytes;
	record.build_id_size = build_id.size;
	assert_opens(fixture, image_files_mapped(fixture->files, &record), &build_id);
	/* nothing recorded: nothing proven */
	record = (struct mapped_file){ .path = fixture->one };
	assert_int_equal(
		image_files_open(fixture->files, image_files_mapped(fixture->files, &record)), -1);
}

static void test_gone(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file record = { .path = "/nowhere/at/all", .dev = 1, .inode = 5 };
	uint32_t id = image_files_mapped(fixture->files, &record);

	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_GONE);
	assert_int_equal(image_files_open(fixture->files, id), -1);
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
}

/* A package upgrade: the old program runs on, the new one is another image. */
static void test_renamed_over(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one), two = build_id_of(fixture->two);
	char path[TOOLS_PATH], other[TOOLS_PATH];
	struct mapped_file old_record, new_record;
	uint32_t old, new;

	copy(fixture, fixture->one, "upgraded", path);
	copy(fixture, fixture->two, "upgraded.new", other);
	old_record = record_of(path);
	old = image_files_mapped(fixture->files, &old_record);
	assert_int_equal(rename(other, path), 0);
	new_record = record_of(path);
	new = image_files_mapped(fixture->files, &new_record);
	assert_int_not_equal(old, new);
	assert_int_equal(image_files_mapped(fixture->files, &old_record), old);
	assert_opens(fixture, old, &one);
	assert_opens(fixture, new, &two);
}

/* cp over a file that is in use: same inode, other contents. */
static void test_rewritten(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id two = build_id_of(fixture->two);
	struct mapped_file record;
	char path[TOOLS_PATH];
	uint32_t old, new;

	copy(fixture, fixture->one, "rewritten", path);
	run("touch -d '2001-01-01' '%s'", path);
	record = record_of(path);
	old = image_files_mapped(fixture->files, &record);
	assert_true(image_files_open(fixture->files, old) >= 0);
	run("cat '%s' > '%s'", fixture->two, path);
	assert_int_equal(image_files_open(fixture->files, old), -1);
	assert_int_equal(image(fixture, old)->state, IMAGE_STATE_REPLACED);
	assert_true(image(fixture, old)->dirty);
	assert_int_equal(record_of(path).inode, record.inode);
	new = image_files_mapped(fixture->files, &record);
	assert_int_not_equal(old, new);
	assert_opens(fixture, new, &two);
	assert_int_equal(image_files_open(fixture->files, old), -1);
	assert_int_equal(image_files_mapped(fixture->files, &record), new);
}

static void test_no_permission(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file record;
	char path[TOOLS_PATH];
	uid_t old = geteuid();
	uint32_t id;

	copy(fixture, fixture->one, "secret", path);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(fixture->folder, 0755), 0);
	record = record_of(path);
	if (old == 0)
		assert_int_equal(syscall(SYS_setresuid, -1, 65534, -1), 0);
	id = image_files_mapped(fixture->files, &record);
	if (old == 0)
		assert_int_equal(syscall(SYS_setresuid, -1, 0, -1), 0);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_DENIED);
	assert_int_equal(image_files_open(fixture->files, id), -1);
}

/* Scripts, data and devices. Opening the pipe would hang. */
static void test_no_elf(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file record;
	char path[TOOLS_PATH];
	uint32_t id;

	snprintf(path, sizeof(path), "%s/data", fixture->folder);
	tools_write(path, "data", 4);
	record = record_of(path);
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_NOT_ELF);
	assert_int_equal(image_files_open(fixture->files, id), -1);
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
	snprintf(path, sizeof(path), "%s/pipe", fixture->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	record = record_of(path);
	assert_int_equal(
		image_files_open(fixture->files, image_files_mapped(fixture->files, &record)), -1);
}

static void test_special(void **state)
{
	static const struct {
		const char *name;
		enum image_kind kind;
		const char *path;
		uint64_t start;
	} rows[] = {
		{ "[vdso]", IMAGE_VDSO, "[vdso]", 0x7fff00000000 },
		{ "[vdso]", IMAGE_BUCKET, "[vdso32]", 0xf7f00000 },
		{ "[vsyscall]", IMAGE_BUCKET, "[vsyscall]", 0xffffffffff600000 },
		{ "//anon", IMAGE_ANON, "[anon]", 0x1000 },
		{ "", IMAGE_ANON, "[anon]", 0x1000 },
		{ "[heap]", IMAGE_ANON, "[heap]", 0x1000 },
		{ "[stack]", IMAGE_ANON, "[stack]", 0x1000 },
		{ "[uprobes]", IMAGE_BUCKET, "[uprobes]", 0x1000 },
		{ "/SYSV00000000 (deleted)", IMAGE_ANON, "[shared memory]", 0x1000 },
		{ "/dev/zero (deleted)", IMAGE_ANON, "[anon]", 0x1000 },
		{ "anon_inode:[io_uring]", IMAGE_ANON, "anon_inode:[io_uring]", 0x1000 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mapped_file record = { .path = rows[i].name, .start = rows[i].start };
		uint32_t id = image_files_mapped(fixture->files, &record);

		assert_int_equal(image(fixture, id)->kind, rows[i].kind);
		assert_string_equal(profile_text(fixture->profile, image(fixture, id)->path),
				    rows[i].path);
		assert_int_equal(image_files_open(fixture->files, id), -1);
		assert_int_equal(image_files_mapped(fixture->files, &record), id);
	}
}

/* On a stacked file system no file has the record's device and inode, but the build id of the same
 * mapping leads to it. */
static void test_second_record_helps(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id build_id = build_id_of(fixture->one);
	struct mapped_file by_inode = record_of(fixture->one);
	struct mapped_file by_build_id = by_inode;
	uint32_t id, other;

	by_inode.inode += 1000000;
	by_inode.pid = by_build_id.pid = getpid();
	by_build_id.dev = by_build_id.inode = 0;
	by_build_id.build_id = build_id.bytes;
	by_build_id.build_id_size = build_id.size;
	id = image_files_mapped(fixture->files, &by_build_id);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_UNREAD);
	assert_int_equal(image_files_mapped(fixture->files, &by_inode), id);
	by_inode.start += 4096;
	other = image_files_mapped(fixture->files, &by_inode);
	assert_int_equal(image(fixture, other)->state, IMAGE_STATE_REPLACED);
}

static void test_links(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file record = record_of(fixture->one);
	uint32_t id = image_files_mapped(fixture->files, &record);
	_cleanup_free_ char *path = strdup(getenv("PATH"));
	char elsewhere[TOOLS_PATH];

	snprintf(elsewhere, sizeof(elsewhere), "/bin:%s/elsewhere", fixture->folder);
	run("mkdir '%s/elsewhere'", fixture->folder);
	run("ln -s '%s' '%s/elsewhere/a-name-of-more-than-15'", fixture->one, fixture->folder);
	setenv("PATH", elsewhere, 1);
	/* The answer is kept: the link is not looked for again. */
	for (int i = 0; i < 2; i++) {
		assert_string_equal(image_files_link(fixture->files, "a-name-of-more-", id),
				    "a-name-of-more-than-15");
		run("rm -f '%s/elsewhere/a-name-of-more-than-15'", fixture->folder);
	}
	assert_null(image_files_link(fixture->files, "another-name-of", id));
	assert_null(image_files_link(fixture->files, "a-name-of-more-", 0));
	setenv("PATH", path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_both_records), CASE(test_other_file), CASE(test_gone),
		CASE(test_renamed_over), CASE(test_rewritten),	CASE(test_no_permission),
		CASE(test_no_elf),	 CASE(test_special),	CASE(test_second_record_helps),
		CASE(test_links),
	};

	return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}

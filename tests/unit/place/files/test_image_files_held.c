/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that no path leads to, or only for some, and how many are held open for that. */
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "place/files/image_files_fixture.h"

static void test_deleted(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one), two = build_id_of(fixture->two);
	char path[TOOLS_PATH], marked[TOOLS_PATH + 16];
	struct mapped_file record;
	uint32_t id;

	/* deleted after it was opened */
	copy(fixture, fixture->one, "deleted", path);
	record = record_of(path);
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(unlink(path), 0);
	assert_opens(fixture, id, &one);
	/* a record of the same with the kernel's mark */
	snprintf(marked, sizeof(marked), "%s (deleted)", path);
	record.path = marked;
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
	/* a file that is really called so */
	copy(fixture, fixture->two, "named (deleted)", path);
	record = record_of(path);
	id = image_files_mapped(fixture->files, &record);
	assert_string_equal(profile_text(fixture->profile, image(fixture, id)->path), path);
	assert_opens(fixture, id, &two);
}

/* A program within a file of another format is an image of its own, also after its copy was closed,
 * and after its container is gone. */
static void test_embedded(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one), two = build_id_of(fixture->two);
	char path[TOOLS_PATH], name[TOOLS_PATH + 16];
	struct mapped_file record;
	struct mapping first, second, none;

	snprintf(path, sizeof(path), "%s/container", fixture->folder);
	run("printf PK > '%s' && truncate -s 4096 '%s' && cat '%s' >> '%s'", path, path,
	    fixture->one, path);
	run("truncate -s 1048576 '%s' && cat '%s' >> '%s'", path, fixture->two, path);
	record = record_of(path);
	none = image_files_map(fixture->files, &record);
	assert_int_equal(image(fixture, none.image)->state, IMAGE_STATE_NOT_ELF);
	assert_int_equal(none.offset, 0);
	record.offset = 4096;
	first = image_files_map(fixture->files, &record);
	record.offset = 1048576;
	second = image_files_map(fixture->files, &record);
	assert_int_equal(first.offset, 0);
	assert_int_equal(second.offset, 0);
	assert_int_equal(second.start, record.start);
	assert_int_equal(second.end, record.end);
	snprintf(name, sizeof(name), "%s!0x100000", path);
	assert_string_equal(profile_text(fixture->profile, image(fixture, second.image)->path),
			    name);
	assert_int_equal(image_files_map(fixture->files, &record).image, second.image);
	for (int i = 0; i < 20; i++)
		image_files_rest(fixture->files);
	assert_opens(fixture, first.image, &one);
	assert_opens(fixture, second.image, &two);
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < 20; i++)
		image_files_rest(fixture->files);
	assert_opens(fixture, first.image, &one);
	assert_opens(fixture, second.image, &two);
}

/* Deleted before its mapping was seen: only a descriptor from its exec helps. */
static void test_offered(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	struct mapped_file record;
	char path[TOOLS_PATH];
	uint32_t gone, id;

	copy(fixture, fixture->one, "brief", path);
	record = record_of(path);
	image_files_offer(fixture->files, open(fixture->two, O_RDONLY | O_CLOEXEC));
	image_files_offer(fixture->files, open(path, O_RDONLY | O_CLOEXEC));
	image_files_offer(fixture->files, open(path, O_RDONLY | O_CLOEXEC));
	assert_int_equal(unlink(path), 0);
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_UNREAD);
	assert_opens(fixture, id, &one);
	/* an offered file that no image used for a while */
	copy(fixture, fixture->one, "late", path);
	record = record_of(path);
	image_files_offer(fixture->files, open(path, O_RDONLY | O_CLOEXEC));
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < 20; i++)
		image_files_rest(fixture->files);
	gone = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, gone)->state, IMAGE_STATE_GONE);
	assert_opens(fixture, id, &one);
}

/* First only an offer that comes too late, then a way: the image is completed. */
static void test_found_later(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	char path[TOOLS_PATH], hidden[TOOLS_PATH];
	struct mapped_file record;
	uint32_t id;

	copy(fixture, fixture->one, "shy", path);
	snprintf(hidden, sizeof(hidden), "%s/hidden", fixture->folder);
	record = record_of(path);
	assert_int_equal(rename(path, hidden), 0);
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_GONE);
	assert_int_equal(rename(hidden, path), 0);
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
	assert_int_equal(image(fixture, id)->state, IMAGE_STATE_UNREAD);
	assert_opens(fixture, id, &one);
}

/* The range of our own mapping of a file. */
static void map_here(int fd, struct mapped_file *record)
{
	char *place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_true(place != MAP_FAILED);
	record->pid = getpid();
	record->start = (uint64_t)(uintptr_t)place;
	record->end = record->start + 4096;
}

static bool may_read_map_files(void)
{
	bool may = geteuid() == 0;

	if (!may)
		print_message("map_files is for root\n");
	return may;
}

static void test_map_files(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	struct mapped_file record;
	char path[TOOLS_PATH];
	int fd;

	if (!may_read_map_files())
		skip();
	copy(fixture, fixture->one, "unlinked", path);
	record = record_of(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	map_here(fd, &record);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_opens(fixture, image_files_mapped(fixture->files, &record), &one);
	munmap((void *)(uintptr_t)record.start, 4096);
}

static void test_memory_files(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	int fd = memfd_create("code", MFD_CLOEXEC);
	struct buf bytes = { 0 };
	struct mapped_file record;
	char path[TOOLS_PATH];
	uint32_t id;

	if (!may_read_map_files())
		skip();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tools_run(&bytes, "cat '%s'", fixture->one), 0);
	assert_int_equal(write(fd, bytes.bytes, bytes.size), bytes.size);
	record = record_of(path);
	map_here(fd, &record);
	record.path = "/memfd:code (deleted)";
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->kind, IMAGE_FILE);
	assert_string_equal(profile_text(fixture->profile, image(fixture, id)->path),
			    "/memfd:code");
	assert_opens(fixture, id, &one);
	munmap((void *)(uintptr_t)record.start, 4096);
	close(fd);
	fd = memfd_create("jit", MFD_CLOEXEC);
	assert_int_equal(write(fd, "not ELF", 7), 7);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	record = record_of(path);
	map_here(fd, &record);
	record.path = "/memfd:jit (deleted)";
	id = image_files_mapped(fixture->files, &record);
	assert_int_equal(image(fixture, id)->kind, IMAGE_ANON);
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
	munmap((void *)(uintptr_t)record.start, 4096);
	close(fd);
	buf_done(&bytes);
}

/* Puts the program into a file system of its own over FOLDER/inner. Prints what it is and waits. */
static void live_inside(const struct fixture *fixture, const char *program, int ready, int hold)
{
	char inner[TOOLS_PATH + 16], command[4 * TOOLS_PATH], byte;
	struct stat st;

	snprintf(inner, sizeof(inner), "%s/inner", fixture->folder);
	snprintf(command, sizeof(command), "cp '%s' '%s/program'", program, inner);
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", inner, "tmpfs", 0, NULL) < 0 || system(command) != 0)
		return;
	strcat(inner, "/program");
	if (stat(inner, &st) == 0 && write(ready, &st, sizeof(st)) == (ssize_t)sizeof(st))
		(void)!read(hold, &byte, 1);
}

/* The process that does; -1 where that is not permitted. Closing *ret_hold ends it. */
static pid_t hide_in_namespace(const struct fixture *fixture, const char *program, int *ret_hold)
{
	int ready[2], hold[2];
	struct stat st;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(hold[1]);
		live_inside(fixture, program, ready[1], hold[0]);
		_exit(0);
	}
	close(ready[1]);
	close(hold[0]);
	*ret_hold = hold[1];
	if (read(ready[0], &st, sizeof(st)) != (ssize_t)sizeof(st)) {
		close(hold[1]);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void test_mount_namespace(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	char inner[TOOLS_PATH], path[TOOLS_PATH], outside[2 * TOOLS_PATH];
	struct mapped_file record;
	uint32_t id;
	pid_t pid;
	int hold;

	snprintf(inner, sizeof(inner), "%s/inner", fixture->folder);
	assert_int_equal(mkdir(inner, 0700), 0);
	copy(fixture, fixture->two, "inner/program", path);
	pid = hide_in_namespace(fixture, fixture->one, &hold);
	if (pid < 0) {
		print_message("mount namespaces are for root\n");
		skip();
	}
	snprintf(outside, sizeof(outside), "/proc/%d/root%s", pid, path);
	record = record_of(outside);
	record.path = path;
	record.pid = pid;
	id = image_files_mapped(fixture->files, &record);
	assert_opens(fixture, id, &one);
	assert_string_equal(profile_text(fixture->profile, image(fixture, id)->path), path);
	close(hold);
	waitpid(pid, NULL, 0);
	assert_opens(fixture, id, &one);
	/* the same record when the process is gone: what is held still is the file */
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
}

/* How many descriptors this process has. */
static size_t descriptors(void)
{
	_cleanup_closedir_ DIR *list = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(list))
		count++;
	return count;
}

static void test_limit(void **state)
{
	enum { FILES = 40, LIMIT = 8 };
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	struct image_files *files = image_files_new(fixture->profile, LIMIT);
	char path[FILES][TOOLS_PATH], name[32];
	size_t before = descriptors();
	uint32_t ids[FILES];

	for (size_t i = 0; i < FILES; i++) {
		struct mapped_file record;

		snprintf(name, sizeof(name), "many%zu", i);
		copy(fixture, fixture->one, name, path[i]);
		image_files_offer(files, open(path[i], O_RDONLY | O_CLOEXEC));
		record = record_of(path[i]);
		ids[i] = image_files_mapped(files, &record);
		assert_true(descriptors() <= before + LIMIT);
	}
	image_files_free(fixture->files);
	fixture->files = files;
	for (size_t i = 0; i < FILES; i++) {
		assert_opens(fixture, ids[i], &one);
		assert_true(descriptors() <= before + LIMIT);
	}
	/* the longest unused are not open: replaced, they are not taken for what they were */
	run("cp '%s' '%s.new'", fixture->two, path[0]);
	run("mv '%s.new' '%s'", path[0], path[0]);
	assert_int_equal(image_files_open(files, ids[0]), -1);
	assert_int_equal(image(fixture, ids[0])->state, IMAGE_STATE_REPLACED);
	assert_int_equal(unlink(path[1]), 0);
	assert_int_equal(image_files_open(files, ids[1]), -1);
	assert_int_equal(image(fixture, ids[1])->state, IMAGE_STATE_GONE);
}

/* What cannot be opened again is given up last. */
static void test_deleted_is_kept(void **state)
{
	struct fixture *fixture = *state;
	struct image_files *files = image_files_new(fixture->profile, 4);
	struct elf_build_id one = build_id_of(fixture->one);
	char path[TOOLS_PATH], name[32];
	struct mapped_file record;
	uint32_t id;

	image_files_free(fixture->files);
	fixture->files = files;
	copy(fixture, fixture->one, "precious", path);
	record = record_of(path);
	id = image_files_mapped(files, &record);
	assert_int_equal(unlink(path), 0);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "common%d", i);
		copy(fixture, fixture->one, name, path);
		record = record_of(path);
		image_files_mapped(files, &record);
	}
	assert_opens(fixture, id, &one);
}

static void test_rest(void **state)
{
	struct fixture *fixture = *state;
	struct elf_build_id one = build_id_of(fixture->one);
	struct mapped_file record = record_of(fixture->one), kept;
	size_t before = descriptors();
	uint32_t id = image_files_mapped(fixture->files, &record), deleted;
	char path[TOOLS_PATH];

	copy(fixture, fixture->one, "rests", path);
	kept = record_of(path);
	deleted = image_files_mapped(fixture->files, &kept);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(descriptors(), before + 2);
	for (int i = 0; i < 20; i++)
		image_files_rest(fixture->files);
	assert_int_equal(descriptors(), before + 1);
	assert_int_equal(image_files_mapped(fixture->files, &record), id);
	assert_int_equal(descriptors(), before + 1);
	assert_opens(fixture, id, &one);
	assert_opens(fixture, deleted, &one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_deleted),	    CASE(test_embedded),
		CASE(test_offered),	    CASE(test_found_later),
		CASE(test_map_files),	    CASE(test_memory_files),
		CASE(test_mount_namespace), CASE(test_limit),
		CASE(test_deleted_is_kept), CASE(test_rest),
	};

	return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/image_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "resolve/file_identity.h"
#include "tools.h"

enum { MOST_OPEN = 64 };

/* A folder with two different programs that have build ids, and an empty profile. */
struct fixture {
	char *folder;
	char one[TOOLS_PATH], two[TOOLS_PATH];
	struct profile *profile;
	struct image_files *files;
};

static int set_up_group(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	tools_build(fixture->folder, "one", "c", "-Wl,--build-id=sha1",
		    "int main(void) { return 1; }", fixture->one);
	tools_build(fixture->folder, "two", "c", "-Wl,--build-id=sha1",
		    "int main(void) { return 2; }", fixture->two);
	*state = fixture;
	return 0;
}

static int tear_down_group(void **state)
{
	struct fixture *fixture = *state;

	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

static int set_up(void **state)
{
	struct fixture *fixture = *state;

	fixture->profile = profile_new();
	fixture->files = image_files_new(fixture->profile, MOST_OPEN);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	image_files_free(fixture->files);
	profile_free(fixture->profile);
	return 0;
}

static void __attribute__((format(printf, 1, 2))) run(const char *format, ...)
{
	char command[4096];
	struct buf out = { 0 };
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (tools_run(&out, "%s 2>&1", command) != 0)
		fail_msg("%s: %s", command, buf_text(&out));
	buf_done(&out);
}

/* A copy of a program under a name of its own. */
static void copy(const struct fixture *fixture, const char *from, const char *name,
		 char path[TOOLS_PATH])
{
	snprintf(path, TOOLS_PATH, "%s/%s", fixture->folder, name);
	run("cp '%s' '%s'", from, path);
}

/* The record the kernel writes for a mapping of the file there is now. */
static struct mapped_file record_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (struct mapped_file){ .path = path,
				     .start = 1ULL << 40,
				     .end = (1ULL << 40) + 4096,
				     .dev = st.st_dev,
				     .inode = st.st_ino };
}

static struct elf_build_id build_id_of(const char *path)
{
	struct file_identity identity;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(file_identity_read(fd, &identity), 0);
	assert_int_equal(identity.build_id.size, 20);
	close(fd);
	return identity.build_id;
}

static const struct image *image(const struct fixture *fixture, uint32_t id)
{
	return &fixture->profile->images.items[id];
}

/* The image's descriptor leads to a file with this build id. */
static void assert_opens(struct fixture *fixture, uint32_t id, const struct elf_build_id *build_id)
{
	struct file_identity identity;
	int fd = image_files_open(fixture->files, id);

	assert_true(fd >= 0);
	assert_int_equal(file_identity_read(fd, &identity), 0);
	assert_memory_equal(&identity.build_id, build_id, sizeof(*build_id));
}

static void test_both_records(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file by_inode = record_of(fixture->one);
	struct elf_build_id build_id = build_id_of(fixture->one);
	struct mapped_file by_build_id = { .path = fixture->one,
					   .build_id = build_id.bytes,
					   .build_id_size = build_id.size,
					   .by_build_id_only = true };
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
	/* nothing told: nothing proven */
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
	/* nobody wanted these for a while */
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

/* In a file system of its own over FOLDER/inner puts the program there; tells what it is and waits.
 */
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
	char path[FILES][TOOLS_PATH], name[16];
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
	char path[TOOLS_PATH], name[16];
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
	run("ln -s one '%s/beside'; mkdir '%s/elsewhere'", fixture->folder, fixture->folder);
	run("ln -s ../one '%s/elsewhere/on-the-path'", fixture->folder);
	run("ln -s '%s' '%s/elsewhere/a-name-of-more-than-15'", fixture->one, fixture->folder);
	setenv("PATH", elsewhere, 1);
	assert_true(image_files_is_link(fixture->files, "beside", id));
	assert_true(image_files_is_link(fixture->files, "beside", id));
	assert_true(image_files_is_link(fixture->files, "on-the-path", id));
	assert_true(image_files_is_link(fixture->files, "a-name-of-more-", id));
	assert_false(image_files_is_link(fixture->files, "on-the-pat", id));
	assert_false(image_files_is_link(fixture->files, "two", id));
	assert_false(image_files_is_link(fixture->files, "sh", id));
	assert_false(image_files_is_link(fixture->files, "", id));
	assert_false(image_files_is_link(fixture->files, "beside", 0));
	setenv("PATH", path, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_both_records),
		CASE(test_other_file),
		CASE(test_gone),
		CASE(test_renamed_over),
		CASE(test_rewritten),
		CASE(test_deleted),
		CASE(test_offered),
		CASE(test_found_later),
		CASE(test_map_files),
		CASE(test_memory_files),
		CASE(test_mount_namespace),
		CASE(test_limit),
		CASE(test_deleted_is_kept),
		CASE(test_rest),
		CASE(test_no_permission),
		CASE(test_no_elf),
		CASE(test_special),
		CASE(test_second_record_helps),
		CASE(test_links),
	};

	return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/recorded_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "elf/vdso.h"
#include "proc/kernel_modules.h"
#include "tools.h"

/* The image of a file, as a recording of it now would have it. */
static uint32_t record(struct profile *profile, const char *path)
{
	struct image image = { .path = strpool_intern(&profile->strings, path) };
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	image.dev = st.st_dev;
	image.inode = st.st_ino;
	image.size = (uint64_t)st.st_size;
	image.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (elf_file_open(fd, &file, NULL) == 0) {
		image.build_id_size = elf_file_build_id(file)->size;
		memcpy(image.build_id, elf_file_build_id(file)->bytes, image.build_id_size);
	}
	return profile_image(profile, &image);
}

static void assert_opens(const struct profile *profile, uint32_t image, const char *path)
{
	struct err err = { 0 };
	_cleanup_close_ int fd = recorded_files_open(profile, NULL, image, NULL, &err);
	struct stat opened, wanted;

	if (fd < 0)
		fail_msg("%s", err.text);
	assert_int_equal(fstat(fd, &opened), 0);
	assert_int_equal(stat(path, &wanted), 0);
	assert_int_equal(opened.st_ino, wanted.st_ino);
}

static void assert_refuses(const struct profile *profile, uint32_t image, int expected,
			   const char *text)
{
	struct err err = { 0 };

	assert_int_equal(recorded_files_open(profile, NULL, image, NULL, &err), expected);
	assert_string_equal(err.text, text);
}

static void build(const char *folder, const char *name, const char *flags, char path[TOOLS_PATH])
{
	tools_build(folder, name, "c", flags, "int main(void) { return 0; }", path);
}

/* The build id is what counts: a copy has it too. */
static void with_a_build_id(void **state)
{
	struct profile *profile = profile_new();
	char path[TOOLS_PATH], other[TOOLS_PATH];
	struct buf out = { 0 };
	uint32_t image;

	build(*state, "one", "-Wl,--build-id=0x1111", path);
	build(*state, "two", "-Wl,--build-id=0x2222", other);
	image = record(profile, path);
	assert_opens(profile, image, path);
	assert_int_equal(
		tools_run(&out, "cp '%s' '%s.copy' && mv '%s.copy' '%s'", path, path, path, path),
		0);
	assert_opens(profile, image, path);
	assert_int_equal(tools_run(&out, "mv '%s' '%s'", other, path), 0);
	assert_refuses(profile, image, -ESTALE, "the file was replaced");
	assert_int_equal(unlink(path), 0);
	assert_refuses(profile, image, -ENOENT, "the file no longer exists");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refuses(profile, image, -ESTALE, "the file was replaced");
	buf_done(&out);
	profile_free(profile);
}

/* Without one, place, size and time of change. */
static void without_a_build_id(void **state)
{
	struct profile *profile = profile_new();
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	uint32_t image;

	build(*state, "plain", "-Wl,--build-id=none", path);
	image = record(profile, path);
	assert_int_equal(profile->images.items[image].build_id_size, 0);
	assert_opens(profile, image, path);
	assert_int_equal(tools_run(&out, "printf x >> '%s'", path), 0);
	assert_refuses(profile, image, -ESTALE, "the file was rewritten");
	image = record(profile, path);
	assert_int_equal(tools_run(&out,
				   "touch -r '%s' '%s.time' && printf x >> '%s' &&"
				   " touch -r '%s.time' '%s'",
				   path, path, path, path, path),
			 0);
	assert_refuses(profile, image, -ESTALE, "the file was rewritten");
	image = record(profile, path);
	assert_int_equal(tools_run(&out, "touch -d '1 hour ago' '%s'", path), 0);
	assert_refuses(profile, image, -ESTALE, "the file was rewritten");
	image = record(profile, path);
	assert_int_equal(tools_run(&out, "cp -p '%s' '%s.copy' && mv '%s.copy' '%s'", path, path,
				   path, path),
			 0);
	assert_refuses(profile, image, -ESTALE, "the file was replaced");
	buf_done(&out);
	profile_free(profile);
}

static void no_program(void **state)
{
	struct profile *profile = profile_new();
	char path[TOOLS_PATH];

	snprintf(path, sizeof(path), "%s/text", (const char *)*state);
	tools_write(path, "no ELF", 6);
	assert_refuses(profile, record(profile, path), -ENOEXEC, "not an ELF file");
	profile_free(profile);
}

static uint32_t add_kernel(struct profile *profile, bool running)
{
	struct image image = { .kind = IMAGE_KERNEL };
	struct elf_build_id id;

	kernel_modules_build_id("/sys", NULL, &id);
	image.build_id_size = id.size;
	memcpy(image.build_id, id.bytes, id.size);
	image.build_id[0] ^= !running;
	return profile_image(profile, &image);
}

static uint32_t add_vdso(struct profile *profile)
{
	struct image image = { .kind = IMAGE_VDSO,
			       .path = strpool_intern(&profile->strings, "[vdso]") };

	return profile_image(profile, &image);
}

static void the_vdso_of_the_running_kernel(void **state)
{
	struct profile *profile = profile_new();
	_cleanup_free_ uint8_t *bytes = NULL, *read_back = NULL;
	_cleanup_close_ int fd = -1;
	struct err err = { 0 };
	struct stat st;
	size_t size;
	uint32_t vdso, kernel;

	assert_int_equal(recorded_files_kernel(profile), 0);
	vdso = add_vdso(profile);
	assert_int_equal(recorded_files_open(profile, NULL, vdso, NULL, &err), -ESTALE);
	kernel = add_kernel(profile, true);
	assert_int_equal(recorded_files_kernel(profile), kernel);
	if (profile->images.items[kernel].build_id_size == 0 ||
	    vdso_copy(&bytes, &size, &err) < 0) {
		profile_free(profile);
		print_message("the kernel tells no build id, or there is no vdso\n");
		skip();
	}
	fd = recorded_files_open(profile, NULL, vdso, NULL, &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, size);
	read_back = malloc(size);
	assert_int_equal(pread(fd, read_back, size, 0), size);
	assert_memory_equal(read_back, bytes, size);
	profile_free(profile);
}

static void the_vdso_of_another_kernel(void **state)
{
	struct profile *profile = profile_new();
	struct err err = { 0 };

	add_kernel(profile, false);
	assert_int_equal(recorded_files_open(profile, NULL, add_vdso(profile), NULL, &err),
			 -ESTALE);
	assert_string_equal(err.text, "a different kernel is running now");
	profile_free(profile);
}

/* Copies of files count by what they are, not by where they lay. */
static void among_copied_files(void **state)
{
	struct profile *profile = profile_new();
	char path[TOOLS_PATH], other[TOOLS_PATH], root[TOOLS_PATH + 8];
	const struct door_root below = { .path = root }, nowhere = { .path = "/nonexistent" };
	struct image plain = { .size = 3 };
	struct err err = { 0 };
	struct buf out = { 0 };
	uint32_t image, without;
	int fd;

	build(*state, "copied", "-Wl,--build-id=0x5555", path);
	build(*state, "wrong", "-Wl,--build-id=0x6666", other);
	image = record(profile, path);
	plain.path = strpool_intern(&profile->strings, path);
	without = profile_image(profile, &plain);
	snprintf(root, sizeof(root), "%s/root", (const char *)*state);
	assert_int_equal(tools_run(&out, "mkdir -p '%s%s' && rmdir '%s%s' && mv '%s' '%s%s'", root,
				   path, root, path, path, root, path),
			 0);
	assert_refuses(profile, image, -ENOENT, "the file no longer exists");
	fd = recorded_files_open(profile, &below, image, NULL, &err);
	assert_true(fd >= 0);
	close(fd);
	/* of another size, without a build id to compare */
	assert_int_equal(recorded_files_open(profile, &below, without, NULL, &err), -ESTALE);
	assert_int_equal(recorded_files_open(profile, &nowhere, image, NULL, &err), -ENOENT);
	assert_int_equal(tools_run(&out, "mv '%s' '%s%s'", other, root, path), 0);
	assert_int_equal(recorded_files_open(profile, &below, image, NULL, &err), -ESTALE);
	buf_done(&out);
	profile_free(profile);
}

/* Its container counts if it has no build id. */
static void within_another_file(void **state)
{
	struct profile *profile = profile_new();
	char path[TOOLS_PATH], container[TOOLS_PATH + 8], name[TOOLS_PATH + 16];
	struct image row = { 0 };
	struct buf out = { 0 };
	struct err err = { 0 };
	uint32_t with, without;
	int fd;

	build(*state, "inner", "-Wl,--build-id=0x7777", path);
	snprintf(container, sizeof(container), "%s.zip", path);
	snprintf(name, sizeof(name), "%s!0x1000", container);
	assert_int_equal(tools_run(&out,
				   "printf PK > '%s' && truncate -s 4096 '%s' && cat '%s' >> '%s'",
				   container, container, path, container),
			 0);
	row = profile->images.items[record(profile, container)];
	row.path = strpool_intern(&profile->strings, name);
	without = profile_image(profile, &row);
	row.build_id_size = 2;
	memset(row.build_id, 0x77, 2);
	with = profile_image(profile, &row);
	for (int i = 0; i < 2; i++) {
		fd = recorded_files_open(profile, NULL, i ? with : without, NULL, &err);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(tools_run(&out, "touch -d '2001-01-01' '%s'", container), 0);
	assert_refuses(profile, without, -ESTALE, "the file was rewritten");
	fd = recorded_files_open(profile, NULL, with, NULL, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tools_run(&out, "truncate -s 4096 '%s'", container), 0);
	assert_refuses(profile, with, -ESTALE, "the file was replaced");
	assert_int_equal(unlink(container), 0);
	assert_refuses(profile, with, -ENOENT, "the file no longer exists");
	buf_done(&out);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_another_file),
		cmocka_unit_test(among_copied_files),
		cmocka_unit_test(with_a_build_id),
		cmocka_unit_test(without_a_build_id),
		cmocka_unit_test(no_program),
		cmocka_unit_test(the_vdso_of_the_running_kernel),
		cmocka_unit_test(the_vdso_of_another_kernel),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

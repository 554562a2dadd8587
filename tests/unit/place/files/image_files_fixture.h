/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs to be mapped, and what is known of files that are. */
#ifndef TESTS_UNIT_RESOLVE_IMAGE_FILES_FIXTURE_H
#define TESTS_UNIT_RESOLVE_IMAGE_FILES_FIXTURE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "place/files/file_identity.h"
#include "place/files/image_files.h"
#include "tools.h"

enum { MOST_OPEN = 64 };

/* A folder with two different programs that have build ids, and an empty profile. */
struct fixture {
	char *folder;
	char one[TOOLS_PATH], two[TOOLS_PATH];
	struct profile *profile;
	struct image_files *files;
};

static inline int set_up_group(void **state)
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

static inline int tear_down_group(void **state)
{
	struct fixture *fixture = *state;

	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

static inline int set_up(void **state)
{
	struct fixture *fixture = *state;

	fixture->profile = profile_new();
	fixture->files = image_files_new(fixture->profile, MOST_OPEN);
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;

	image_files_free(fixture->files);
	profile_free(fixture->profile);
	return 0;
}

static inline void __attribute__((format(printf, 1, 2))) run(const char *format, ...)
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
static inline void copy(const struct fixture *fixture, const char *from, const char *name,
			char path[TOOLS_PATH])
{
	snprintf(path, TOOLS_PATH, "%s/%s", fixture->folder, name);
	run("cp '%s' '%s'", from, path);
}

/* The record the kernel writes for a mapping of the file there is now. */
static inline struct mapped_file record_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (struct mapped_file){ .path = path,
				     .start = 1ULL << 40,
				     .end = (1ULL << 40) + 4096,
				     .dev = st.st_dev,
				     .inode = st.st_ino };
}

static inline struct elf_build_id build_id_of(const char *path)
{
	struct file_identity identity;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(file_identity_read(fd, NULL, &identity), 0);
	assert_int_equal(identity.build_id.size, 20);
	close(fd);
	return identity.build_id;
}

static inline const struct image *image(const struct fixture *fixture, uint32_t id)
{
	return &fixture->profile->images.items[id];
}

/* The image's descriptor leads to a file with this build id. */
static inline void assert_opens(struct fixture *fixture, uint32_t id,
				const struct elf_build_id *build_id)
{
	struct file_identity identity;
	int fd = image_files_open(fixture->files, id);

	assert_true(fd >= 0);
	assert_int_equal(file_identity_read(fd, NULL, &identity), 0);
	assert_memory_equal(&identity.build_id, build_id, sizeof(*build_id));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif

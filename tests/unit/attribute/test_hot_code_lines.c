/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/hot_code.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "model/profile.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/jit/jitdump_maker.h"

enum { CODE = 0x7f0000001000 };

static void fill_lines(struct profile *profile)
{
	struct source_line line = { .image = 1, .size = 1, .line = 1 };

	while (profile->lines.count <= JIT_MOST_LINES) {
		line.start++;
		profile_line(profile, &line);
	}
}

/* This process has a jitdump in @folder, of a function with two lines. */
static uint32_t map_dump(struct profile *profile, struct jit *jit, const char *folder)
{
	_cleanup_free_ char *path = xasprintf("%s/jit-%d.dump", folder, getpid());
	struct process self = { .pid = getpid(), .uid = getuid(), .exec_count = 1 };
	uint32_t process = profile_add_process(profile, &self);
	struct mapped_file file = { .pid = getpid(), .path = path };
	struct jitdump_maker maker = { 0 };
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat stat;

	make_header(&maker, 0, 0);
	make_lines(&maker, 1, CODE, "/src/first");
	make_load(&maker, 1, CODE, "first", "12345678", 1);
	assert_int_equal(write(fd, maker.bytes.bytes, maker.bytes.size), maker.bytes.size);
	assert_int_equal(fstat(fd, &stat), 0);
	close(fd);
	file.inode = stat.st_ino;
	jit_mapped(jit, process, &file);
	jit_follow(jit, clock_ns());
	unlink(path);
	buf_done(&maker.bytes);
	return process;
}

static void ask_for_lines(struct profile *profile, struct jit *jit, uint32_t process)
{
	struct image anon = { .kind = IMAGE_ANON };
	struct frame frame = { .address = CODE, .offset = CODE };
	uint64_t changes = 0;

	frame.image = profile_image(profile, &anon);
	jit_place(jit, process, &frame);
	assert_true(jit_keep_lines(jit, &frame, true, &changes));
}

static void said_once_there_are_some(void **state)
{
	char folder[] = "/tmp/prospect-test-XXXXXX";
	struct profile *profile = profile_new();
	struct jit *jit = jit_new(profile);
	uint32_t process;

	(void)state;
	assert_non_null(mkdtemp(folder));
	process = map_dump(profile, jit, folder);
	assert_int_equal(rmdir(folder), 0);
	profile_set_text(&profile->run.not_visible, "something else");
	ask_for_lines(profile, jit, process);
	assert_int_equal(profile->lines.count, 1 + 2);
	hot_code_tell_dropped_lines(profile, NULL);
	hot_code_tell_dropped_lines(profile, jit);
	assert_string_equal(profile->run.not_visible, "something else");
	fill_lines(profile);
	ask_for_lines(profile, jit, process);
	hot_code_tell_dropped_lines(profile, jit);
	assert_string_equal(profile->run.not_visible,
			    "something else\nsource lines of JIT code: at most 262144 are kept, "
			    "and 2 more were needed");
	jit_free(jit);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(said_once_there_are_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

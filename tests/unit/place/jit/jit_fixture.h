/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that announces code: this one, with maps and dumps of its own making. */
#ifndef TESTS_UNIT_PLACE_JIT_JIT_FIXTURE_H
#define TESTS_UNIT_PLACE_JIT_JIT_FIXTURE_H

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/jit/jitdump_maker.h"
#include "tools.h"

enum { CODE = 0x7f0000001000 };

struct fixture {
	struct profile *profile;
	struct jit *jit;
	uint32_t anon, process;
	char map[64];
	char *folder;
	char *dump;
};

static inline uint32_t add_process(struct fixture *fixture, int32_t pid, uint32_t parent)
{
	struct process process = { .pid = pid,
				   .uid = getuid(),
				   .parent = parent,
				   .start_ns = clock_ns(),
				   .exec_count = parent ? 0 : 1 };

	return profile_add_process(fixture->profile, &process);
}

static inline int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct image anon = { .kind = IMAGE_ANON };

	fixture->profile = profile_new();
	anon.path = strpool_intern(&fixture->profile->strings, "[anon]");
	fixture->anon = profile_image(fixture->profile, &anon);
	fixture->jit = jit_new(fixture->profile);
	fixture->process = add_process(fixture, getpid(), 0);
	snprintf(fixture->map, sizeof(fixture->map), "/tmp/perf-%d.map", getpid());
	unlink(fixture->map);
	fixture->folder = tools_folder();
	if (asprintf(&fixture->dump, "%s/jit-%d.dump", fixture->folder, getpid()) < 0)
		abort();
	*state = fixture;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->map);
	tools_remove(fixture->folder);
	jit_free(fixture->jit);
	profile_free(fixture->profile);
	free(fixture->dump);
	free(fixture);
	return 0;
}

static inline void write_file(const char *path, int flags, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static inline void append(const struct fixture *fixture, const char *text)
{
	write_file(fixture->map, O_APPEND, text, strlen(text));
}

static inline struct frame place(const struct fixture *fixture, uint32_t process, uint64_t address,
				 uint64_t time_ns)
{
	struct frame frame = { .image = fixture->anon, .address = address, .offset = address };

	jit_set_time(fixture->jit, time_ns);
	jit_place(fixture->jit, process, &frame);
	return frame;
}

static inline const char *name_of(const struct fixture *fixture, const struct frame *frame)
{
	struct symbol symbol;
	uint64_t changes = 0;

	switch (jit_lookup(fixture->jit, frame, &changes, &symbol)) {
	case JIT_NAMED:
		return profile_text(fixture->profile, symbol.name);
	case JIT_NOT_YET:
		return "(not yet)";
	case JIT_NEVER:
		return "(never)";
	default:
		return "(not ours)";
	}
}

static inline const char *name_at(const struct fixture *fixture, uint64_t address, uint64_t time_ns)
{
	struct frame frame = place(fixture, fixture->process, address, time_ns);

	return name_of(fixture, &frame);
}

static inline void map_dump(const struct fixture *fixture, const struct jitdump_maker *maker)
{
	struct mapped_file file = { .pid = getpid(), .path = fixture->dump };
	struct stat st;

	write_file(fixture->dump, O_TRUNC, maker->bytes.bytes, maker->bytes.size);
	assert_int_equal(stat(fixture->dump, &st), 0);
	file.inode = st.st_ino;
	jit_mapped(fixture->jit, fixture->process, &file);
	jit_follow(fixture->jit, clock_ns());
}

static inline void expect_lines(const struct fixture *fixture, const char *expected)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 1; i < fixture->profile->lines.count; i++) {
		const struct source_line *line = &fixture->profile->lines.items[i];

		buf_printf(&text, "%s%" PRIx64 "+%" PRIu64 "=%s:%u", i > 1 ? " " : "", line->start,
			   line->size, profile_text(fixture->profile, line->file), line->line);
	}
	assert_string_equal(buf_text(&text), expected);
}

static inline bool keep_lines(const struct fixture *fixture, uint64_t address, uint64_t time_ns,
			      bool whole)
{
	struct frame frame = place(fixture, fixture->process, address, time_ns);
	uint64_t changes = 0;

	return jit_keep_lines(fixture->jit, &frame, whole, &changes);
}

/* Lines go with the piece that follows them, to where it is moved; of each only what is asked for,
 * once. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif

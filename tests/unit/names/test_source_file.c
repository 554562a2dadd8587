/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symbol_source.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "elf/elf_file.h"
#include "names/debug_files/debug_files.h"
#include "place/files/image_files.h"
#include "tools.h"

struct fixture {
	char *folder;
	struct profile *profile;
	struct image_files *files;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	fixture->profile = profile_new();
	fixture->files = image_files_new(fixture->profile, 64);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	image_files_free(fixture->files);
	profile_free(fixture->profile);
	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

/* The address of a function as nm has it. */
static uint64_t address_of(const char *path, const char *name)
{
	struct buf out = { 0 };
	uint64_t address;

	assert_int_equal(tools_run(&out, "nm '%s' | grep ' %s$'", path, name), 0);
	assert_int_equal(sscanf(buf_text(&out), "%" SCNx64, &address), 1);
	buf_done(&out);
	return address;
}

/* Where that lies in the file. */
static uint64_t offset_of(const char *path, uint64_t address)
{
	_cleanup_fclose_ FILE *stream = fopen(path, "re");
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	const struct elf_segments *segments;

	assert_non_null(stream);
	assert_int_equal(elf_file_open(fileno(stream), &file, NULL), 0);
	segments = elf_file_segments(file);
	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];

		if (address - segment->address < segment->size)
			return address - segment->address + segment->offset;
	}
	fail_msg("no segment has 0x%" PRIx64, address);
	return 0;
}

static uint32_t add_frame(struct fixture *fixture, const char *path, uint64_t offset)
{
	struct mapped_file mapped = { .path = path };
	struct frame frame = { .offset = offset };
	struct stat st;

	if (stat(path, &st) == 0) {
		mapped.dev = st.st_dev;
		mapped.inode = st.st_ino;
	} else {
		mapped.dev = mapped.inode = 1;
	}
	frame.image = image_files_mapped(fixture->files, &mapped);
	return profile_frame(fixture->profile, &frame);
}

static enum symbol_answer ask(struct fixture *fixture, struct debug_files *debug_files,
			      uint32_t frame, struct symbol *ret_symbol)
{
	const struct symbol_source *source = &symbol_source_file;
	void *made = source->make(&(struct symbol_parts){
		.profile = fixture->profile, .files = fixture->files, .debug_files = debug_files });
	enum symbol_answer answer;
	uint64_t changes = 0;

	assert_non_null(made);
	assert_true(source->answers_for(
		made,
		&fixture->profile->images.items[fixture->profile->frames.items[frame].image]));
	answer = source->look_up(made, frame, &changes, ret_symbol);
	source->end(made);
	source->free(made);
	return answer;
}

static void build(const struct fixture *fixture, char path[TOOLS_PATH])
{
	tools_build(fixture->folder, "program", "c", "-O1 -Wl,--build-id=sha1",
		    "__attribute__((noipa)) static int inner(int x) { return x * 3; }"
		    "int main(int argc, char **argv) { (void)argv; return inner(argc); }",
		    path);
}

/* The symbol table of the file, or of its debug file once it was stripped, as nm has it. */
static void test_debug_file(void **state)
{
	struct fixture *fixture = *state;
	const char *folders[] = { fixture->folder };
	const struct debug_options options = { .folders = folders, .folder_count = 1 };
	_cleanup_(debug_files_freep) struct debug_files *debug_files = debug_files_new(&options);
	char path[TOOLS_PATH];
	struct symbol symbol;
	struct buf out = { 0 };
	uint64_t inner, offset;
	uint32_t frame;

	build(fixture, path);
	inner = address_of(path, "inner");
	offset = offset_of(path, inner);
	frame = add_frame(fixture, path, offset);
	assert_int_equal(ask(fixture, NULL, frame, &symbol), SYMBOL_FOUND);
	assert_string_equal(profile_text(fixture->profile, symbol.name), "inner");
	assert_int_equal(symbol.start, inner);
	assert_int_equal(fixture->profile->frames.items[frame].address, inner);

	assert_int_equal(
		tools_run(&out,
			  "id=$(readelf -n '%s' | sed -n 's/.*Build ID: //p') &&"
			  " mkdir -p '%s'/.build-id/${id%%${id#??}} &&"
			  " objcopy --only-keep-debug '%s' "
			  "'%s'/.build-id/${id%%${id#??}}/${id#??}.debug &&"
			  " strip --strip-all '%s' -o '%s.stripped' && mv '%s.stripped' '%s'",
			  path, fixture->folder, path, fixture->folder, path, path, path, path),
		0);
	frame = add_frame(fixture, path, offset);
	assert_int_equal(ask(fixture, NULL, frame, &symbol), SYMBOL_FOUND);
	assert_int_not_equal(symbol.kind, SYMBOL_NAMED);
	assert_int_equal(ask(fixture, debug_files, frame, &symbol), SYMBOL_FOUND);
	assert_string_equal(profile_text(fixture->profile, symbol.name), "inner");
	assert_int_equal(symbol.kind, SYMBOL_NAMED);
	assert_int_equal(symbol.start, inner);
	buf_done(&out);
}

/* A file that is gone is left to the next source; an offset outside of all segments is not. */
static void test_no_answer(void **state)
{
	struct fixture *fixture = *state;
	char path[TOOLS_PATH];
	struct symbol symbol;
	uint32_t frame = add_frame(fixture, "/nowhere/at/all", 0x1000);

	assert_int_equal(ask(fixture, NULL, frame, &symbol), SYMBOL_PASS);
	build(fixture, path);
	frame = add_frame(fixture, path, 1ULL << 50);
	assert_int_equal(ask(fixture, NULL, frame, &symbol), SYMBOL_FOUND);
	assert_string_equal(profile_text(fixture->profile, symbol.name), "[unknown]");
	assert_int_equal(symbol.kind, SYMBOL_NONE);
	assert_null(symbol_source_file.make(&(struct symbol_parts){ .profile = fixture->profile }));
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(test_debug_file),
		CASE(test_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/late_names.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "tools.h"

/* A program that was recorded stripped: what was known of it is in the profile. */
struct fixture {
	char *folder;
	char whole[TOOLS_PATH], path[TOOLS_PATH];
	const char *folders[1];
	struct debug_options debug_options;
	struct debug_files *debug_files;
	struct profile *profile;
	uint32_t image, inner, main, exported;
	uint64_t inner_start;
};

static const char source[] =
	"__attribute__((noipa)) static int inner(int x) { return x * 3; }\n"
	"__attribute__((noipa)) int exported(int x) { return x * 5; }\n"
	"int main(int argc, char **argv) { (void)argv; return inner(argc) + exported(argc); }\n";

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[8 * TOOLS_PATH];
	struct buf out = { 0 };
	va_list list;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	if (tools_run(&out, "( %s ) 2>&1", command))
		fail_msg("%s: %s", command, buf_text(&out));
	buf_done(&out);
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

static uint32_t add_frame(struct fixture *fixture, uint64_t address, const char *name,
			  enum symbol_kind kind)
{
	struct symbol symbol = { .image = fixture->image,
				 .name = strpool_intern(&fixture->profile->strings, name),
				 .kind = kind };
	struct frame frame = { .image = fixture->image,
			       .offset = address,
			       .address = address,
			       .address_known = true,
			       .symbol = profile_symbol(fixture->profile, &symbol) };

	return profile_frame(fixture->profile, &frame);
}

static void add_image(struct fixture *fixture)
{
	_cleanup_fclose_ FILE *stream = fopen(fixture->path, "re");
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	struct image image = { .kind = IMAGE_FILE, .state = IMAGE_STATE_STRIPPED };

	assert_non_null(stream);
	assert_int_equal(elf_file_open(fileno(stream), &file, NULL), 0);
	image.path = strpool_intern(&fixture->profile->strings, fixture->path);
	image.build_id_size = elf_file_build_id(file)->size;
	assert_int_equal(image.build_id_size, 20);
	memcpy(image.build_id, elf_file_build_id(file)->bytes, image.build_id_size);
	fixture->image = profile_image(fixture->profile, &image);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	fixture->profile = profile_new();
	tools_build(fixture->folder, "whole", "c", "-O1 -Wl,--build-id=sha1", source,
		    fixture->whole);
	snprintf(fixture->path, sizeof(fixture->path), "%s/prog", fixture->folder);
	run("cp %s %s && strip --strip-all %s", fixture->whole, fixture->path, fixture->path);
	add_image(fixture);
	fixture->inner_start = address_of(fixture->whole, "inner");
	fixture->inner = add_frame(fixture, fixture->inner_start, "[unknown]", SYMBOL_NONE);
	fixture->main = add_frame(fixture, address_of(fixture->whole, "main") + 1, "->exported",
				  SYMBOL_BRACKET);
	fixture->exported = add_frame(fixture, address_of(fixture->whole, "exported"), "its_name",
				      SYMBOL_NAMED);
	run("mkdir %s/debug && objcopy --only-keep-debug %s %s/debug/prog.debug", fixture->folder,
	    fixture->whole, fixture->folder);
	fixture->folders[0] = xasprintf("%s/debug", fixture->folder);
	fixture->debug_options =
		(struct debug_options){ .folders = fixture->folders, .folder_count = 1 };
	fixture->debug_files = debug_files_new(&fixture->debug_options);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	debug_files_free(fixture->debug_files);
	profile_free(fixture->profile);
	tools_remove(fixture->folder);
	free((char *)fixture->folders[0]);
	free(fixture);
	return 0;
}

/* How many frames were named; the row of the only image is copied to *ret_row without its texts. */
static uint64_t add(struct fixture *fixture, bool force, struct late_image *ret_row)
{
	const struct late_options options = { .debug_files = fixture->debug_files,
					      .by_build_id_only = true,
					      .force = force,
					      .folders = fixture->folders,
					      .folder_count = 1 };
	struct late_names names;
	uint64_t named;

	late_names_add(fixture->profile, &options, &names);
	named = names.named;
	assert_true(names.images.count <= 1);
	*ret_row = (struct late_image){ 0 };
	if (names.images.count) {
		*ret_row = names.images.items[0];
		assert_int_equal(ret_row->image, fixture->image);
		assert_int_equal(!!ret_row->source, named > 0);
		ret_row->source = NULL;
	}
	late_names_done(&names);
	return named;
}

static const struct symbol *symbol_of(const struct fixture *fixture, uint32_t frame)
{
	return &fixture->profile->symbols.items[fixture->profile->frames.items[frame].symbol];
}

static void assert_name(const struct fixture *fixture, uint32_t frame, const char *name)
{
	assert_string_equal(profile_text(fixture->profile, symbol_of(fixture, frame)->name), name);
}

/* The names that nm has; a frame that has one keeps it; a second run has nothing to do. */
static void test_names(void **state)
{
	struct fixture *fixture = *state;
	struct profile *profile = fixture->profile;
	struct late_image row;
	size_t symbols;

	assert_int_equal(add(fixture, false, &row), 2);
	assert_int_equal(row.nameless, 2);
	assert_false(row.forced);
	assert_name(fixture, fixture->inner, "inner");
	assert_int_equal(symbol_of(fixture, fixture->inner)->start, fixture->inner_start);
	assert_int_equal(symbol_of(fixture, fixture->inner)->kind, SYMBOL_NAMED);
	assert_name(fixture, fixture->main, "main");
	assert_name(fixture, fixture->exported, "its_name");
	assert_true(profile->frames.items[fixture->inner].dirty);
	assert_false(profile->frames.items[fixture->exported].dirty);
	assert_int_equal(profile->images.items[fixture->image].state, IMAGE_STATE_READ);
	assert_true(profile->images.items[fixture->image].dirty);
	symbols = profile->symbols.count;
	assert_int_equal(add(fixture, false, &row), 0);
	assert_int_equal(row.nameless, 0);
	assert_int_equal(profile->symbols.count, symbols);
}

/* The file itself need not be here, as long as it is known where its code lies. */
static void test_file_is_gone(void **state)
{
	struct fixture *fixture = *state;
	struct frame *inner = &fixture->profile->frames.items[fixture->inner];
	struct late_image row;

	unlink(fixture->path);
	inner->address_known = false;
	assert_int_equal(add(fixture, false, &row), 1);
	assert_name(fixture, fixture->main, "main");
	assert_name(fixture, fixture->inner, "[unknown]");
	assert_int_equal(fixture->profile->images.items[fixture->image].state,
			 IMAGE_STATE_STRIPPED);
	assert_int_equal(add(fixture, false, &row), 0);
	assert_non_null(strstr(row.why.text, "only with the executed file"));
}

/* Of a frame whose address was not known the file itself says it. */
static void test_address(void **state)
{
	struct fixture *fixture = *state;
	struct frame *inner = &fixture->profile->frames.items[fixture->inner];
	struct late_image row;

	inner->address_known = false;
	inner->address = 0;
	assert_int_equal(add(fixture, false, &row), 2);
	assert_name(fixture, fixture->inner, "inner");
	assert_true(inner->address_known);
	assert_int_equal(inner->address, fixture->inner_start);
}

/* Another build is refused. With --force it is used, and the row says so. */
static void test_another_build(void **state)
{
	struct fixture *fixture = *state;
	struct late_image row;
	char other[TOOLS_PATH];

	tools_build(fixture->folder, "other", "c", "-O1 -DX -Wl,--build-id=0x0123456789abcdef",
		    source, other);
	run("objcopy --only-keep-debug %s %s/prog.debug", other, fixture->folders[0]);
	assert_int_equal(add(fixture, false, &row), 0);
	assert_non_null(strstr(row.why.text, "its build id does not match"));
	assert_name(fixture, fixture->inner, "[unknown]");
	assert_int_equal(add(fixture, true, &row), 2);
	assert_true(row.forced);
	assert_name(fixture, fixture->inner, "inner");
}

/* Without a build id nothing is proven, not even by the file's own place. */
static void test_no_build_id(void **state)
{
	struct fixture *fixture = *state;
	struct late_image row;

	fixture->profile->images.items[fixture->image].build_id_size = 0;
	run("cp %s %s", fixture->whole, fixture->path);
	assert_int_equal(add(fixture, false, &row), 0);
	assert_non_null(strstr(row.why.text, "no build id"));
	assert_int_equal(add(fixture, true, &row), 2);
	assert_true(row.forced);
}

/* A debug file that is cut off anywhere, or has any byte changed, names nothing or what it says,
 * and nothing breaks. */
static void test_hostile(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *path = xasprintf("%s/prog.debug", fixture->folders[0]);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct late_image row;
	struct stat st;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, file), st.st_size);
	fclose(file);
	for (size_t i = 0; i < (size_t)st.st_size; i += 509) {
		tools_write(path, bytes, i);
		add(fixture, true, &row);
		fixture->profile->frames.items[fixture->inner].symbol = 0;
		fixture->profile->images.items[fixture->image].state = IMAGE_STATE_STRIPPED;
		bytes[i] ^= 0xff;
		tools_write(path, bytes, (size_t)st.st_size);
		add(fixture, true, &row);
		fixture->profile->frames.items[fixture->inner].symbol = 0;
		fixture->profile->images.items[fixture->image].state = IMAGE_STATE_STRIPPED;
		bytes[i] ^= 0xff;
	}
	tools_write(path, bytes, (size_t)st.st_size);
	assert_true(add(fixture, false, &row) >= 1);
	assert_name(fixture, fixture->inner, "inner");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(test_names),	  CASE(test_file_is_gone), CASE(test_address),
		CASE(test_another_build), CASE(test_no_build_id),  CASE(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

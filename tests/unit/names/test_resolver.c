/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "place/files/image_files.h"
#include "tools.h"

struct fixture {
	char *folder;
	struct profile *profile;
	struct image_files *files;
	struct resolver *resolver;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->folder = tools_folder();
	fixture->profile = profile_new();
	fixture->files = image_files_new(fixture->profile, 64);
	fixture->resolver = resolver_new(
		&(struct symbol_parts){ .profile = fixture->profile, .files = fixture->files });
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	resolver_free(fixture->resolver);
	image_files_free(fixture->files);
	profile_free(fixture->profile);
	tools_remove(fixture->folder);
	free(fixture);
	return 0;
}

/* The mapping of our own process that holds an address, and the address's offset in the file. */
static uint32_t map_own(struct fixture *fixture, const void *address, uint64_t *ret_offset)
{
	struct mapped_file mapped = { .pid = getpid() };
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024], path[1024];
	struct stat st;

	while (fgets(line, sizeof(line), maps)) {
		uint64_t at = (uint64_t)(uintptr_t)address, offset;

		path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %1023[^\n]",
			   &mapped.start, &mapped.end, &offset, path) < 3 ||
		    at < mapped.start || at >= mapped.end)
			continue;
		mapped.path = path;
		if (stat(path, &st) == 0) {
			mapped.dev = st.st_dev;
			mapped.inode = st.st_ino;
		}
		*ret_offset = at - mapped.start + offset;
		return image_files_mapped(fixture->files, &mapped);
	}
	fail_msg("%p is not mapped", address);
	return 0;
}

static uint32_t add_frame(struct fixture *fixture, uint32_t image, uint64_t offset,
			  enum frame_kind kind)
{
	struct frame frame = { .image = image, .offset = offset, .kind = kind };

	return profile_frame(fixture->profile, &frame);
}

static uint32_t own_frame(struct fixture *fixture, const void *address, enum frame_kind kind)
{
	uint64_t offset;
	uint32_t image = map_own(fixture, address, &offset);

	return add_frame(fixture, image, offset, kind);
}

static const struct symbol *symbol_of(const struct fixture *fixture, uint32_t frame)
{
	assert_int_not_equal(fixture->profile->frames.items[frame].symbol, 0);
	return &fixture->profile->symbols.items[fixture->profile->frames.items[frame].symbol];
}

static const char *name_of(const struct fixture *fixture, uint32_t frame)
{
	return profile_text(fixture->profile, symbol_of(fixture, frame)->name);
}

static enum image_state state_of(const struct fixture *fixture, uint32_t frame)
{
	return fixture->profile->images.items[fixture->profile->frames.items[frame].image].state;
}

static __attribute__((noinline)) int first_marker(int x)
{
	__asm__ volatile("");
	return x + 1;
}

/* Code of this program and of its libraries, by the addresses the linker gave it. */
static void test_own_code(void **state)
{
	struct fixture *fixture = *state;
	uint32_t inside = own_frame(fixture, (const char *)first_marker + 1, FRAME_EXACT);
	uint32_t exact = own_frame(fixture, (const void *)first_marker, FRAME_EXACT);
	uint32_t back = own_frame(fixture, (const void *)first_marker, FRAME_RETURN);
	uint32_t library = own_frame(fixture, dlsym(RTLD_DEFAULT, "abs"), FRAME_EXACT);
	struct buf out = { 0 };
	uint64_t start;

	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, inside), "first_marker");
	assert_string_equal(name_of(fixture, exact), "first_marker");
	assert_int_equal(fixture->profile->frames.items[inside].symbol,
			 fixture->profile->frames.items[exact].symbol);
	assert_string_not_equal(name_of(fixture, back), "first_marker");
	assert_int_equal(tools_run(&out, "nm /proc/%d/exe | grep ' first_marker$'", getpid()), 0);
	assert_int_equal(sscanf(buf_text(&out), "%" SCNx64, &start), 1);
	assert_int_equal(symbol_of(fixture, exact)->start, start);
	assert_int_equal(symbol_of(fixture, exact)->kind, SYMBOL_NAMED);
	assert_true(symbol_of(fixture, exact)->size > 1);
	assert_true(fixture->profile->frames.items[inside].address_known);
	assert_int_equal(fixture->profile->frames.items[inside].address, start + 1);
	assert_int_equal(fixture->profile->frames.items[back].address, start);
	assert_true(fixture->profile->frames.items[inside].dirty);
	assert_int_equal(state_of(fixture, exact), IMAGE_STATE_READ);
	assert_string_equal(name_of(fixture, library), "abs");
	buf_done(&out);
}

static void test_stripped(void **state)
{
	struct fixture *fixture = *state;
	char path[TOOLS_PATH];
	struct mapped_file mapped;
	struct stat st;
	uint32_t image, frame;

	tools_build(fixture->folder, "stripped.so", "c", "-shared -fPIC -s -O1",
		    "int shown(void) { return 1; }", path);
	assert_int_equal(stat(path, &st), 0);
	mapped = (struct mapped_file){ .path = path, .dev = st.st_dev, .inode = st.st_ino };
	image = image_files_mapped(fixture->files, &mapped);
	frame = add_frame(fixture, image, 0x1000, FRAME_EXACT);
	resolver_run(fixture->resolver);
	assert_int_equal(state_of(fixture, frame), IMAGE_STATE_STRIPPED);
	assert_int_not_equal(fixture->profile->frames.items[frame].symbol, 0);
	/* an offset no segment holds */
	frame = add_frame(fixture, image, 1ULL << 50, FRAME_EXACT);
	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, frame), "[unknown]");
	assert_false(fixture->profile->frames.items[frame].address_known);
}

/* Why there is no name is the name. */
static void test_no_names(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file mapped = { .path = "/nowhere/at/all", .dev = 1, .inode = 1 };
	uint32_t gone = add_frame(fixture, image_files_mapped(fixture->files, &mapped), 0x1234,
				  FRAME_EXACT);
	uint32_t also =
		add_frame(fixture, fixture->profile->frames.items[gone].image, 0x5678, FRAME_EXACT);
	uint32_t unmapped =
		add_frame(fixture, profile_bucket(fixture->profile, "[unmapped]"), 5, FRAME_EXACT);
	struct image anon = { .kind = IMAGE_ANON,
			      .path = strpool_intern(&fixture->profile->strings, "/memfd:jit") };
	struct image kernel = { .kind = IMAGE_KERNEL,
				.path = strpool_intern(&fixture->profile->strings, "[kernel]") };
	uint32_t jit = add_frame(fixture, profile_image(fixture->profile, &anon), 7, FRAME_EXACT);
	uint32_t in_kernel =
		add_frame(fixture, profile_image(fixture->profile, &kernel), 9, FRAME_EXACT);

	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, gone), "[no symbols: gone]");
	assert_int_equal(symbol_of(fixture, gone)->kind, SYMBOL_NONE);
	assert_ptr_equal(symbol_of(fixture, gone), symbol_of(fixture, also));
	assert_string_equal(name_of(fixture, unmapped), "[unmapped]");
	assert_string_equal(name_of(fixture, jit), "[anon]");
	assert_string_equal(name_of(fixture, in_kernel), "[kernel]");
	assert_int_equal(fixture->profile->frames.items[unmapped].address, 5);
}

/* A file that changes between its mapping and the run has no names, not the wrong ones. */
static void test_changed_file(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file mapped;
	char path[TOOLS_PATH], other[TOOLS_PATH];
	struct buf out = { 0 };
	struct stat st;
	uint32_t frame;

	tools_build(fixture->folder, "old", "c", "-O1", "int main(void) { return 1; }", path);
	tools_build(fixture->folder, "new", "c", "-O1",
		    "int f(void); int f(void) { return 2; } int main(void) { return f(); }", other);
	assert_int_equal(stat(path, &st), 0);
	mapped = (struct mapped_file){ .path = path, .dev = st.st_dev, .inode = st.st_ino };
	frame = add_frame(fixture, image_files_mapped(fixture->files, &mapped), 0x1040,
			  FRAME_EXACT);
	assert_int_equal(tools_run(&out, "cat '%s' > '%s'", other, path), 0);
	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, frame), "[no symbols: replaced]");
	assert_int_equal(state_of(fixture, frame), IMAGE_STATE_REPLACED);
	buf_done(&out);
}

/* The same when only the build id shows the change. */
static void test_changed_unseen(void **state)
{
	struct fixture *fixture = *state;
	struct mapped_file mapped;
	char path[TOOLS_PATH];
	struct buf out = { 0 };
	struct stat st;
	uint32_t frame;

	tools_build(fixture->folder, "sly", "c", "-O1 -Wl,--build-id=sha1",
		    "int main(void) { return 1; }", path);
	assert_int_equal(stat(path, &st), 0);
	mapped = (struct mapped_file){ .path = path, .dev = st.st_dev, .inode = st.st_ino };
	frame = add_frame(fixture, image_files_mapped(fixture->files, &mapped), 0x1040,
			  FRAME_EXACT);
	assert_int_equal(tools_run(&out,
				   "id=$(readelf -SW '%s' | sed 's/\\[ *//' |"
				   " awk '$2 == \".note.gnu.build-id\" { print $5 }');"
				   " touch -r '%s' '%s.time';"
				   " printf 'x' | dd of='%s' bs=1 seek=$((0x$id + 16)) conv=notrunc"
				   " 2>/dev/null; touch -r '%s.time' '%s'",
				   path, path, path, path, path, path),
			 0);
	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, frame), "[no symbols: replaced]");
	buf_done(&out);
}

static void test_vdso(void **state)
{
	struct fixture *fixture = *state;
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	void *handle = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *place = handle ? dlsym(handle, "__vdso_clock_gettime") : NULL;
	uint32_t frame;

	if (!place) {
		print_message("no vdso with __vdso_clock_gettime\n");
		skip();
	}
	assert_true((uint64_t)(uintptr_t)place > start);
	frame = own_frame(fixture, place, FRAME_EXACT);
	resolver_run(fixture->resolver);
	assert_non_null(strstr(name_of(fixture, frame), "clock_gettime"));
	assert_int_equal(state_of(fixture, frame), IMAGE_STATE_READ);
	assert_true(fixture->profile->frames.items[frame].address_known);
	dlclose(handle);
}

/* A run with nothing new changes nothing; what comes later is resolved later. */
static void test_runs(void **state)
{
	struct fixture *fixture = *state;
	uint32_t early = own_frame(fixture, (const void *)first_marker, FRAME_EXACT), late;
	size_t symbols;

	resolver_run(fixture->resolver);
	symbols = fixture->profile->symbols.count;
	fixture->profile->frames.items[early].dirty = false;
	resolver_run(fixture->resolver);
	assert_int_equal(fixture->profile->symbols.count, symbols);
	assert_false(fixture->profile->frames.items[early].dirty);
	for (int i = 0; i < 10; i++)
		resolver_run(fixture->resolver);
	late = own_frame(fixture, (const void *)tools_run, FRAME_EXACT);
	resolver_run(fixture->resolver);
	assert_string_equal(name_of(fixture, late), "tools_run");
}

/* A source of a runtime that nothing else knows: names even places, and odd ones once it
 * `knows`. */
struct odd_source {
	struct profile *profile;
	bool knows;
	int begun, ended, freed;
};

static struct odd_source odd;

static void *odd_make(const struct symbol_parts *parts)
{
	odd = (struct odd_source){ .profile = parts->profile };
	return &odd;
}

static bool odd_answers_for(void *state, const struct image *image)
{
	assert_ptr_equal(state, &odd);
	return image->kind == IMAGE_ANON;
}

static enum symbol_answer odd_look_up(void *state, uint32_t frame, uint64_t *changes,
				      struct symbol *ret_symbol)
{
	uint64_t offset = odd.profile->frames.items[frame].offset;

	assert_ptr_equal(state, &odd);
	if (offset > 100)
		return SYMBOL_PASS;
	if (offset % 2 && !odd.knows) {
		++*changes;
		return SYMBOL_LATER;
	}
	*ret_symbol = (struct symbol){ .name = strpool_intern(&odd.profile->strings,
							      *changes > 1 ? "late" : "early"),
				       .kind = SYMBOL_NAMED };
	return SYMBOL_FOUND;
}

static void odd_begin(void *state)
{
	assert_ptr_equal(state, &odd);
	odd.begun++;
}

static void odd_end(void *state)
{
	assert_ptr_equal(state, &odd);
	odd.ended++;
}

static void odd_free(void *state)
{
	assert_ptr_equal(state, &odd);
	odd.freed++;
}

static void *never_make(const struct symbol_parts *parts)
{
	(void)parts;
	return NULL;
}

/* What a source of its own answers comes before the placeholder; what it answers later replaces
 * the placeholder, and its note is kept meanwhile. A source that cannot be made is never asked. */
static void test_own_source(void **state)
{
	static const struct symbol_source odd_source = { .name = "odd",
							 .make = odd_make,
							 .answers_for = odd_answers_for,
							 .look_up = odd_look_up,
							 .begin = odd_begin,
							 .end = odd_end,
							 .free = odd_free };
	static const struct symbol_source never = { .name = "never", .make = never_make };
	const struct symbol_source *sources[] = { &never, &odd_source, &symbol_source_placeholder };
	struct fixture *fixture = *state;
	struct image anon = { .kind = IMAGE_ANON,
			      .path = strpool_intern(&fixture->profile->strings, "[anon]") };
	uint32_t image = profile_image(fixture->profile, &anon);
	uint32_t even = add_frame(fixture, image, 2, FRAME_EXACT);
	uint32_t late = add_frame(fixture, image, 3, FRAME_EXACT);
	uint32_t passed = add_frame(fixture, image, 101, FRAME_EXACT);
	uint32_t bucket =
		add_frame(fixture, profile_bucket(fixture->profile, "[exec]"), 2, FRAME_EXACT);
	struct resolver *resolver =
		resolver_new_of(&(struct symbol_parts){ .profile = fixture->profile }, sources, 3);

	resolver_run(resolver);
	assert_string_equal(name_of(fixture, even), "early");
	assert_string_equal(name_of(fixture, late), "[anon]");
	assert_string_equal(name_of(fixture, passed), "[anon]");
	assert_string_equal(name_of(fixture, bucket), "[exec]");
	resolver_run(resolver);
	assert_string_equal(name_of(fixture, late), "[anon]");
	odd.knows = true;
	fixture->profile->frames.items[late].dirty = false;
	resolver_run(resolver);
	assert_string_equal(name_of(fixture, late), "late");
	assert_true(fixture->profile->frames.items[late].dirty);
	assert_int_equal(odd.begun, 3);
	assert_int_equal(odd.ended, 3);
	resolver_free(resolver);
	assert_int_equal(odd.freed, 1);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(test_own_code),	   CASE(test_stripped),	  CASE(test_no_names),
		CASE(test_changed_file),   CASE(test_vdso),	  CASE(test_runs),
		CASE(test_changed_unseen), CASE(test_own_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

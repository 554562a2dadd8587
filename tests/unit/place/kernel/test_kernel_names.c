/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_names.h"

#include <errno.h>

#include "tools.h"

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000140 T schedule\n"
			   "ffffffff81000200 T _etext\n"
			   "ffffffff81000300 D some_data\n"
			   "ffffffffc0000100 t in_module\t[mod]\n";

struct fixture {
	struct profile *profile;
	uint32_t kernel, none;
};

static void fixture_init(struct fixture *fixture)
{
	struct profile *profile = profile_new();
	struct image image = { .kind = IMAGE_KERNEL,
			       .path = strpool_intern(&profile->strings, "[kernel]") };
	struct symbol none = { .kind = SYMBOL_NONE, .name = image.path };

	fixture->profile = profile;
	fixture->kernel = none.image = profile_image(profile, &image);
	fixture->none = profile_symbol(profile, &none);
}

static uint32_t add(const struct fixture *fixture, uint64_t offset, enum frame_kind kind,
		    uint32_t symbol)
{
	struct frame frame = { .image = fixture->kernel,
			       .offset = offset,
			       .address = offset,
			       .kind = kind,
			       .symbol = symbol };

	return profile_frame(fixture->profile, &frame);
}

static const char *name_of(const struct fixture *fixture, uint32_t frame)
{
	const struct profile *profile = fixture->profile;

	return profile_text(profile,
			    profile->symbols.items[profile->frames.items[frame].symbol].name);
}

static int name_from(const struct fixture *fixture, const char *text, struct err *err)
{
	char folder[] = "/tmp/prospect-names.XXXXXX", path[sizeof(folder) + 8];
	FILE *file;
	int rc;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/list", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	rc = kernel_names_add(fixture->profile, path, err);
	unlink(path);
	rmdir(folder);
	return rc;
}

static void what_has_no_name_gets_one(void **state)
{
	struct fixture fixture;
	struct symbol known = { .kind = SYMBOL_NAMED };
	uint32_t exact, returned, named, hidden, beyond;
	struct err err = { "" };

	fixture_init(&fixture);
	known.image = fixture.kernel;
	known.name = strpool_intern(&fixture.profile->strings, "known");
	exact = add(&fixture, 0x140, FRAME_EXACT, fixture.none);
	returned = add(&fixture, 0x140, FRAME_RETURN, 0);
	named = add(&fixture, 0x141, FRAME_EXACT, profile_symbol(fixture.profile, &known));
	hidden = add(&fixture, 0xffffffff81000150, FRAME_EXACT, fixture.none);
	beyond = add(&fixture, 0x310, FRAME_EXACT, fixture.none);
	assert_int_equal(name_from(&fixture, list, &err), 0);
	assert_string_equal(name_of(&fixture, exact), "schedule");
	assert_string_equal(name_of(&fixture, returned), "helper");
	assert_string_equal(name_of(&fixture, named), "known");
	assert_string_equal(name_of(&fixture, hidden), "schedule");
	assert_string_equal(name_of(&fixture, beyond), "[kernel]");
	profile_free(fixture.profile);
}

static void what_tells_no_addresses_is_refused(void **state)
{
	struct fixture fixture;
	struct err err = { "" };
	uint32_t frame;

	fixture_init(&fixture);
	frame = add(&fixture, 0x140, FRAME_EXACT, fixture.none);
	assert_int_equal(name_from(&fixture,
				   "0000000000000000 T _text\n"
				   "0000000000000000 T schedule\n",
				   &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "no address of _text"));
	assert_int_equal(name_from(&fixture, "root:x:0:0\n", &err), -EINVAL);
	assert_int_equal(kernel_names_add(fixture.profile, "/nonexistent/list", &err), -ENOENT);
	assert_string_equal(name_of(&fixture, frame), "[kernel]");
	profile_free(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_no_name_gets_one),
		cmocka_unit_test(what_tells_no_addresses_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

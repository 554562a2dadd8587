/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symbol_source.h"

#include "tools.h"

static uint32_t add_frame(struct profile *profile, enum image_kind kind, enum image_state state,
			  const char *path)
{
	struct image image = { .kind = kind,
			       .state = state,
			       .path = strpool_intern(&profile->strings, path) };
	struct frame frame = { .image = profile_image(profile, &image), .offset = 1 };

	return profile_frame(profile, &frame);
}

/* Every kind of image gets a text that says why there is no name. */
static void test_every_kind(void **state)
{
	static const struct {
		enum image_kind kind;
		enum image_state state;
		const char *path, *name;
	} cases[] = {
		{ IMAGE_FILE, IMAGE_STATE_GONE, "/usr/bin/x", "[no symbols: gone]" },
		{ IMAGE_FILE, IMAGE_STATE_REPLACED, "/usr/bin/y", "[no symbols: replaced]" },
		{ IMAGE_VDSO, IMAGE_STATE_GONE, "[vdso]", "[no symbols: gone]" },
		{ IMAGE_KERNEL, IMAGE_STATE_HIDDEN, "[kernel]", "[kernel]" },
		{ IMAGE_MODULE, IMAGE_STATE_READ, "[ext4]", "[kernel]" },
		{ IMAGE_BPF, IMAGE_STATE_READ, "[bpf]", "[kernel]" },
		{ IMAGE_ANON, IMAGE_STATE_READ, "/memfd:code", "[anon]" },
		{ IMAGE_ANON, IMAGE_STATE_READ, "[heap]", "[heap]" },
		{ IMAGE_BUCKET, IMAGE_STATE_READ, "[unmapped]", "[unmapped]" },
		{ IMAGE_CUT, IMAGE_STATE_READ, "[cut:no rows]", "[cut:no rows]" },
		{ IMAGE_WAIT, IMAGE_STATE_READ, "[wait:sleep]", "[wait:sleep]" },
	};
	const struct symbol_source *source = &symbol_source_placeholder;
	struct profile *profile = profile_new();
	void *made = source->make(&(struct symbol_parts){ .profile = profile });

	(void)state;
	assert_non_null(made);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t frame = add_frame(profile, cases[i].kind, cases[i].state, cases[i].path);
		const struct image *image =
			&profile->images.items[profile->frames.items[frame].image];
		struct symbol symbol = { .kind = SYMBOL_NAMED };
		uint64_t changes = 0;

		assert_true(source->answers_for(made, image));
		assert_int_equal(source->look_up(made, frame, &changes, &symbol), SYMBOL_FOUND);
		assert_string_equal(profile_text(profile, symbol.name), cases[i].name);
		assert_int_equal(symbol.kind, SYMBOL_NONE);
	}
	source->free(made);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_kind) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

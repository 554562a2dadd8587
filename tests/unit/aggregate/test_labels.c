/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "aggregate/fixture.h"
#include "base/hashidx.h"

/* The symbol of a function of @path, whose build id is @build (0: none). */
static uint32_t add_function(struct fixture *fixture, const char *path, uint8_t build,
			     const char *name, uint64_t start, enum symbol_kind kind)
{
	struct profile *profile = fixture->profile;
	struct image image = { .kind = IMAGE_FILE,
			       .path = fixture_text(fixture, path),
			       .build_id = { build },
			       .build_id_size = build ? 1 : 0 };
	struct symbol symbol = { .image = profile_image(profile, &image),
				 .name = fixture_text(fixture, name),
				 .start = start,
				 .kind = kind };

	return profile_symbol(profile, &symbol);
}

static const char *label(const struct labels *labels, uint32_t symbol, struct buf *buf)
{
	buf_clear(buf);
	labels_function(labels, symbol, buf);
	return buf_text(buf);
}

/* A label has what distinguishes functions of one name, and no more. */
static void functions_are_told_apart(void **state)
{
	static const struct {
		const char *path;
		uint8_t build;
		const char *name;
		uint64_t start;
		enum symbol_kind kind;
		const char *label;
	} rows[] = {
		{ "/bin/a", 1, "main", 0x1000, SYMBOL_NAMED, "main" },
		{ "/bin/a", 1, "init", 0x2000, SYMBOL_NAMED, "init@0x2000" },
		{ "/bin/b", 2, "init", 0x3000, SYMBOL_NAMED, "init@0x3000" },
		{ "/bin/a", 1, "fini", 0x4000, SYMBOL_NAMED, "fini@0x4000 in a" },
		{ "/bin/b", 2, "fini", 0x4000, SYMBOL_NAMED, "fini@0x4000 in b" },
		{ "/bin/a", 1, "x->y", 0x5000, SYMBOL_BRACKET, "x->y@0x5000" },
		{ "/bin/a", 1, "[unknown]", 0, SYMBOL_NONE, "[unknown] in a" },
		{ "/bin/b", 2, "[unknown]", 0, SYMBOL_NONE, "[unknown] in b" },
		{ "/bin/c", 3, "[unknown]", 0x10, SYMBOL_NONE, "[unknown]@0x10" },
		{ "/lib/d", 4, "[unknown]", 0, SYMBOL_NONE, "[unknown] in /lib/d" },
		{ "/usr/lib/d", 5, "[unknown]", 0, SYMBOL_NONE, "[unknown] in /usr/lib/d" },
		{ "/bin/e", 6, "old", 0x60, SYMBOL_NAMED, "old@0x60 in /bin/e of build 06" },
		{ "/bin/e", 7, "old", 0x60, SYMBOL_NAMED, "old@0x60 in /bin/e of build 07" },
	};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	uint32_t symbols[COUNT];
	struct fixture fixture;
	struct buf buf = { 0 };

	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT; i++)
		symbols[i] = add_function(&fixture, rows[i].path, rows[i].build, rows[i].name,
					  rows[i].start, rows[i].kind);
	for (size_t i = 0; i < COUNT; i++)
		assert_string_equal(label(fixture_labels(&fixture), symbols[i], &buf),
				    rows[i].label);
	/* In the other spelling, code without a name has its file and its start. */
	fixture.labels.by_start = true;
	assert_string_equal(label(&fixture.labels, symbols[5], &buf), "a+0x5000");
	assert_string_equal(label(&fixture.labels, symbols[6], &buf), "[unknown] in a");
	assert_string_equal(label(&fixture.labels, symbols[8], &buf), "c+0x10");
	buf_done(&buf);
	fixture_done(&fixture);
}

/* What an index of hashes keeps of the name in an image. */
static uint32_t kept_hash(str_id name, uint32_t image)
{
	uint64_t hash = hash_combine(hash_u64(name), image);

	return (uint32_t)(hash ^ hash >> 32);
}

struct hashed {
	uint32_t hash, image;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *one = a, *other = b;

	return one->hash < other->hash ? -1 : one->hash > other->hash;
}

/* Two images in which the name has one hash. */
static bool find_collision(str_id name, uint32_t images, uint32_t ret_images[2])
{
	struct hashed *all = malloc(images * sizeof(*all));
	bool found = false;

	for (uint32_t i = 1; i < images; i++)
		all[i] = (struct hashed){ kept_hash(name, i), i };
	qsort(all + 1, images - 1, sizeof(*all), by_hash);
	for (uint32_t i = 1; !found && i + 1 < images; i++) {
		found = all[i].hash == all[i + 1].hash;
		ret_images[0] = all[i].image;
		ret_images[1] = all[i + 1].image;
	}
	free(all);
	return found;
}

/* Functions of two images that have one name and one hash are no twins. */
static void hashes_collide(void **state)
{
	enum { IMAGES = 200000 };
	struct profile *profile;
	struct fixture fixture;
	uint32_t images[2] = { 0 }, symbols[2];
	str_id name = 0;

	(void)state;
	fixture_init(&fixture);
	profile = fixture.profile;
	for (uint32_t i = 0; i < IMAGES; i++)
		*vec_push(&profile->images) = (struct image){ .kind = IMAGE_FILE };
	do {
		char text[16];

		snprintf(text, sizeof(text), "f%u", name);
		name = fixture_text(&fixture, text);
	} while (!find_collision(name, IMAGES, images));
	for (int i = 0; i < 2; i++) {
		const struct symbol symbol = { .image = images[i],
					       .name = name,
					       .start = 0x1000 + (uint64_t)i };

		symbols[i] = profile_symbol(profile, &symbol);
	}
	assert_false(fixture_labels(&fixture)->has_twin[symbols[0]]);
	assert_false(fixture_labels(&fixture)->has_twin[symbols[1]]);
	fixture_done(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_told_apart),
		cmocka_unit_test(hashes_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

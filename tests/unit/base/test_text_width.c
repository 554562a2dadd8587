/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools.h"

#include "base/text_width.h"

/* Characters that have long been what they are, and the ends of ranges. */
static void widths(void **state)
{
	static const struct {
		uint32_t point;
		size_t width;
	} cases[] = {
		{ ' ', 1 },	 { '~', 1 }, { 0xe9, 1 }, /* e with acute */
		{ 0x2ff, 1 },				  /* just before the first accent */
		{ 0x300, 0 },				  /* combining grave */
		{ 0x36f, 0 },				  /* the last of these */
		{ 0x370, 1 },				  /* Greek */
		{ 0x5d0, 1 },				  /* Hebrew alef */
		{ 0x5b0, 0 },				  /* a Hebrew point */
		{ 0x1100, 2 },				  /* Hangul initial */
		{ 0x1161, 0 },				  /* Hangul vowel */
		{ 0x20ac, 1 },				  /* euro */
		{ 0x2588, 1 },				  /* full block */
		{ 0x2603, 1 },				  /* snowman */
		{ 0x3042, 2 },				  /* Hiragana a */
		{ 0x4e2d, 2 },				  /* Han */
		{ 0xac00, 2 },				  /* Hangul syllable */
		{ 0xff21, 2 },				  /* full-width A */
		{ 0xff71, 1 },				  /* half-width katakana */
		{ 0xfe0f, 0 },				  /* variation selector */
		{ 0x1f600, 2 },				  /* a face */
		{ 0x20000, 2 },				  /* Han, extension B */
		{ 0xe0100, 0 },				  /* variation selector */
		{ 0x10ffff, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(text_width(cases[i].point), cases[i].width);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(widths) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dwarf/dwarf_forms.h"

static const struct dwarf_sizes sizes = { .address = 8, .offset = 4, .reference = 4 };

static struct dwarf_value read_form(uint16_t form, const void *bytes, size_t size, size_t *ret_used)
{
	struct reader reader = reader_make(bytes, size);
	const uint8_t *start = reader.at;
	struct dwarf_value value = dwarf_forms_read(
		&reader, (struct dwarf_attribute_spec){ .form = form, .constant = -5 }, sizes,
		start);

	*ret_used = reader.bad ? SIZE_MAX : (size_t)(reader.at - start);
	return value;
}

/* Whatever a form is, skipping it leads to where reading it does. */
static void skipping_goes_as_far_as_reading(void **state)
{
	static const uint8_t bytes[64] = { 3, 0, 0, 0, 'a', 'b', 0, 9 };
	int known = 0;

	for (unsigned form = 0; form <= 0x1fff; form++) {
		struct reader reader = reader_make(bytes, sizeof(bytes));
		const struct dwarf_attribute_spec spec = { .form = (uint16_t)form };
		size_t used;

		read_form((uint16_t)form, bytes, sizeof(bytes), &used);
		dwarf_forms_skip(&reader, spec, sizes);
		assert_int_equal(reader.bad ? SIZE_MAX : (size_t)(reader.at - bytes), used);
		known += used != SIZE_MAX;
		if (dwarf_forms_size((uint16_t)form, sizes) < SIZE_UNKNOWN)
			assert_int_equal(used, dwarf_forms_size((uint16_t)form, sizes));
	}
	assert_int_equal(known, 47); /* the 43 of the standard and GNU's 4 */
}

static void values_mean_what_the_standard_says(void **state)
{
	static const uint8_t bytes[16] = { 0xfe, 0x81, 1, 2, 3, 4, 5, 6 };
	size_t used;
	struct dwarf_value value;

	value = read_form(FORM_DATA1, bytes, 16, &used);
	assert_int_equal(value.number, 0xfe);
	assert_int_equal(value.class, CLASS_NUMBER);
	value = read_form(FORM_SDATA, bytes, 16, &used);
	assert_int_equal(value.number, 0x40fe);
	assert_int_equal(used, 3);
	value = read_form(FORM_IMPLICIT_CONST, bytes, 16, &used);
	assert_int_equal(value.number, (uint64_t)-5);
	assert_int_equal(used, 0);
	value = read_form(FORM_FLAG_PRESENT, bytes, 16, &used);
	assert_int_equal(value.number, 1);
	value = read_form(FORM_ADDR, bytes, 16, &used);
	assert_int_equal(value.class, CLASS_ADDRESS);
	assert_int_equal(used, 8);
	value = read_form(FORM_ADDR, bytes, 7, &used);
	assert_int_equal(value.class, CLASS_NONE);
}

static void three_bytes_have_a_byte_order(void **state)
{
	static const uint8_t bytes[3] = { 1, 2, 3 };
	struct reader reader = reader_make(bytes, 3);
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	assert_int_equal(dwarf_forms_fixed(&reader, 3), little ? 0x030201 : 0x010203);
	reader = reader_make(bytes, 3);
	reader.swap = true;
	assert_int_equal(dwarf_forms_fixed(&reader, 3), little ? 0x010203 : 0x030201);
}

static void a_form_that_names_itself_ends(void **state)
{
	static const uint8_t good[] = { FORM_DATA1, 7 };
	static const uint8_t bad[] = { FORM_INDIRECT, FORM_INDIRECT, FORM_INDIRECT, 1, 1 };
	size_t used;

	assert_int_equal(read_form(FORM_INDIRECT, good, 2, &used).number, 7);
	assert_int_equal(used, 2);
	read_form(FORM_INDIRECT, bad, sizeof(bad), &used);
	assert_int_equal(used, SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skipping_goes_as_far_as_reading),
		cmocka_unit_test(values_mean_what_the_standard_says),
		cmocka_unit_test(three_bytes_have_a_byte_order),
		cmocka_unit_test(a_form_that_names_itself_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

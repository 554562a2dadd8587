/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for the store: keeps the samples that attribution stores. Include it in one file of a
 * program. */
#ifndef TESTS_UNIT_ATTRIBUTE_KEPT_SAMPLES_H
#define TESTS_UNIT_ATTRIBUTE_KEPT_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"

enum { KEPT_SAMPLES = 32 };

struct store_writer {
	struct sample samples[KEPT_SAMPLES];
	size_t count;
};

bool store_add(struct store_writer *writer, const struct sample *sample)
{
	assert_true(writer->count < KEPT_SAMPLES);
	writer->samples[writer->count++] = *sample;
	return true;
}

#endif

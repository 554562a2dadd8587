/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "preload/preload_wire.h"
#include "record/preload_execs.h"

static bool add(struct preload_execs *execs, int32_t pid, uint64_t time_ns, const char *path,
		enum preload_refusal refusal)
{
	_Alignas(8) char bytes[512] = { 0 };
	const struct preload_exec head = { .header = { .type = PRELOAD_RECORD_EXEC },
					   .pid = pid,
					   .tid = pid,
					   .time_ns = time_ns,
					   .refusal = refusal };

	memcpy(bytes, &head, sizeof(head));
	strcpy(bytes + sizeof(head), path);
	return preload_execs_add(execs, bytes, sizeof(head) + strlen(path) + 1);
}

static void expect(const struct preload_execs *execs, const char *wanted)
{
	char *sentence = preload_execs_sentence(execs, false);

	if (wanted) {
		assert_non_null(sentence);
		assert_non_null(strstr(sentence, wanted));
	} else {
		assert_null(sentence);
	}
	free(sentence);
}

static void test_loaded(void **state)
{
	struct preload_execs *execs = preload_execs_new();
	char *sentence;

	(void)state;
	assert_true(add(execs, 10, 100, "/bin/a", PRELOAD_REFUSAL_NONE));
	preload_execs_loaded(execs, 10, 90); /* an earlier program */
	preload_execs_match(execs);
	expect(execs, "/bin/a (it did not load the library)");
	sentence = preload_execs_sentence(execs, true);
	assert_non_null(strstr(sentence, "or what it wrote was dropped"));
	free(sentence);
	preload_execs_loaded(execs, 10, 120);
	preload_execs_match(execs);
	expect(execs, NULL);
	preload_execs_free(execs);
}

/* What was written first may be read last, a drain later. */
static void test_order(void **state)
{
	struct preload_execs *execs = preload_execs_new();

	(void)state;
	preload_execs_loaded(execs, 10, 120);
	preload_execs_match(execs);
	assert_true(add(execs, 10, 100, "/bin/a", PRELOAD_REFUSAL_NONE));
	preload_execs_match(execs);
	expect(execs, NULL);
	preload_execs_free(execs);
}

static void test_refusals(void **state)
{
	struct preload_execs *execs = preload_execs_new();

	(void)state;
	assert_true(add(execs, 10, 100, "/bin/static", PRELOAD_REFUSAL_STATIC));
	assert_true(add(execs, 11, 100, "/bin/static", PRELOAD_REFUSAL_STATIC));
	assert_true(add(execs, 12, 100, "/bin/missing", PRELOAD_REFUSAL_NONE));
	assert_true(add(execs, 12, 110, "", PRELOAD_REFUSAL_NONE)); /* it was not executed */
	assert_true(add(execs, 13, 100, "/bin/\033[31m", (enum preload_refusal)12345));
	preload_execs_match(execs);
	expect(execs, "/bin/static (it is linked statically), /bin/?[31m (");
	preload_execs_free(execs);
}

static void test_no_records(void **state)
{
	struct preload_execs *execs = preload_execs_new();
	_Alignas(8) char bytes[256];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	for (size_t size = 0; size <= sizeof(bytes); size++)
		assert_false(preload_execs_add(execs, bytes, size)); /* the path has no end */
	expect(execs, NULL);
	preload_execs_free(execs);
}

static void test_many(void **state)
{
	struct preload_execs *execs = preload_execs_new();
	char path[32];

	(void)state;
	for (int i = 0; i < 70000; i++) {
		snprintf(path, sizeof(path), "/bin/%d", i);
		assert_true(add(execs, 10 + i, 100, path, PRELOAD_REFUSAL_NONE));
	}
	preload_execs_match(execs);
	expect(execs, "/bin/7 (it did not load the library) and 69992 more");
	preload_execs_free(execs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),	 cmocka_unit_test(test_order),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_no_records),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

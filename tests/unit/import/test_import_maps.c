/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"

enum { MOST = 4096, START = 0x1000 };

/* Imports @pieces records of code that the kernel made. The caller frees the text, which says what
 * was not visible. */
static char *not_visible(size_t pieces, struct import_result *ret_result)
{
	const struct import_options options = { .input = "-", .kallsyms = "/dev/null" };
	const struct perf_data_facts facts = { .hostname = NULL };
	struct import_profile import = { .options = &options, .profile = profile_new() };
	struct import_maps maps;
	struct perf_ksymbol code = { .size = 16, .name = "bpf_prog_made" };
	char *text;

	assert_int_equal(import_maps_begin(&maps, &import, &facts, NULL), 0);
	assert_int_equal(import_maps_need_kernel(&maps, NULL), 0);
	for (size_t i = 0; i < pieces; i++) {
		code.address = 0xffffffffc0000000 + START;
		code.removed = i % 2;
		import_maps_symbol(&maps, &code);
	}
	*ret_result = (struct import_result){ .kept = false };
	import_maps_finish(&maps, ret_result);
	text = import.profile->run.not_visible;
	import.profile->run.not_visible = NULL;
	import_maps_done(&maps);
	jit_free(import.frames.jit);
	kernel_symbols_free(import.frames.kernel);
	profile_free(import.profile);
	return text;
}

static void changes_beyond_the_limit_are_reported(void **state)
{
	struct import_result result;
	char *text = not_visible(MOST, &result);

	(void)state;
	assert_string_equal(result.left_out, "");
	assert_true(!text || !strstr(text, "after the first"));
	free(text);
	text = not_visible(MOST + 3, &result);
	assert_string_equal(result.left_out,
			    "the 3 changes of the kernel's modules and JIT code after the first "
			    "4096 are omitted");
	assert_non_null(text);
	assert_non_null(strstr(text, "the 3 changes of the kernel's modules"));
	free(text);
}

/* The facts get another build id of @size bytes, all of them @byte. */
static void add_id(struct perf_data_facts *facts, const char *path, uint8_t byte, uint8_t size)
{
	struct perf_data_build_id *id = vec_push(&facts->build_ids);

	*id = (struct perf_data_build_id){ .path = xstrdup(path), .size = size };
	memset(id->bytes, byte, size);
}

/* Maps a file that has no build id in its mapping record, and returns its image. */
static const struct image *map_file(struct import_maps *maps, const char *path)
{
	const struct perf_record record = {
		.type = PERF_RECORD_MMAP2,
		.pid = 5,
		.tid = 5,
		.mmap = { .start = START, .size = 0x1000, .path = path },
	};

	import_maps_file(maps, &record);
	return &maps->import->profile->images.items[maps->import->profile->images.count - 1];
}

/* perf inject writes build ids among the records, too. */
static void build_ids_may_come_with_the_records(void **state)
{
	const struct import_options options = { .input = "-" };
	struct perf_data_facts facts = { .hostname = NULL };
	struct import_profile import = { .options = &options, .profile = profile_new() };
	struct import_maps maps;
	const struct image *image;
	char path[32];

	(void)state;
	import.files = image_files_new(import.profile, 8);
	import.machine = machine_new(import.profile, NULL, NULL);
	add_id(&facts, "/nowhere/first", 1, 20);
	add_id(&facts, "/nowhere/first", 2, 20);
	add_id(&facts, "/nowhere/later", 0, 0);
	assert_int_equal(import_maps_begin(&maps, &import, &facts, NULL), 0);
	assert_int_equal(map_file(&maps, "/nowhere/later")->build_id_size, 0);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/nowhere/%u", i);
		add_id(&facts, path, (uint8_t)i, 16);
	}
	image = map_file(&maps, "/nowhere/first");
	assert_int_equal(image->build_id_size, 20);
	assert_int_equal(image->build_id[0], 1);
	image = map_file(&maps, "/nowhere/99");
	assert_int_equal(image->build_id_size, 16);
	assert_int_equal(image->build_id[15], 99);
	import_maps_done(&maps);
	jit_free(import.frames.jit);
	machine_free(import.machine);
	image_files_free(import.files);
	profile_free(import.profile);
	for (size_t i = 0; i < facts.build_ids.count; i++)
		free(facts.build_ids.items[i].path);
	vec_free(&facts.build_ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_beyond_the_limit_are_reported),
		cmocka_unit_test(build_ids_may_come_with_the_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

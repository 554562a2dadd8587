/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an export of pprof says, read as its description has it and not by our own reader. */
#include "export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/store.h"

/* ---- a profile ---- */

struct world {
	char folder[64], path[96];
	struct profile *profile;
	struct store_writer *writer;
	uint32_t task;
};

static str_id text(const struct world *world, const char *string)
{
	return strpool_intern(&world->profile->strings, string);
}

/* Of a command ./prog, and two events: time at a rate, and cycles by count. */
static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct run_facts *run;

	strcpy(world->folder, "/tmp/prospect-test-XXXXXX");
	if (!mkdtemp(world->folder))
		return -1;
	snprintf(world->path, sizeof(world->path), "%s/prof", world->folder);
	world->profile = profile_new();
	run = &world->profile->run;
	run->command_pid = 1000;
	run->end_ns = 9 * NS_PER_S;
	run->start_ns = NS_PER_S;
	world->profile->events[0] = (struct event){ .name = text(world, "cpu-clock"),
						    .unit = text(world, "ns"),
						    .rate_hz = 250 };
	world->profile->events[1] = (struct event){ .name = text(world, "cycles"),
						    .unit = text(world, "count"),
						    .period = 100003 };
	world->profile->event_count = 2;
	*state = world;
	return store_create(world->path, world->profile, &world->writer, NULL);
}

static int tear_down(void **state)
{
	struct world *world = *state;

	profile_free(world->profile);
	file_remove_tree(world->folder);
	free(world);
	return 0;
}

static void add_task(struct world *world, const char *program, bool in_command)
{
	struct process process = { .pid = 1000,
				   .program = text(world, program),
				   .instance = 1,
				   .in_command = in_command };
	struct task task = { .tid = 1000, .comm = process.program };

	task.process = profile_add_process(world->profile, &process);
	world->task = profile_task(world->profile, &task);
}

static uint32_t add_image(struct world *world, enum image_kind kind, const char *path)
{
	const struct image image = { .kind = kind, .path = text(world, path) };

	return profile_image(world->profile, &image);
}

/* A stack with one more frame. */
static uint32_t add_frame(struct world *world, uint32_t parent, uint32_t image, uint64_t address,
			  enum frame_kind kind)
{
	const struct frame frame = { .image = image,
				     .offset = address,
				     .address = address,
				     .address_known = true,
				     .kind = kind };

	return profile_stack(world->profile, parent, profile_frame(world->profile, &frame));
}

static void add_weight(struct world *world, uint32_t stack, uint8_t event, uint64_t weight)
{
	const struct sample sample = { .time_ns = 2 * NS_PER_S,
				       .weight = weight,
				       .task = world->task,
				       .stack = stack,
				       .event = event };
	struct event *row = &world->profile->events[event];

	row->samples++;
	row->user_samples++;
	row->weight += weight;
	assert_true(store_add(world->writer, &sample));
}

/* ---- what is written ---- */

/* A message: fields in the order they were written. */
struct reading {
	const uint8_t *at, *end;
};

static uint64_t number(struct reading *reading)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte;

		assert_true(reading->at < reading->end && shift < 64);
		byte = *reading->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

/* The next field with this number: its number, or *ret_inner. False: there is none. */
static bool next(struct reading *reading, unsigned wanted, uint64_t *ret_value,
		 struct reading *ret_inner)
{
	while (reading->at < reading->end) {
		uint64_t key = number(reading), value = number(reading);
		struct reading inner = { reading->at, reading->at };

		if ((key & 7) == 2) {
			inner.end += value;
			assert_true(inner.end <= reading->end);
			reading->at = inner.end;
		} else {
			assert_int_equal(key & 7, 0);
		}
		if (key >> 3 != wanted)
			continue;
		if (ret_value)
			*ret_value = value;
		if (ret_inner)
			*ret_inner = inner;
		return true;
	}
	return false;
}

static uint64_t number_of(struct reading message, unsigned field)
{
	uint64_t value = 0;

	return next(&message, field, &value, NULL) ? value : 0;
}

/* The rest of the profile is written and exported; gzip(1) unpacks it into @bytes. */
static struct reading export(struct world *world, const char *select, struct buf *bytes)
{
	const struct export_options options = {
		.format = "pprof",
		.no_lines = true,
		.selection = { .clauses = &select, .clause_count = select ? 1 : 0 },
	};
	char command[160], part[4096];
	struct export_note note;
	struct err err = { "" };
	FILE *out;
	size_t size;

	assert_int_equal(store_flush(world->writer, NULL), 0);
	store_writer_free(world->writer);
	snprintf(command, sizeof(command), "gzip -c -d > %s/raw", world->folder);
	out = popen(command, "w");
	assert_non_null(out);
	if (export_write(world->path, &options, out, &note, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pclose(out), 0);
	snprintf(command, sizeof(command), "%s/raw", world->folder);
	out = fopen(command, "r");
	while ((size = fread(part, 1, sizeof(part), out)) > 0)
		buf_add(bytes, part, size);
	fclose(out);
	return (struct reading){ (const uint8_t *)bytes->bytes,
				 (const uint8_t *)bytes->bytes + bytes->size };
}

/* The file of the first mapping, which is the main program to all readers, in a static buffer. */
static const char *first_file(struct reading profile)
{
	static char name[64];
	struct reading strings = profile, mapping, string;

	if (!next(&profile, 3, NULL, &mapping))
		return NULL;
	for (uint64_t i = number_of(mapping, 5) + 1; i; i--)
		assert_true(next(&strings, 6, NULL, &string));
	snprintf(name, sizeof(name), "%.*s", (int)(string.end - string.at), string.at);
	return name;
}

static void assert_first(struct world *world, const char *select, const char *path)
{
	_cleanup_(buf_done) struct buf bytes = { 0 };
	const char *file = first_file(export(world, select, &bytes));

	if (!path)
		assert_null(file);
	else
		assert_string_equal(file, path);
}

/* ---- the first mapping ---- */

/* Most is in a library, and the library was called by others for the most part. */
static void the_executable_of_the_command(void **state)
{
	struct world *world = *state;
	uint32_t library = add_image(world, IMAGE_FILE, "/lib/libm.so");
	uint32_t program = add_image(world, IMAGE_FILE, "/bin/prog");
	uint32_t caller = add_frame(world, 0, program, 0x1000, FRAME_RETURN);

	add_task(world, "prog", true);
	add_weight(world, add_frame(world, caller, library, 0x2000, FRAME_EXACT), 0, 10);
	add_weight(world, add_frame(world, 0, library, 0x2000, FRAME_EXACT), 0, 1000);
	assert_first(world, NULL, "/bin/prog");
}

/* Another program of that name ran meanwhile, and longer; the command's own name is also that of a
 * file it has nothing of. */
static void the_executable_among_others_of_its_name(void **state)
{
	struct world *world = *state;
	uint32_t other = add_image(world, IMAGE_FILE, "/a/prog");
	uint32_t program = add_image(world, IMAGE_FILE, "/b/prog");
	uint32_t library = add_image(world, IMAGE_FILE, "/lib/libm.so");
	uint32_t caller = add_frame(world, 0, program, 0x1000, FRAME_RETURN);

	add_image(world, IMAGE_FILE, "/c/prog");
	add_task(world, "prog", false);
	add_weight(world, add_frame(world, 0, other, 0x2000, FRAME_EXACT), 0, 1000);
	add_task(world, "prog", true);
	add_weight(world, add_frame(world, caller, library, 0x2000, FRAME_EXACT), 0, 10);
	assert_first(world, NULL, "/b/prog");
}

/* Nothing of the command's own was selected: the library's. */
static void without_the_executable(void **state)
{
	struct world *world = *state;
	uint32_t program = add_image(world, IMAGE_FILE, "/bin/prog");
	uint32_t library = add_image(world, IMAGE_FILE, "/lib/libm.so");

	add_task(world, "prog", true);
	add_weight(world, add_frame(world, 0, library, 0x2000, FRAME_EXACT), 0, 10);
	add_weight(world, add_frame(world, 0, program, 0x2000, FRAME_EXACT), 0, 1000);
	assert_first(world, "image=/lib/libm.so", "/lib/libm.so");
}

/* Without a command, as with -a and -p: what most time was in itself, not what called it. */
static void the_file_with_the_most_weight(void **state)
{
	struct world *world = *state;
	uint32_t kernel = add_image(world, IMAGE_KERNEL, "[kernel]");
	uint32_t caller = add_image(world, IMAGE_FILE, "/bin/caller");
	uint32_t library = add_image(world, IMAGE_FILE, "/lib/libm.so");
	uint32_t other = add_image(world, IMAGE_FILE, "/lib/other.so");
	uint32_t called = add_frame(world, 0, caller, 0x1000, FRAME_RETURN);

	world->profile->run.command_pid = 0;
	add_task(world, "caller", false);
	add_weight(world, add_frame(world, called, other, 0x2000, FRAME_EXACT), 0, 50);
	add_weight(world, add_frame(world, called, library, 0x2000, FRAME_EXACT), 0, 60);
	add_weight(world, add_frame(world, called, kernel, 0x2000, FRAME_EXACT), 0, 100);
	add_weight(world, add_frame(world, 0, caller, 0x2000, FRAME_EXACT), 0, 40);
	add_weight(world, add_frame(world, 0, other, 0x2000, FRAME_EXACT), 1, 5000);
	assert_first(world, NULL, "/lib/libm.so");
}

/* ---- numbers ---- */

/* Mappings span all addresses, so none is moved. A return address becomes one in its call. */
static void addresses_are_those_of_the_file(void **state)
{
	_cleanup_(buf_done) struct buf bytes = { 0 };
	struct world *world = *state;
	uint32_t program = add_image(world, IMAGE_FILE, "/bin/prog");
	uint32_t caller = add_frame(world, 0, program, 0x1008, FRAME_RETURN);
	struct reading profile, mapping, location;
	uint64_t sum = 0;
	int count = 0;

	add_task(world, "prog", true);
	add_weight(world, add_frame(world, caller, program, 0x2000, FRAME_EXACT), 0, 10);
	profile = export(world, NULL, &bytes);
	mapping = profile;
	assert_true(next(&mapping, 3, NULL, &mapping));
	assert_int_equal(number_of(mapping, 2), 0);
	assert_true(number_of(mapping, 3) == UINT64_MAX);
	assert_int_equal(number_of(mapping, 4), 0);
	for (; next(&profile, 4, NULL, &location); count++)
		sum += number_of(location, 3);
	assert_int_equal(count, 2);
	assert_int_equal(sum, 0x1007 + 0x2000);
}

/* Of what is sampled at a rate the period is a time. */
static void the_period_of_a_rate(void **state)
{
	_cleanup_(buf_done) struct buf bytes = { 0 };
	struct world *world = *state;
	uint32_t program = add_image(world, IMAGE_FILE, "/bin/prog");
	struct reading profile;

	add_task(world, "prog", true);
	add_weight(world, add_frame(world, 0, program, 0x2000, FRAME_EXACT), 0, 10);
	profile = export(world, NULL, &bytes);
	assert_int_equal(number_of(profile, 12), NS_PER_S / 250);
	assert_int_equal(number_of(profile, 10), 8 * NS_PER_S);
}

static void the_period_of_a_count(void **state)
{
	_cleanup_(buf_done) struct buf bytes = { 0 };
	struct world *world = *state;
	uint32_t program = add_image(world, IMAGE_FILE, "/bin/prog");

	add_task(world, "prog", true);
	add_weight(world, add_frame(world, 0, program, 0x2000, FRAME_EXACT), 1, 100003);
	assert_int_equal(number_of(export(world, NULL, &bytes), 12), 100003);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_executable_of_the_command),
		TEST(the_executable_among_others_of_its_name),
		TEST(without_the_executable),
		TEST(the_file_with_the_most_weight),
		TEST(addresses_are_those_of_the_file),
		TEST(the_period_of_a_rate),
		TEST(the_period_of_a_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

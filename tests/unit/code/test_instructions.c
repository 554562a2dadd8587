/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction of a frame against objdump on the same file, and the reasons for none. */
#include "code/instructions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "elf/elf_file.h"
#include "proc/kernel_modules.h"
#include "tools.h"

static const char program[] =
	"#include <stdio.h>\n"
	"int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }\n"
	"int main(int c, char **v) { (void)v; return printf(\"%d\", work(c)); }\n";

/* A profile with frames in one image. */
struct world {
	struct profile *profile;
	uint32_t image;
	struct instructions *instructions;
	struct buf text;
};

static uint32_t add_file(struct profile *profile, const char *path)
{
	struct image image = { .path = strpool_intern(&profile->strings, path) };
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;

	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	image.build_id_size = elf_file_build_id(file)->size;
	memcpy(image.build_id, elf_file_build_id(file)->bytes, image.build_id_size);
	return profile_image(profile, &image);
}

static uint32_t add_frame(struct world *world, const struct symbol *symbol, uint64_t address)
{
	struct symbol key = *symbol;
	struct frame frame = {
		.image = world->image, .offset = address, .address = address, .address_known = true
	};

	key.image = world->image;
	frame.symbol = profile_symbol(world->profile, &key);
	return profile_frame(world->profile, &frame);
}

static void begin(struct world *world, const char *path)
{
	*world = (struct world){ .profile = profile_new() };
	if (path)
		world->image = add_file(world->profile, path);
}

static void start(struct world *world, size_t max_images)
{
	const struct instructions_options options = { .max_images = max_images };
	struct err err = { 0 };

	if (instructions_new(world->profile, &options, &world->instructions, &err) < 0)
		fail_msg("%s", err.text);
}

static void end(struct world *world)
{
	instructions_free(world->instructions);
	buf_done(&world->text);
	profile_free(world->profile);
}

static void assert_text(struct world *world, uint32_t frame, bool good, const char *expected)
{
	buf_clear(&world->text);
	assert_int_equal(instructions_text(world->instructions, frame, &world->text), good);
	assert_string_equal(buf_text(&world->text), expected);
}

/* "ADDRESS<tab>TEXT" of every instruction of the file's .text, tabs in the text as blanks. */
static void objdump(const char *path, struct buf *out)
{
	tools_run(out,
		  "objdump -d -j .text --no-show-raw-insn '%s' |"
		  " sed -nE 's/^ *([0-9a-f]+):\\t/\\1\\t/p' | sed 's/\\t/ /2g'",
		  path);
}

/* Asks for every instruction of the file, each in a function of that kind: the one from @start on,
 * in the order of a table (any) or of addresses. */
static void compare(const char *path, const struct symbol *symbol, bool prepared)
{
	struct buf listing = { 0 };
	VEC(uint32_t) frames = { 0 };
	struct world world;
	char *at, *copy, *line;

	begin(&world, path);
	objdump(path, &listing);
	copy = at = strdup(buf_text(&listing));
	while ((line = tools_line(&at)))
		*vec_push(&frames) = add_frame(&world, symbol, strtoull(line, NULL, 16));
	assert_true(frames.count > 20);
	start(&world, 1);
	if (prepared)
		instructions_prepare(world.instructions, frames.items, frames.count);
	free(copy);
	copy = at = strdup(buf_text(&listing));
	for (size_t i = 0; i < frames.count; i++)
		assert_text(&world, frames.items[i], true, strchr(tools_line(&at), '\t') + 1);
	assert_null(instructions_note(world.instructions));
	free(copy);
	vec_free(&frames);
	buf_done(&listing);
	end(&world);
}

/* Whatever the symbol says of where it begins: the label before the address, or the section. */
static void every_instruction_of_a_file(void **state)
{
	const struct symbol none = { .kind = SYMBOL_NONE }, far = { .start = 1, .size = 9 };
	char path[TOOLS_PATH];

	tools_build(*state, "whole", "c", "-O1", program, path);
	compare(path, &none, true);
	compare(path, &none, false);
	compare(path, &far, true);
}

static void every_instruction_of_a_stripped_file(void **state)
{
	const struct symbol none = { .kind = SYMBOL_NONE };
	const struct symbol bracket = { .start = 1, .kind = SYMBOL_BRACKET };
	char path[TOOLS_PATH];

	tools_build(*state, "stripped", "c", "-O1 -s", program, path);
	compare(path, &none, true);
	compare(path, &bracket, false);
}

static const char assembler[] = ".globl _start\n_start: mov $1,%eax\nmov $2,%ebx\nret\n";

static void inside_and_outside(void **state)
{
	const struct symbol function = { .start = 0x401000, .size = 11, .kind = SYMBOL_NAMED };
	struct world world;
	char path[TOOLS_PATH];
	uint32_t frames[5];

#ifndef __x86_64__
	print_message("needs x86-64\n");
	skip();
#endif
	tools_build(*state, "small", "assembler",
		    "-nostdlib -no-pie -Wl,-Ttext=0x401000 -Wl,--build-id=0x1234", assembler, path);
	begin(&world, path);
	frames[0] = add_frame(&world, &function, 0x40100a);
	frames[1] = add_frame(&world, &function, 0x401002);
	frames[2] = add_frame(&world, &function, 0x401000);
	frames[3] = add_frame(&world, &function, 0x500000);
	frames[4] = add_frame(&world, &function, 0x401005);
	start(&world, 0);
	assert_text(&world, frames[4], true, "mov    $0x2,%ebx");
	assert_text(&world, frames[0], true, "ret");
	assert_text(&world, frames[1], false, "(2 bytes into: mov    $0x1,%eax)");
	assert_text(&world, frames[2], true, "mov    $0x1,%eax");
	assert_text(&world, frames[3], false, "(no code: the file has no code at 0x500000)");
	assert_int_equal(unlink(path), 0);
	assert_text(&world, frames[0], true, "ret");
	end(&world);
}

static void files_that_are_not_there(void **state)
{
	const struct symbol function = { .start = 0x10, .kind = SYMBOL_NAMED };
	struct world world;
	char path[TOOLS_PATH], other[TOOLS_PATH];
	uint32_t first, second;

	tools_build(*state, "gone", "c", "-Wl,--build-id=0x1111", program, path);
	begin(&world, path);
	first = add_frame(&world, &function, 0x20);
	tools_build(*state, "other", "c", "-Wl,--build-id=0x2222", program, other);
	world.image = add_file(world.profile, other);
	second = add_frame(&world, &function, 0x20);
	assert_int_equal(rename(path, other), 0);
	start(&world, 0);
	assert_text(&world, first, false, "(no code: the file no longer exists)");
	assert_text(&world, second, false, "(no code: the file was replaced)");
	assert_null(instructions_note(world.instructions));
	end(&world);
}

static void what_is_no_file(void **state)
{
	const struct symbol none = { .kind = SYMBOL_NONE };
	struct image anon = { .kind = IMAGE_ANON }, unread = { .state = IMAGE_STATE_DENIED };
	struct world world;
	uint32_t memory, nowhere, unknown;

	begin(&world, NULL);
	world.image = profile_image(world.profile, &anon);
	memory = add_frame(&world, &none, 0x7000);
	world.image = profile_bucket(world.profile, "[unmapped]");
	nowhere = add_frame(&world, &none, 0x7000);
	unread.path = strpool_intern(&world.profile->strings, "/root/secret");
	world.image = profile_image(world.profile, &unread);
	unknown = add_frame(&world, &none, 0x7000);
	world.profile->frames.items[unknown].address_known = false;
	start(&world, 0);
	assert_text(&world, memory, false, "(no code: memory without a file)");
	assert_text(&world, nowhere, false, "(no code: unknown file)");
	assert_text(&world, unknown, false, "(no code: no permission to open the file)");
	assert_text(&world, 0, false, "(no code: unknown file)");
	end(&world);
}

/* Asked of the kernel that runs here, and of one that does not. */
static uint32_t add_kernel(struct world *world, bool running)
{
	const struct symbol vfs = { .start = 0x10, .size = 0x40, .kind = SYMBOL_NAMED };
	struct image image = { .kind = IMAGE_KERNEL };
	struct elf_build_id id;

	kernel_modules_build_id("/sys", NULL, &id);
	image.path = strpool_intern(&world->profile->strings, "[kernel]");
	image.build_id_size = id.size ? id.size : 20;
	memcpy(image.build_id, id.bytes, id.size);
	image.build_id[0] ^= !running;
	world->image = profile_image(world->profile, &image);
	return add_frame(world, &vfs, 0x10);
}

static void another_kernel(void **state)
{
	struct world world;
	uint32_t first, second;

	begin(&world, NULL);
	profile_set_text(&world.profile->run.kernel_release, "2.4.14");
	first = add_kernel(&world, false);
	second = add_frame(&world, &(struct symbol){ .start = 0x80, .kind = SYMBOL_NAMED }, 0x88);
	start(&world, 0);
	assert_null(instructions_note(world.instructions));
	assert_text(&world, first, false, "(no code: a different kernel is running now)");
	assert_text(&world, second, false, "(no code: a different kernel is running now)");
	assert_non_null(strstr(instructions_note(world.instructions), "2.4.14"));
	end(&world);
}

/* What begins the kernel is some instruction; which one is the business of other tests. */
static void the_running_kernel(void **state)
{
	struct world world;
	uint32_t frame;

	begin(&world, NULL);
	frame = add_kernel(&world, true);
	start(&world, 0);
	if (!instructions_text(world.instructions, frame, &world.text) &&
	    instructions_note(world.instructions)) {
		print_message("%s\n", instructions_note(world.instructions));
		end(&world);
		skip();
	}
	assert_null(strstr(buf_text(&world.text), "(no code"));
	end(&world);
}

static void a_wrong_vmlinux(void **state)
{
	const struct instructions_options options = { .vmlinux = "/proc/self/exe" };
	struct instructions *instructions = NULL;
	struct world world;
	struct err err = { 0 };

	begin(&world, NULL);
	assert_int_equal(instructions_new(world.profile, &options, &instructions, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no kernel"));
	add_kernel(&world, true);
	assert_int_equal(instructions_new(world.profile, &options, &instructions, &err), -EINVAL);
	assert_non_null(strstr(err.text, "build id"));
	assert_null(instructions);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_of_a_file),
		cmocka_unit_test(every_instruction_of_a_stripped_file),
		cmocka_unit_test(inside_and_outside),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(another_kernel),
		cmocka_unit_test(the_running_kernel),
		cmocka_unit_test(a_wrong_vmlinux),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}

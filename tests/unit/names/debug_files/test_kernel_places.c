/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/kernel_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static const char list[] = "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko kernel/fs/mbcache.ko\n"
			   "kernel/sound/snd-pcm_oss.ko.xz:\n"
			   "updates/dkms/nvidia.ko.zst: kernel/odd.ko\n"
			   "extra.ko";

static void assert_place(const char *module, const char *expected)
{
	char *place = kernel_places_module(list, module);

	if (expected)
		assert_string_equal(place, expected);
	else
		assert_null(place);
	free(place);
}

/* What follows the colon is the modules that this one needs. */
static void modules_are_found(void **state)
{
	assert_place("ext4", "kernel/fs/ext4/ext4.ko");
	assert_place("snd_pcm_oss", "kernel/sound/snd-pcm_oss.ko");
	assert_place("nvidia", "updates/dkms/nvidia.ko");
	assert_place("extra", "extra.ko");
	assert_place("jbd2", NULL);
	assert_place("ext", NULL);
	assert_place("odd", NULL);
	assert_place("", NULL);
	(void)state;
}

static bool take(void *context, const char *path)
{
	struct buf *text = context;

	buf_printf(text, "%s\n", path);
	return strcmp(path, "/d/vmlinux-6.1") == 0;
}

static void kernels_are_looked_for(void **state)
{
	struct buf text = { 0 };

	assert_true(kernel_places_under("/d", "6.1", NULL, NULL, take, &text));
	assert_string_equal(buf_text(&text), "/d/boot/vmlinux-6.1\n"
					     "/d/boot/vmlinux-6.1.debug\n"
					     "/d/lib/modules/6.1/vmlinux\n"
					     "/d/lib/modules/6.1/vmlinux.debug\n"
					     "/d/usr/lib/modules/6.1/vmlinux\n"
					     "/d/usr/lib/modules/6.1/vmlinux.debug\n"
					     "/d/vmlinux-6.1\n");
	buf_clear(&text);
	assert_false(kernel_places_system("6.1", NULL, NULL, take, &text));
	assert_string_equal(buf_text(&text), "/lib/modules/6.1/build/vmlinux\n"
					     "/lib/modules/6.1/vmlinux\n"
					     "/boot/vmlinux-6.1\n");
	buf_clear(&text);
	/* names out of a profile lead nowhere else */
	assert_false(kernel_places_under("/d", "../6.1", NULL, NULL, take, &text));
	assert_false(kernel_places_under("/d", "6.1", "../m", NULL, take, &text));
	assert_int_equal(text.size, 0);
	assert_false(kernel_places_under("/d", "6.1-none", "a_b", NULL, take, &text));
	assert_string_equal(buf_text(&text),
			    "/d/a_b.ko.debug\n/d/a_b.ko\n/d/a-b.ko.debug\n/d/a-b.ko\n");
	buf_done(&text);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_are_found),
		cmocka_unit_test(kernels_are_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

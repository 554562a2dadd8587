/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static const char machine[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
	"30 27 0:40 / /home rw - nfs4 server:/home rw,vers=4.2\n"
	"31 30 0:41 / /home/me/scratch rw - tmpfs tmpfs rw\n"
	"32 27 0:42 / /mnt/a\\040b\\134c rw - fuse.sshfs me@there: rw,user_id=0\n"
	"33 27 0:43 / /auto rw - autofs systemd-1 rw,fd=40\n"
	"34 27 0:44 / /odd rw - newfs none rw\n"
	"35 27 254:1 / /srv rw shared:7 propagate_from:2 unbindable - xfs /dev/vdb rw\n";

static const char *obstacle(const struct mounts *mounts, const char *path)
{
	const struct mount *mount = mounts_obstacle(mounts, path);

	return mount ? mount->point : NULL;
}

static void test_types_decide(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(machine, NULL);

	assert_null(obstacle(mounts, "/usr/bin/true"));
	assert_null(obstacle(mounts, "/"));
	assert_null(obstacle(mounts, "/srv/x"));
	assert_null(obstacle(mounts, "/homely"));
	assert_string_equal(obstacle(mounts, "/home"), "/home");
	assert_string_equal(obstacle(mounts, "/home/you/x"), "/home");
	assert_string_equal(obstacle(mounts, "/mnt/a b\\c/x"), "/mnt/a b\\c");
	assert_null(obstacle(mounts, "/mnt/a"));
	assert_string_equal(obstacle(mounts, "/auto"), "/auto");
	assert_string_equal(obstacle(mounts, "/odd/x"), "/odd");
}

/* A local one is no better than the way to it. */
static void test_the_way_counts(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(machine, NULL);

	assert_string_equal(obstacle(mounts, "/home/me/scratch/x"), "/home");
	assert_true(mounts_has(mounts, "/home/me/scratch"));
	assert_false(mounts_has(mounts, "/home/me"));
	assert_int_equal(mounts_obstacle(mounts, "/home/me")->device, makedev(0, 40));
}

static void test_mounts_upon_each_other(void **state)
{
	static const char text[] = "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
				   "28 27 0:40 / /data rw - nfs server:/ rw\n"
				   "29 28 254:3 / /data rw - xfs /dev/vdd rw\n";
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(text, NULL);

	assert_string_equal(obstacle(mounts, "/data/x"), "/data");
}

static void test_devices(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(machine, NULL);

	assert_true(mounts_device_is_local(mounts, makedev(254, 1)));
	assert_false(mounts_device_is_local(mounts, makedev(0, 42)));
	assert_false(mounts_device_is_local(mounts, makedev(9, 9)));
}

/* A device that is mounted twice is local only if it is so both times. */
static void test_devices_mounted_twice(void **state)
{
	static const char *const texts[] = {
		"27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 254:0 / /a rw - fuse.x x rw\n",
		"28 27 254:0 / /a rw - fuse.x x rw\n27 1 254:0 / / rw - ext4 /dev/vda rw\n",
		"27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 254:0 / /a rw - ext4 /dev/vda rw\n",
	};

	for (size_t i = 0; i < 3; i++) {
		_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(texts[i], NULL);

		assert_int_equal(mounts_device_is_local(mounts, makedev(254, 0)), i == 2);
	}
}

/* What cannot be read, or is not there, may be anything. */
static void test_nothing_known_is_nothing_local(void **state)
{
	static const char *const texts[] = { "", "27 1 254:0 / / rw - ext4 /dev/vda rw\nnonsense\n",
					     "27 1 254:0 / / rw ext4 /dev/vda rw\n",
					     "27 1 254 / / rw - ext4 /dev/vda rw\n",
					     "27 1 254:0 / /chroot rw - ext4 /dev/vda rw\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(texts[i], NULL);

		assert_string_equal(obstacle(mounts, "/bin/true"), "");
		assert_int_equal(mounts_obstacle(mounts, "/bin/true")->device, 0);
	}
}

static const char layered[] =
	"27 1 254:0 / / rw - ext4 /dev/vda rw\n"
	"30 27 0:40 / /far rw - nfs server:/ rw\n"
	"50 27 0:50 / /one rw - overlay overlay rw,lowerdir=/a:/b\\134:c,upperdir=/u,workdir=/w\n"
	"51 27 0:51 / /two rw - overlay overlay rw,lowerdir=/a:/far/b,upperdir=/u,workdir=/w\n"
	"52 27 0:52 / /three rw - overlay overlay rw,lowerdir=/two/x:/a\n"
	"53 27 0:53 / /four rw - overlay overlay rw,lowerdir=l/1:l/2\n"
	"54 27 0:54 / /five rw - overlay overlay rw\n"
	"55 27 0:55 / /six rw - overlay overlay rw,lowerdir+=/six.a,lowerdir+=/one/b,upperdir=/u\n"
	"56 27 0:56 / /seven rw - overlay overlay rw,lowerdir=/a,upperdir=/far/u,workdir=/w\n";

static void test_overlays_are_as_their_layers(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(layered, NULL);

	assert_null(obstacle(mounts, "/one/x"));
	assert_string_equal(obstacle(mounts, "/two/x"), "/two");
	assert_string_equal(obstacle(mounts, "/three/x"), "/three");
	assert_string_equal(obstacle(mounts, "/four/x"), "/four");
	assert_string_equal(obstacle(mounts, "/five/x"), "/five");
	assert_null(obstacle(mounts, "/six/x"));
	assert_string_equal(obstacle(mounts, "/seven/x"), "/seven");
}

/* In a container the root's layers cannot be seen, but prospect itself runs from that overlay. */
static void test_our_own_overlay(void **state)
{
	static const char text[] = "50 1 0:50 / / rw - overlay overlay rw,lowerdir=l/1:l/2\n"
				   "51 50 0:51 / /x rw - overlay overlay rw,lowerdir=l/3\n"
				   "52 50 0:52 / /y rw - nfs server:/ rw\n";
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(text, "/usr/bin/prospect");
	_cleanup_(mounts_freep) struct mounts *far = mounts_parse(text, "/y/prospect");

	assert_null(obstacle(mounts, "/bin/true"));
	assert_string_equal(obstacle(mounts, "/x/true"), "/x");
	assert_string_equal(obstacle(far, "/y/prospect"), "/");
}

static void count_mount(void *context, const struct mount *mount)
{
	assert_string_not_equal(mount->point, "/home/me/scratch");
	(*(int *)context)++;
}

static void test_local_ones_in_reach(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_parse(machine, NULL);
	int count = 0;

	mounts_each_local(mounts, count_mount, &count);
	assert_int_equal(count, 3);
}

/* The mounts of this process come from the kernel: there is at least a root, and /proc on it. */
static void test_our_own(void **state)
{
	_cleanup_(mounts_freep) struct mounts *mounts = mounts_new();

	if (!mounts || !mounts_has(mounts, "/"))
		skip(); /* in a chroot */
	mounts_refresh(mounts);
	assert_true(mounts_has(mounts, "/proc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_decide),
		cmocka_unit_test(test_the_way_counts),
		cmocka_unit_test(test_mounts_upon_each_other),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_devices_mounted_twice),
		cmocka_unit_test(test_nothing_known_is_nothing_local),
		cmocka_unit_test(test_overlays_are_as_their_layers),
		cmocka_unit_test(test_our_own_overlay),
		cmocka_unit_test(test_local_ones_in_reach),
		cmocka_unit_test(test_our_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

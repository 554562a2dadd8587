/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Under sudo a file that is not whole goes with the invoking user's rights, and with no more. */
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/record_output.h"

enum { NOBODY = 65534, GROUP = 4711, OTHER_GROUP = 4712 };

struct place {
	char folder[64];
	struct record_output output;
};

/* A folder of root's and @gid's that others cannot even enter, with a profile in it. */
static void make_place(struct place *place, gid_t gid)
{
	struct owner *owner = &place->output.owner;

	snprintf(place->folder, sizeof(place->folder), "/tmp/prospect-test-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	assert_int_equal(chown(place->folder, 0, gid), 0);
	assert_int_equal(chmod(place->folder, 0770), 0);
	owner->other = true;
	owner->uid = owner->gid = NOBODY;
	owner->groups[owner->group_count++] = GROUP;
	owner->our_groups[owner->our_group_count++] = OTHER_GROUP;
	snprintf(place->output.path, sizeof(place->output.path), "%s/profile", place->folder);
	close(open(place->output.path, O_CREAT | O_WRONLY, 0600));
}

static void *remove_it(void *context)
{
	const struct place *place = context;

	record_output_remove(&place->output);
	return NULL;
}

/* Is the file there, after a thread removed it? */
static bool stays(struct place *place)
{
	pthread_t thread;
	bool stays;

	assert_int_equal(pthread_create(&thread, NULL, remove_it, place), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	stays = access(place->output.path, F_OK) == 0;
	unlink(place->output.path);
	rmdir(place->folder);
	return stays;
}

static void assert_group(gid_t expected)
{
	gid_t groups[OWNER_MAX_GROUPS];

	assert_int_equal(getgroups(OWNER_MAX_GROUPS, groups), 1);
	assert_int_equal(groups[0], expected);
}

static void removed_with_the_owners_rights(void **state)
{
	static const gid_t ours = OTHER_GROUP;
	struct place place = { 0 };

	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	assert_int_equal(setgroups(1, &ours), 0);
	make_place(&place, 0); /* root's: the user may not */
	assert_true(stays(&place));
	place = (struct place){ 0 };
	make_place(&place, NOBODY);
	assert_false(stays(&place));
	place = (struct place){ 0 };
	make_place(&place, GROUP); /* the user is in that group */
	assert_false(stays(&place));
	place = (struct place){ 0 };
	make_place(&place, OTHER_GROUP); /* we are, the user is not */
	assert_true(stays(&place));
	assert_group(OTHER_GROUP); /* that of this thread */
	place = (struct place){ 0 };
	make_place(&place, 0);
	record_output_remove(&place.output);
	assert_group(OTHER_GROUP);
	assert_int_equal(access(place.output.path, F_OK), 0);
	assert_int_equal(unlink(place.output.path), 0);
	assert_int_equal(rmdir(place.folder), 0);
}

static void removed_when_it_is_ours(void **state)
{
	struct place place = { 0 };

	snprintf(place.folder, sizeof(place.folder), "/tmp/prospect-test-XXXXXX");
	assert_non_null(mkdtemp(place.folder));
	snprintf(place.output.path, sizeof(place.output.path), "%s/profile", place.folder);
	close(open(place.output.path, O_CREAT | O_WRONLY, 0600));
	assert_false(stays(&place));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removed_with_the_owners_rights),
		cmocka_unit_test(removed_when_it_is_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/who.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void read_words(struct who *who, enum who_kind kind, const char *text)
{
	struct err err;

	*who = (struct who){ 0 };
	assert_int_equal(who_add(who, kind, text, &err), 0);
}

static void ids_and_names(void **state)
{
	struct who who;

	(void)state;
	read_words(&who, WHO_PROCESS, "nginx, 12,Web Content");
	assert_int_equal(who.words.count, 3);
	assert_string_equal(who.words.items[0].text, "nginx");
	assert_int_equal(who.words.items[0].pid, 0);
	assert_int_equal(who.words.items[1].pid, 12);
	assert_string_equal(who.words.items[2].text, "Web Content");
	assert_true(who_follows(&who));
	who_done(&who);
	assert_int_equal(who.words.count, 0);
	read_words(&who, WHO_PROCESS, "1,4194304");
	assert_false(who_follows(&who));
	who_done(&who);
}

static void threads(void **state)
{
	struct pids found = { 0 }, processes = { 0 }, single = { 0 };
	struct who who;
	struct err err;

	(void)state;
	read_words(&who, WHO_THREAD, "12,13,15");
	assert_int_equal(who_add(&who, WHO_PROCESS, "15", &err), 0);
	assert_false(who_follows(&who));
	assert_false(who_has_only(&who, WHO_THREAD));
	who.words.items[0].pid = 11;
	who.words.items[2].pid = 15;
	assert_true(who_matches(&who, &(struct who_facts){ .pid = 11 }));
	assert_false(who_matches(&who, &(struct who_facts){ .pid = 13 })); /* it has ended */
	*vec_push(&found) = 11;
	*vec_push(&found) = 15;
	who_divide(&who, &found, &processes, &single);
	assert_int_equal(processes.count, 1);
	assert_int_equal(processes.items[0], 15);
	assert_int_equal(single.count, 2); /* whether the second exists is for who_find to say */
	assert_int_equal(single.items[0], 12);
	vec_free(&found);
	vec_free(&processes);
	vec_free(&single);
	who_done(&who);
	who = (struct who){ 0 };
	assert_int_equal(who_add(&who, WHO_THREAD, "12,x", &err), -EINVAL);
	assert_string_equal(err.text, "invalid -t '12,x': expected ids of threads: 1234,1235");
	who_done(&who);
}

static void wrong_words(void **state)
{
	static const char *const wrong[] = { "",  ",",	    "a,",      "a,,b",
					     "0", "1,-0,",  "4194305", "99999999999999999999",
					     " ", "/bin/sh" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct who who = { 0 };
		struct err err;

		assert_int_equal(who_add(&who, WHO_PROCESS, wrong[i], &err), -EINVAL);
		assert_int_equal(strncmp(err.text, "invalid -p '", 12), 0);
		assert_non_null(strstr(err.text, "process ids"));
		who_done(&who);
	}
}

static void who_is_meant(void **state)
{
	static const struct {
		const char *text;
		struct who_facts facts;
		bool matches;
	} cases[] = {
		{ "nginx", { .pid = 5, .names = { "nginx", "nginx" } }, true },
		{ "nginx", { .names = { "nginx" } }, true },
		{ "nginx", { .names = { "nginx2", "nginx-debug" } }, false },
		{ "dash", { .pid = 5, .names = { "sh", "dash" } }, true },
		{ "sh", { .pid = 5, .names = { "sh", "dash" } }, true },
		{ "php*,x", { .names = { "php-fpm8.2" } }, true },
		{ "php*", { .names = { "xphp" } }, false },
		{ "[kthreadd]", { .names = { "[kthreadd]" } }, true },
		{ "kworker/0:1", { .names = { "kworker/0:1" } }, true },
		{ "5", { .pid = 5 }, true },
		{ "5", { .pid = 6, .names = { "5" } }, false },
		{ "5", { .pid = 0, .names = { "nginx" } }, false }, /* a later process */
		{ "x,5", { .pid = 5 }, true },
		{ "x", { .names = { NULL, NULL } }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct who who;

		read_words(&who, WHO_PROCESS, cases[i].text);
		assert_int_equal(who_matches(&who, &cases[i].facts), cases[i].matches);
		who_done(&who);
	}
}

#define ID "4c01db0b339c2f5a3a2a2d9e8a5c7f6b1e0d4c3b2a190807f6e5d4c3b2a19080"

static void groups_and_users(void **state)
{
	static const struct {
		enum who_kind kind;
		const char *text, *cgroup, *container;
		uint32_t uid;
		bool matches;
	} cases[] = {
		{ WHO_CGROUP, "/a/b", "/a/b", "", 0, true },
		{ WHO_CGROUP, "a/b/", "/a/b/c", "", 0, true },
		{ WHO_CGROUP, "/sys/fs/cgroup/a/b", "/a/b/c", "", 0, true },
		{ WHO_CGROUP, "/sys/fs/cgroupx", "/x", "", 0, false },
		{ WHO_CGROUP, "/a/b", "/a/bc", "", 0, false },
		{ WHO_CGROUP, "/a,b", "/a,b", "", 0, true },
		{ WHO_CGROUP, "/", "/any", "", 0, true },
		{ WHO_CGROUP, "/", "/", "", 0, true },
		{ WHO_CGROUP, "/a", NULL, NULL, 0, false },
		{ WHO_UNIT, "nginx", "/system.slice/nginx.service", "", 0, true },
		{ WHO_UNIT, "nginx", "/system.slice/nginx.service/worker", "", 0, true },
		{ WHO_UNIT, "x,nginx.service", "/system.slice/nginx.service", "", 0, true },
		{ WHO_UNIT, "system.slice", "/system.slice/nginx.service", "", 0, true },
		{ WHO_UNIT, "ssh@1.2", "/system.slice/ssh@1.2.service", "", 0, true },
		{ WHO_UNIT, "ngin", "/system.slice/nginx.service", "", 0, false },
		{ WHO_CONTAINER, "web", "/lxc/web", "web", 0, true },
		{ WHO_CONTAINER, "we", "/lxc/web", "web", 0, false },
		{ WHO_CONTAINER, ID, "/docker/" ID, "4c01db0b339c", 0, true },
		{ WHO_CONTAINER, "4c01db0b339c", "/docker/" ID, "4c01db0b339c", 0, true },
		{ WHO_CONTAINER, "4c01db", "/docker/" ID, "4c01db0b339c", 0, true },
		{ WHO_CONTAINER, "4c0", "/docker/" ID, "4c01db0b339c", 0, false },
		{ WHO_CONTAINER, "redis", "/default/redis", "", 0, true },
		{ WHO_USER, "0", "/", "", 0, true },
		{ WHO_USER, "root", "/", "", 0, true },
		{ WHO_USER, "1000,root", "/", "", 1001, false },
		{ WHO_USER, "1000", "/", "", WHO_NO_USER, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct who_facts facts = { .uid = cases[i].uid,
						 .cgroup = cases[i].cgroup,
						 .container = cases[i].container };
		struct who who;

		read_words(&who, cases[i].kind, cases[i].text);
		assert_true(who_follows(&who));
		if (who_matches(&who, &facts) != cases[i].matches)
			fail_msg("%s and %s", cases[i].text, cases[i].cgroup);
		who_done(&who);
	}
}

/* The id of a name is known from elsewhere. */
static void a_container_by_name(void **state)
{
	const struct who_facts facts = { .cgroup = "/docker/" ID, .container = "4c01db0b339c" };
	struct who who;

	(void)state;
	read_words(&who, WHO_CONTAINER, "web");
	assert_false(who_matches(&who, &facts));
	strcpy(who.words.items[0].id, ID);
	assert_true(who_matches(&who, &facts));
	who_done(&who);
}

static void wrong_groups_and_users(void **state)
{
	static const struct {
		enum who_kind kind;
		const char *text, *said;
	} cases[] = {
		{ WHO_CGROUP, "", "invalid --cgroup ''" },
		{ WHO_UNIT, "/system.slice", "invalid --unit '/system.slice'" },
		{ WHO_CONTAINER, "a/b", "invalid --container 'a/b'" },
		{ WHO_USER, "no such user", "invalid --user 'no such user'" },
		{ WHO_USER, "4294967295", "invalid --user '4294967295'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct who who = { 0 };
		struct err err;

		assert_int_equal(who_add(&who, cases[i].kind, cases[i].text, &err), -EINVAL);
		assert_non_null(strstr(err.text, cases[i].said));
		who_done(&who);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_and_users),
		cmocka_unit_test(a_container_by_name),
		cmocka_unit_test(wrong_groups_and_users),
		cmocka_unit_test(ids_and_names),
		cmocka_unit_test(threads),
		cmocka_unit_test(wrong_words),
		cmocka_unit_test(who_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

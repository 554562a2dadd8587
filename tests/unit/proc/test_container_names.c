/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as the engines write them, in a folder that stands for the root. */
#include "proc/container_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ID_OF(digit) digit digit digit digit digit digit digit digit
#define A	     ID_OF("aaaaaaaa")
#define B	     ID_OF("bbbbbbbb")
#define C	     ID_OF("cccccccc")
#define D	     ID_OF("dddddddd")
#define E	     ID_OF("eeeeeeee")
#define F	     ID_OF("ffffffff")

static const struct {
	const char *path, *text;
} files[] = {
	{ "/var/lib/docker/containers/" A "/config.v2.json",
	  "{\"ID\":\"" A "\",\"Name\":\"/web\",\"Driver\":\"overlay2\"}" },
	{ "/var/lib/docker/containers/" B "/config.v2.json", "{\"Name\":\"/web-2\"}" },
	{ "/var/lib/containers/storage/overlay-containers/containers.json",
	  "[{\"id\":\"" C "\",\"names\":[\"db\",\"database\"],\"layer\":\"x\"},"
	  "{\"id\":\"" D "\",\"names\":[\"cache\"]},{\"id\":\"" B "\"}]" },
	{ "/home/me/.local/share/containers/storage/overlay-containers/containers.json",
	  "[{\"id\":\"" E "\",\"names\":[\"mine\"]}]" },
	{ "/var/lib/nerdctl/1935db59/names/default/proxy", F },
	{ "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" A "/config.json",
	  "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"pod\"}}" },
	{ "/var/lib/docker/containers/short/config.v2.json", "{\"Name\":\"/odd\"}" },
};

static int make_root(void **state)
{
	static char root[64];

	strcpy(root, "/tmp/test_containers.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char path[512], command[1024];
		FILE *file;

		snprintf(path, sizeof(path), "%s%s", root, files[i].path);
		snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", path);
		if (system(command) != 0)
			return -1;
		file = fopen(path, "w");
		if (!file || fputs(files[i].text, file) < 0 || fclose(file) != 0)
			return -1;
	}
	*state = root;
	return 0;
}

static int remove_root(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	return system(command);
}

static void expect(const char *root, const char *name, const char *id)
{
	struct who who = { 0 };
	struct err err;

	assert_int_equal(who_add(&who, WHO_CONTAINER, name, &err), 0);
	assert_int_equal(container_names_find(&who, root, "/home/me", &err), 0);
	assert_string_equal(who.words.items[0].id, id);
	who_done(&who);
}

static void ids_of_names(void **state)
{
	expect(*state, "web", A);
	expect(*state, "web-2", B);
	expect(*state, "db", C);
	expect(*state, "database", C);
	expect(*state, "cache", D);
	expect(*state, "mine", E);
	expect(*state, "proxy", F);
	expect(*state, "pod", A);
}

static void names_of_nothing(void **state)
{
	expect(*state, "we", "");
	expect(*state, "odd", "");
	expect(*state, A, "");
	expect("/nowhere", "web", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_names),
		cmocka_unit_test(names_of_nothing),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}

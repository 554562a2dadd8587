/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/container.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ID    "4c01db0b339c2f5a3a2a2d9e8a5c7f6b1e0d4c3b2a190807f6e5d4c3b2a19080"
#define OTHER "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define POD   "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1d2c.slice/"

/* Paths as the managers make them (their documentation, and /proc/PID/cgroup on such machines). */
static const struct {
	const char *cgroup, *container;
} cases[] = {
	{ "/system.slice/docker-" ID ".scope", "4c01db0b339c" },
	{ "/docker/" ID, "4c01db0b339c" },
	{ "/docker/" ID "/system.slice/nginx.service", "4c01db0b339c" },
	{ "/docker/" OTHER "/docker/" ID, "4c01db0b339c" },
	{ POD "cri-containerd-" ID ".scope", "4c01db0b339c" },
	{ POD "crio-" ID ".scope", "4c01db0b339c" },
	{ POD "crio-" ID ".scope/container", "4c01db0b339c" },
	{ "/kubepods/besteffort/pod5f1c/" ID, "4c01db0b339c" },
	{ "/system.slice/containerd.service/kubepods-burstable-pod1.slice:cri-containerd:" ID,
	  "4c01db0b339c" },
	{ "/machine.slice/libpod-" ID ".scope/container", "4c01db0b339c" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
	  "4c01db0b339c" },
	{ "/libpod_parent/libpod-" ID, "4c01db0b339c" },
	{ "/ecs/0f9a/" ID, "4c01db0b339c" },
	{ "/lxc/web", "web" },
	{ "/lxc/web/init.scope", "web" },
	{ "/lxc.payload.db-1/system.slice/ssh.service", "db-1" },
	{ "/lxc.payload/old", "old" },
	{ "/machine.slice/machine-fedora.scope/payload", "fedora" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "qemu-1-vm" },
	{ "/machine.slice/systemd-nspawn@box.service", "box" },
	{ "/machine.slice/box.machine", "box" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "" },
	{ "/lxc.monitor.web", "" },
	{ "/system.slice/docker.service", "" },
	{ "/system.slice/docker-" ID "0.scope", "" },
	{ "/system.slice/docker-g" ID ".scope", "" },
	{ "/system.slice/machine-.scope", "" },
	{ "/system.slice/box.machine", "" },
	{ "/system.slice/cron.service", "" },
	{ "/user.slice/user-0.slice/session-1.scope", "" },
	{ "/", "" },
	{ "", "" },
	{ "//", "" },
	{ "/docker/", "" },
};

static void test_patterns(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(name, 'x', sizeof(name));
		container_of_cgroup(cases[i].cgroup, name, sizeof(name));
		assert_string_equal(name, cases[i].container);
	}
}

static void test_cut_to_fit(void **state)
{
	char name[5];

	(void)state;
	container_of_cgroup("/lxc/a-long-name", name, sizeof(name));
	assert_string_equal(name, "a-lo");
	container_of_cgroup("/lxc/a-long-name", name, 1);
	assert_string_equal(name, "");
	container_of_cgroup("/lxc/odd\\x", name, sizeof(name));
	assert_string_equal(name, "odd\\");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_cut_to_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

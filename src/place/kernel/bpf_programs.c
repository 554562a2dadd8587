/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/bpf_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

enum { FUNCTIONS_MAX = 4096 }; /* of one program; the kernel allows 256 */

static int call(enum bpf_cmd command, union bpf_attr *attr)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : (int)rc;
}

static int read_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static void visit_functions(int fd, void (*visit)(void *context, uint64_t start, uint64_t size),
			    void *context)
{
	struct bpf_prog_info info = { 0 };
	_cleanup_free_ uint64_t *starts = NULL;
	_cleanup_free_ uint32_t *sizes = NULL;
	uint32_t count;

	if (read_info(fd, &info) < 0 || !info.nr_jited_ksyms ||
	    info.nr_jited_ksyms != info.nr_jited_func_lens || info.nr_jited_ksyms > FUNCTIONS_MAX)
		return;
	count = info.nr_jited_ksyms;
	starts = xcalloc(count, sizeof(*starts));
	sizes = xcalloc(count, sizeof(*sizes));
	memset(&info, 0, sizeof(info));
	info.nr_jited_ksyms = info.nr_jited_func_lens = count;
	info.jited_ksyms = (uintptr_t)starts;
	info.jited_func_lens = (uintptr_t)sizes;
	if (read_info(fd, &info) < 0)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (starts[i] && sizes[i])
			visit(context, starts[i], sizes[i]);
	}
}

int bpf_programs_each(void (*visit)(void *context, uint64_t start, uint64_t size), void *context)
{
	union bpf_attr attr;
	uint32_t id = 0;

	for (;;) {
		int rc;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		rc = call(BPF_PROG_GET_NEXT_ID, &attr);
		if (rc < 0)
			return rc == -ENOENT ? 0 : rc;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		rc = call(BPF_PROG_GET_FD_BY_ID, &attr);
		if (rc >= 0) {
			_cleanup_close_ int fd = rc;

			visit_functions(fd, visit, context);
		}
	}
}

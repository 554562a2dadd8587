/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/bpf_iterate.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/xalloc.h"

enum { READ_BYTES = 64 * 1024 }; /* per read */

int bpf_iterate(struct bpf_program *program, struct buf *output)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	_cleanup_close_ int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -errno;
	_cleanup_free_ char *bytes = xmalloc(READ_BYTES);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		got = read(fd, bytes, READ_BYTES);
		if (got > 0 && output)
			buf_add(output, bytes, (size_t)got);
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	bpf_link__destroy(link);
	return got < 0 ? -errno : 0;
}

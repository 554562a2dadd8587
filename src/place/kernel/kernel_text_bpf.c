/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_text_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "bpf/kernel_text.skel.h"
#include "bpf/kernel_text_wire.h"
#include "perf/bpf_load.h"

struct kernel_text_bpf_reader {
	struct kernel_text_bpf *object;
};

static const struct bpf_load_words load_words = {
	.doing = "loading a BPF program",
	.programs = "a BPF program that reads kernel memory",
	.release = "5.14",
};

int kernel_text_bpf_new(struct kernel_text_bpf_reader **ret_reader, struct err *err)
{
	BPF_LOAD_QUIETLY;
	struct kernel_text_bpf *object = kernel_text_bpf__open_and_load();
	struct kernel_text_bpf_reader *reader;

	if (!object)
		return bpf_load_explain(&load_words, -errno, err);
	reader = xcalloc(1, sizeof(*reader));
	reader->object = object;
	*ret_reader = reader;
	return 0;
}

void kernel_text_bpf_free(struct kernel_text_bpf_reader *reader)
{
	if (!reader)
		return;
	kernel_text_bpf__destroy(reader->object);
	free(reader);
}

int kernel_text_bpf_fd(const struct kernel_text_bpf_reader *reader)
{
	return bpf_program__fd(reader->object->progs.kernel_text_read);
}

static int read_chunk(struct kernel_text_bpf_reader *reader, uint64_t address, void *bytes,
		      size_t size)
{
	struct kernel_text_request request = { .address = address, .size = (uint32_t)size };
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &request, .ctx_size_in = sizeof(request));
	int rc = bpf_prog_test_run_opts(kernel_text_bpf_fd(reader), &options);

	if (rc < 0)
		return rc;
	/* -EFAULT, or -ERANGE for an address outside the kernel */
	if (options.retval != 0)
		return -EFAULT;
	memcpy(bytes, reader->object->bss->chunk, size);
	return 0;
}

int kernel_text_bpf_read(struct kernel_text_bpf_reader *reader, uint64_t address, void *bytes,
			 size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t part = size - done < KERNEL_TEXT_CHUNK ? size - done : KERNEL_TEXT_CHUNK;
		int rc = read_chunk(reader, address + done, (char *)bytes + done, part);

		if (rc < 0)
			return rc;
		done += part;
	}
	return 0;
}

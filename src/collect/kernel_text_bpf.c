/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/kernel_text_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "bpf/kernel_text.skel.h"
#include "bpf/kernel_text_wire.h"

struct kernel_text_bpf_reader {
	struct kernel_text_bpf *object;
};

static bool is_locked_down(void)
{
	enum { LIMIT = 256 };
	struct buf state = { 0 };
	bool locked = file_read("/sys/kernel/security/lockdown", LIMIT, &state) == 0 &&
		      strstr(buf_text(&state), "[confidentiality]");

	buf_done(&state);
	return locked;
}

static int explain(int rc, struct err *err)
{
	if (is_locked_down())
		return err_set(
			err, rc,
			"this kernel is locked down (confidentiality) against reading its memory");
	if (rc == -EPERM || rc == -EACCES)
		return err_set(err, rc,
			       "loading a BPF program needs root, or CAP_BPF and CAP_PERFMON");
	if (rc == -ENOSYS)
		return err_set(err, rc, "this kernel has no BPF");
	return err_set(
		err, rc,
		"this kernel takes no BPF program that reads its memory (Linux 5.14 does): %s",
		strerror(-rc));
}

/* What libbpf says on stderr would be a second voice. */
static struct kernel_text_bpf *load_quietly(void)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct kernel_text_bpf *object = kernel_text_bpf__open_and_load();
	int error = errno;

	libbpf_set_print(print);
	errno = error;
	return object;
}

int kernel_text_bpf_new(struct kernel_text_bpf_reader **ret_reader, struct err *err)
{
	struct kernel_text_bpf *object = load_quietly();
	struct kernel_text_bpf_reader *reader;

	if (!object)
		return explain(-errno, err);
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
	/* -EFAULT, or -ERANGE for an address that is none of the kernel's */
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

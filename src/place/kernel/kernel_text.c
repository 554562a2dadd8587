/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_text.h"

#include <errno.h>

#include "base/xalloc.h"
#include "place/kernel/kcore.h"
#include "place/kernel/kernel_text_bpf.h"

struct kernel_text {
	enum kernel_text_source source;
	struct kernel_text_bpf_reader *bpf; /* only the one of the source is set */
	struct kcore *kcore;
};

int kernel_text_open_source(enum kernel_text_source source, struct kernel_text **ret_text,
			    struct err *err)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = xcalloc(1, sizeof(*text));
	int rc;

	text->source = source;
	if (source == KERNEL_TEXT_BPF)
		rc = kernel_text_bpf_new(&text->bpf, err);
	else
		rc = kcore_open("/proc/kcore", &text->kcore, err);
	if (rc == 0)
		*ret_text = steal_ptr(text);
	return rc;
}

int kernel_text_open(struct kernel_text **ret_text, struct err *err)
{
	struct err bpf = { "" }, kcore = { "" };
	int rc = kernel_text_open_source(KERNEL_TEXT_BPF, ret_text, &bpf);

	if (rc == 0)
		return 0;
	if (kernel_text_open_source(KERNEL_TEXT_KCORE, ret_text, &kcore) == 0)
		return 0;
	return err_set(err, rc,
		       "cannot read the kernel's code: %s; %s; -L vmlinux shows it as built",
		       bpf.text, kcore.text);
}

void kernel_text_free(struct kernel_text *text)
{
	if (!text)
		return;
	kernel_text_bpf_free(text->bpf);
	kcore_free(text->kcore);
	free(text);
}

enum kernel_text_source kernel_text_source(const struct kernel_text *text)
{
	return text->source;
}

int kernel_text_read(struct kernel_text *text, uint64_t address, void *bytes, size_t size,
		     struct err *err)
{
	int rc;

	if (size > KERNEL_TEXT_MAX)
		return err_set(err, -EFBIG, "%zu bytes of kernel code are too many to read at once",
			       size);
	if (text->source == KERNEL_TEXT_BPF)
		rc = kernel_text_bpf_read(text->bpf, address, bytes, size);
	else
		rc = kcore_read(text->kcore, address, bytes, size);
	if (rc < 0)
		return err_set(err, rc, "no kernel code at 0x%lx: it may have been unloaded",
			       address);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/bpf_load.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

/* See kernel_lockdown(7): the word in brackets is how it is. */
static bool is_locked_down(void)
{
	enum { LIMIT = 4096 };
	_cleanup_(buf_done) struct buf state = { 0 };

	return file_read("/sys/kernel/security/lockdown", LIMIT, &state) == 0 &&
	       strstr(buf_text(&state), "[confidentiality]");
}

static int explain_permission(const struct bpf_load_words *words, int rc, struct err *err)
{
	return err_set(err, rc, "%s needs root, or CAP_BPF and CAP_PERFMON%s%s%s", words->doing,
		       words->try ? ": try '" : "", words->try ? words->try : "",
		       words->try ? "'" : "");
}

int bpf_load_explain(const struct bpf_load_words *words, int rc, struct err *err)
{
	if (is_locked_down())
		return err_set(err, rc,
			       "this kernel is locked down (confidentiality) against BPF that "
			       "reads its memory");
	switch (-rc) {
	case EPERM:
	case EACCES:
		return explain_permission(words, rc, err);
	case ENOSYS:
		return err_set(err, rc, "this kernel has no BPF");
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return err_set(err, rc, "%s cannot be loaded: %s", words->programs, strerror(-rc));
	default:
		break;
	}
	if (words->types && access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return err_set(err, rc,
			       "this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)");
	return err_set(err, rc, "this kernel does not take %s (Linux %s does): %s", words->programs,
		       words->release, strerror(-rc));
}

bool bpf_load_has_loop(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 1;
}

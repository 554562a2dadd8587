/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_links.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

_Static_assert((int)BPF_TRACE_KPROBE_MULTI == (int)PROBE_LINK_KPROBE_MULTI, "as the kernel has it");

int probe_link_kprobe_multi(int program, const char *const *symbols, const unsigned long *addresses,
			    const uint64_t *cookies, size_t count, bool at_return)
{
	LIBBPF_OPTS(bpf_link_create_opts, options);
	int fd;

	options.kprobe_multi.flags = at_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	options.kprobe_multi.cnt = (uint32_t)count;
	options.kprobe_multi.syms = (const char **)symbols;
	options.kprobe_multi.addrs = symbols ? NULL : addresses;
	options.kprobe_multi.cookies = (const __u64 *)cookies;
	fd = bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &options);
	return fd < 0 ? -errno : fd;
}

/* The part of union bpf_attr (include/uapi/linux/bpf.h, Linux 6.6) that BPF_LINK_CREATE uses for
 * uprobe.multi. */
struct uprobe_multi_attr {
	uint32_t program, target, attach_type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, multi_flags, pid, zero;
};

enum { UPROBE_MULTI_RETURN = 1 };

int probe_link_uprobe_multi(int program, const char *path, const unsigned long *offsets,
			    const uint64_t *cookies, size_t count, bool at_return, pid_t pid)
{
	struct uprobe_multi_attr attr = { .program = (uint32_t)program,
					  .attach_type = PROBE_LINK_UPROBE_MULTI,
					  .path = (uintptr_t)path,
					  .offsets = (uintptr_t)offsets,
					  .cookies = (uintptr_t)cookies,
					  .count = (uint32_t)count,
					  .multi_flags = at_return ? UPROBE_MULTI_RETURN : 0,
					  .pid = (uint32_t)pid };
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/* ---- one by one, as perf events: no tracefs, and gone with their descriptor ---- */

/* The type of a device in /sys/bus/event_source/devices, and its config bit for return probes. */
static int read_type(const char *device, uint32_t *ret_type, uint64_t *ret_return_bit)
{
	struct buf path = { 0 }, format = { 0 };
	int64_t type = 0;
	int rc;

	buf_printf(&path, "/sys/bus/event_source/devices/%s/type", device);
	rc = file_read_i64(buf_text(&path), &type);
	buf_clear(&path);
	buf_printf(&path, "/sys/bus/event_source/devices/%s/format/retprobe", device);
	*ret_return_bit = 1;
	/* "config:0" */
	if (rc == 0 && file_read(buf_text(&path), 64, &format) == 0 &&
	    strncmp(buf_text(&format), "config:", 7) == 0 && buf_text(&format)[7] >= '0' &&
	    buf_text(&format)[7] <= '9')
		*ret_return_bit = 1ULL << (buf_text(&format)[7] - '0');
	buf_done(&path);
	buf_done(&format);
	*ret_type = (uint32_t)type;
	return rc == -ENOENT ? -EOPNOTSUPP : rc;
}

static int open_probe(const char *device, uint64_t name, uint64_t offset, bool at_return, pid_t pid)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	uint64_t return_bit;
	long fd;
	int rc = read_type(device, &attr.type, &return_bit);

	if (rc < 0)
		return rc;
	attr.config = at_return ? return_bit : 0;
	attr.config1 = name;
	attr.config2 = offset;
	fd = syscall(SYS_perf_event_open, &attr, pid > 0 ? pid : -1, pid > 0 ? -1 : 0, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* The link keeps the event alive. */
static int link_event(int program, int event, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = cookie);
	_cleanup_close_ int closed = event;
	int fd;

	if (event < 0)
		return event;
	fd = bpf_link_create(program, event, BPF_PERF_EVENT, &options);
	return fd < 0 ? -errno : fd;
}

int probe_link_kprobe(int program, const char *symbol, uint64_t offset, uint64_t cookie,
		      bool at_return)
{
	return link_event(program, open_probe("kprobe", (uintptr_t)symbol, offset, at_return, 0),
			  cookie);
}

int probe_link_uprobe(int program, const char *path, uint64_t offset, uint64_t cookie,
		      bool at_return, pid_t pid)
{
	return link_event(program, open_probe("uprobe", (uintptr_t)path, offset, at_return, pid),
			  cookie);
}

int probe_link_tracing(int program, uint64_t cookie, bool at_return)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .tracing.cookie = cookie);
	int fd = bpf_link_create(program, 0, at_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
				 &options);

	return fd < 0 ? -errno : fd;
}

bool probe_link_has_device(const char *device)
{
	uint32_t type;
	uint64_t bit;

	return read_type(device, &type, &bit) == 0;
}

/* ---- for all ---- */

bool probe_link_is_general(int rc)
{
	static const int errors[] = { EPERM, EACCES, EMFILE, ENFILE, ENOMEM, EOPNOTSUPP, ENOSYS };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i] == -rc)
			return true;
	}
	return false;
}

pid_t probe_link_only_pid(const struct probe_options *options)
{
	const struct probe_filter *filter = &options->filter;

	return filter->pid_count == 1 && !filter->follow ? filter->pids[0] : 0;
}

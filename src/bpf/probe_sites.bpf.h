/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Call sites as places in files. A call that leaves its function by a jump ends where the function
 * that it jumped to returns to: after the call instruction. The first call from a site reports it
 * to user space, which puts a probe there.
 */
#ifndef BPF_PROBE_SITES_BPF_H
#define BPF_PROBE_SITES_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/probe_condition.bpf.h"
#include "bpf/probe_wire.h"

enum { PAGE_BITS = 12 }; /* of vm_pgoff; arm64 with larger pages sets page_bits */

struct super_block {
	__u32 s_dev;
} BY_NAME;

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
} BY_NAME;

struct qstr {
	const unsigned char *name;
} BY_NAME;

struct dentry {
	struct qstr d_name;
} BY_NAME;

struct path {
	struct dentry *dentry;
} BY_NAME;

struct file {
	struct inode *f_inode;
	struct path f_path;
} BY_NAME;

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff;
	struct file *vm_file;
} BY_NAME;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct probe_site_key);
	__type(value, __u32);
} sites SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} site_events SEC(".maps");

const volatile __u32 page_bits = PAGE_BITS;
__u64 sites_lost; /* sites without room in the table */

struct site_search {
	__u64 address;
	struct probe_site_key key; /* inode 0: no file */
};

static long take_site(struct task_struct *task, struct vm_area_struct *vma,
		      struct site_search *search)
{
	struct file *file = vma->vm_file;

	(void)task;
	if (!file)
		return 0;
	search->key.inode = file->f_inode->i_ino;
	search->key.device = file->f_inode->i_sb->s_dev;
	search->key.offset = search->address - vma->vm_start + (vma->vm_pgoff << page_bits);
	return 0;
}

/* If the report fails, the next call from the site reports it again. */
static __always_inline void tell_site(const struct site_search *search, __u32 go)
{
	struct probe_site_event *event;
	__u32 asked = PROBE_SITE_ASKED;

	if (bpf_map_update_elem(&sites, &search->key, &asked, BPF_NOEXIST) < 0) {
		__sync_fetch_and_add(&sites_lost, 1);
		return;
	}
	event = bpf_ringbuf_reserve(&site_events, sizeof(*event), 0);
	if (!event) {
		bpf_map_delete_elem(&sites, &search->key);
		return;
	}
	event->key = search->key;
	event->address = search->address;
	event->pid = current_pid();
	event->go = go;
	bpf_ringbuf_submit(event, 0);
}

/* True if there is a probe at the return address @address of a call (@go: the goroutine layout of
 * its function). False for memory without a file, and while the process is changing its mappings.
 */
static __always_inline bool is_armed(__u64 address, __u32 go)
{
	struct site_search search = { .address = address };
	const __u32 *state;

	bpf_find_vma(bpf_get_current_task_btf(), address, take_site, &search, 0);
	if (!search.key.inode)
		return false;
	state = bpf_map_lookup_elem(&sites, &search.key);
	if (state)
		return *state == PROBE_SITE_ARMED;
	tell_site(&search, go);
	return false;
}

#endif

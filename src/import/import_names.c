/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "model/perf_text.h"
#include "perf/event_names.h"

#define NO_ADDRESS (1ULL << 63) /* marks offsets of frames without an address */
#define CUT_PREFIX "[cut:"

/* ---- code ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
	size_t length = strlen(text), size = strlen(with);

	return length >= size && strcmp(text + length - size, with) == 0;
}

/* The path without its brackets, to be freed; NULL: it has none. */
static char *in_brackets(const char *path)
{
	size_t length = strlen(path);
	char *name;

	if (length < 3 || path[0] != '[' || path[length - 1] != ']')
		return NULL;
	name = xstrdup(path + 1);
	name[length - 2] = '\0';
	return name;
}

struct special {
	const char *begins; /* the whole name if it ends in a bracket */
	enum image_kind kind;
};

/* Names in brackets, ours and perf's, that are no kernel modules. */
static const struct special specials[] = {
	{ "[vdso]", IMAGE_VDSO },
	{ CUT_PREFIX, IMAGE_CUT },
	{ "[anon", IMAGE_ANON },
	{ "[heap]", IMAGE_ANON },
	{ "[stack", IMAGE_ANON },
	{ "[shared memory]", IMAGE_ANON },
	{ "[bpf", IMAGE_BPF },
	{ "[guest.kernel", IMAGE_BUCKET },
	{ "[kernel unmapped]", IMAGE_BUCKET },
	{ "[kernel", IMAGE_KERNEL },
	{ "[unknown]", IMAGE_BUCKET },
	{ "[unmapped]", IMAGE_BUCKET },
	{ "[exec]", IMAGE_BUCKET },
	{ "[guest]", IMAGE_BUCKET },
	{ "[hypervisor]", IMAGE_BUCKET },
	{ "[inlined]", IMAGE_BUCKET },
	{ "[vsyscall]", IMAGE_BUCKET },
	{ "[vdso32]", IMAGE_BUCKET },
	{ "[uprobes]", IMAGE_BUCKET },
};

/* Names of modules have no blanks. */
static enum image_kind bracketed_kind(const char *path)
{
	_cleanup_free_ char *name = in_brackets(path);

	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		if (begins(path, specials[i].begins))
			return specials[i].kind;
	}
	if (name && wait_by_name(name) != WAIT_COUNT)
		return IMAGE_WAIT;
	return strchr(path, ' ') ? IMAGE_BUCKET : IMAGE_MODULE;
}

enum image_kind import_names_kind(const char *path)
{
	const char *base = file_base(path);

	if (!*path || strcmp(path, PERF_TEXT_INLINED) == 0)
		return IMAGE_BUCKET;
	if (path[0] == '[')
		return bracketed_kind(path);
	if (strcmp(base, "vmlinux") == 0)
		return IMAGE_KERNEL;
	if (ends(base, ".ko") || strstr(base, ".ko."))
		return IMAGE_MODULE;
	if (begins(path, "//anon") || (begins(path, "/tmp/perf-") && ends(path, ".map")))
		return IMAGE_ANON;
	return IMAGE_FILE;
}

uint32_t import_names_image(struct profile *profile, const char *path)
{
	struct image image = { .kind = import_names_kind(path), .state = IMAGE_STATE_READ };

	if (image.kind == IMAGE_BUCKET)
		return profile_bucket(profile, *path == '[' ? path
					       : *path	    ? "[inlined]"
							    : "[unknown]");
	image.path =
		strpool_intern(&profile->strings, image.kind == IMAGE_KERNEL ? "[kernel]" : path);
	return profile_image(profile, &image);
}

enum clock_kind import_names_clock(const char *name, bool is_time)
{
	char plain[EVENT_NAME_MAX];
	struct event_spec spec;

	if (is_time)
		return CLOCK_TIMER;
	snprintf(plain, sizeof(plain), "%s", name);
	plain[strcspn(plain, ":")] = '\0';
	return event_names_parse(plain, &spec, NULL) == 0 && spec.hardware ? CLOCK_PMU_NMI
									   : CLOCK_SOFTWARE;
}

/* A waiting thread is in the kernel. */
enum mode import_names_mode(const struct profile *profile, uint32_t stack)
{
	uint32_t frame = profile->stacks.items[stack].frame;
	uint32_t image = profile->frames.items[frame].image;
	enum image_kind kind = profile->images.items[image].kind;

	return image_kind_is_kernel(kind) || kind == IMAGE_WAIT ? MODE_KERNEL : MODE_USER;
}

uint32_t import_names_frame(struct profile *profile, uint32_t image, const char *name,
			    enum frame_kind kind)
{
	bool unknown = !*name || strcmp(name, "[unknown]") == 0;
	struct symbol symbol = { .image = image,
				 .name = strpool_intern(&profile->strings,
							unknown ? "[unknown]" : name),
				 .kind = unknown ? SYMBOL_NONE : SYMBOL_NAMED };
	struct frame frame = { .image = image, .kind = kind };

	frame.symbol = profile_symbol(profile, &symbol);
	frame.offset = NO_ADDRESS | frame.symbol;
	return profile_frame(profile, &frame);
}

uint32_t import_names_mark(struct profile *profile, const char *name)
{
	_cleanup_free_ char *inner = in_brackets(name);
	struct image image = { .kind = IMAGE_WAIT, .state = IMAGE_STATE_READ };
	size_t prefix = strlen(CUT_PREFIX) - 1; /* without the bracket */
	enum stack_end end;

	if (!inner)
		return 0;
	if (begins(name, CUT_PREFIX)) {
		end = stack_end_by_name(inner + prefix);
		return end == STACK_END_COUNT || end == STACK_COMPLETE ? 0
								       : profile_cut(profile, end);
	}
	if (wait_by_name(inner) == WAIT_COUNT)
		return 0;
	image.path = strpool_intern(&profile->strings, name);
	return profile_frame(profile, &(struct frame){ .image = profile_image(profile, &image) });
}

/* ---- threads ---- */

void import_names_done(struct import_names *names)
{
	vec_free(&names->processes);
	hashidx_done(&names->index);
}

static struct process *process_of(const struct import_names *names, uint32_t id)
{
	return &names->profile->processes.items[names->processes.items[id].row];
}

struct process_key {
	int32_t pid;
	str_id program; /* 0: any */
	uint32_t instance;
};

static bool is_process(const void *owner, uint32_t id, const void *key)
{
	const struct import_names *names = owner;
	const struct process_key *wanted = key;
	const struct process *process = process_of(names, id);

	if (process->pid != wanted->pid)
		return false;
	return !wanted->program || names->processes.items[id].provisional ||
	       (process->program == wanted->program && process->instance == wanted->instance);
}

static uint32_t add_process(struct import_names *names, const struct process_key *key, str_id name,
			    bool provisional)
{
	struct process process = { .pid = key->pid, .program = name, .instance = key->instance };
	uint32_t row = profile_add_process(names->profile, &process);

	hashidx_add(&names->index, hash_u64((uint64_t)(int64_t)key->pid),
		    (uint32_t)names->processes.count);
	*vec_push(&names->processes) = (struct import_names_process){ row, provisional };
	return row;
}

static uint32_t process_row(struct import_names *names, const struct import_names_thread *told)
{
	struct strpool *strings = &names->profile->strings;
	bool is_first = told->program || told->pid == told->tid;
	str_id name = strpool_intern(strings, told->program ? told->program : told->comm);
	struct process_key key = { told->pid, is_first ? name : 0, told->instance };
	uint32_t id;

	if (!hashidx_find(&names->index, hash_u64((uint64_t)(int64_t)told->pid), is_process, names,
			  &key, &id))
		return add_process(names, &key, name, !is_first);
	if (is_first && names->processes.items[id].provisional) {
		process_of(names, id)->program = name;
		process_of(names, id)->instance = told->instance;
		names->processes.items[id].provisional = false;
	}
	return names->processes.items[id].row;
}

uint32_t import_names_task(struct import_names *names, const struct import_names_thread *told)
{
	struct task task = { .process = process_row(names, told),
			     .tid = told->tid,
			     .comm = strpool_intern(&names->profile->strings, told->comm) };

	return profile_task(names->profile, &task);
}

void import_names_finish(struct import_names *names)
{
	struct profile *profile = names->profile;
	_cleanup_free_ uint32_t *last = xcalloc(strpool_count(&profile->strings), sizeof(*last));

	for (size_t i = 1; i < profile->processes.count; i++) {
		const struct process *process = &profile->processes.items[i];

		if (process->instance > last[process->program])
			last[process->program] = process->instance;
	}
	for (size_t i = 1; i < profile->processes.count; i++) {
		struct process *process = &profile->processes.items[i];

		if (!process->instance) {
			process->instance = ++last[process->program];
			process->dirty = true;
		}
	}
}

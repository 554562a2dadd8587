/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf script's text, by our rules:
 *   - Names stay as printed. Nothing is looked up, for addresses may be those in memory or those in
 *     the file, and the text does not say which.
 *   - A process is known by its number; its program is its name (comm). Where perf printed only
 *     threads, its default, each is a process. Where it printed no numbers, each name is a process.
 *   - Without a printed period each sample weighs 1.
 *   - A call chain by frame pointers ends in the cut "frame pointers". If perf unwound the stacks
 *     (--call-graph dwarf in the head), the outermost function decides whether a stack is complete.
 *   - In text that prospect export printed, as its head says, names are unescaped, cuts and waits
 *     are recognised, and inlined functions are omitted unless an option keeps them.
 */
#include "import/import_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "import/import_names.h"
#include "import/perf_script.h"
#include "model/perf_text.h"

struct scripted {
	struct import_profile *import;
	bool by_dwarf; /* perf unwound the stacks itself */
	bool has_chains;
	bool ours;     /* prospect export printed it */
	bool left_out; /* inlined functions were omitted */
	char *perf_version;
	char *units;		   /* of events, as in the head; NULL: not there */
	struct import_names names; /* of tasks that were printed without numbers */
	struct buf name, path;
	struct err *err;
};

/* ---- frames ---- */

/* The text unescaped. Borrowed from @buf. */
static const char *plain(const struct scripted *scripted, const char *text, struct buf *buf)
{
	if (!scripted->ours)
		return text;
	buf_clear(buf);
	text_unescape(buf, text);
	return buf_text(buf);
}

static bool is_unknown(const char *symbol)
{
	return !*symbol || strcmp(symbol, "[unknown]") == 0;
}

static uint32_t symbol_of(struct profile *profile, uint32_t image,
			  const struct perf_script_frame *printed)
{
	bool unknown = is_unknown(printed->symbol);
	struct symbol symbol = { .image = image,
				 .name = strpool_intern(&profile->strings,
							unknown ? "[unknown]" : printed->symbol),
				 .kind = unknown ? SYMBOL_NONE : SYMBOL_NAMED };

	if (!unknown && printed->has_offset && printed->offset <= printed->address)
		symbol.start = printed->address - printed->offset;
	return profile_symbol(profile, &symbol);
}

/* The frame of a place. Places without an address differ by symbol. So does a second name for an
 * address, that of a function inlined there. */
static uint32_t frame_of(struct profile *profile, const struct perf_script_frame *printed,
			 enum frame_kind kind)
{
	const uint64_t no_address = 1ULL << 63;
	struct frame frame = { .image = import_names_image(profile, printed->image),
			       .offset = printed->address,
			       .address = printed->address,
			       .address_known = printed->has_address,
			       .kind = kind };
	uint32_t row;

	frame.symbol = symbol_of(profile, frame.image, printed);
	if (!printed->has_address)
		frame.offset = no_address | frame.symbol;
	row = profile_frame(profile, &frame);
	if (profile->frames.items[row].symbol == frame.symbol)
		return row;
	frame.offset = no_address | frame.symbol;
	return profile_frame(profile, &frame);
}

static bool is_kernel_frame(const struct perf_script_frame *frame)
{
	return image_kind_is_kernel(import_names_kind(frame->image));
}

/* ---- ends of stacks ---- */

static bool is_one_of(const char *symbol, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(symbol, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool starts_kernel(const char *symbol)
{
	static const char *const names[] = { "ret_from_fork",
					     "secondary_startup",
					     "kthread",
					     "start_kernel",
					     "x86_64_start_",
					     "start_secondary",
					     "rest_init",
					     "cpu_startup_entry",
					     "kernel_thread",
					     "secondary_start_kernel",
					     "__secondary_switched" };

	return is_one_of(symbol, names, COUNT_OF(names));
}

static bool starts_user(const char *symbol)
{
	static const char *const names[] = { "_start", "__clone", "clone", "_dl_start_user",
					     "thread_start" };

	return is_one_of(symbol, names, COUNT_OF(names));
}

static enum stack_end end_of(const struct scripted *scripted,
			     const struct perf_script_sample *sample)
{
	const struct perf_script_frame *last;

	if (scripted->ours || !sample->has_chain || sample->frame_count == 0)
		return STACK_COMPLETE;
	last = &sample->frames[sample->frame_count - 1];
	if (is_kernel_frame(last))
		return sample->pid == 0 || starts_kernel(last->symbol) ? STACK_COMPLETE
								       : STACK_UNKNOWN;
	if (!scripted->by_dwarf)
		return STACK_FRAME_POINTERS;
	return starts_user(last->symbol) ? STACK_COMPLETE : STACK_UNKNOWN;
}

/* The frame of a line; 0: none, the function was inlined into that of the next line. */
static uint32_t line_frame(struct scripted *scripted, const struct perf_script_frame *printed,
			   enum frame_kind kind)
{
	struct perf_script_frame told = *printed;
	uint32_t mark;

	if (!scripted->ours)
		return frame_of(scripted->import->profile, printed, kind);
	if (strcmp(told.image, PERF_TEXT_INLINED) == 0 && !scripted->import->options->inlines) {
		scripted->left_out = true;
		return 0;
	}
	told.symbol = plain(scripted, printed->symbol, &scripted->name);
	told.image = plain(scripted, printed->image, &scripted->path);
	mark = strcmp(told.symbol, told.image) == 0
		       ? import_names_mark(scripted->import->profile, told.symbol)
		       : 0;
	return mark ? mark : frame_of(scripted->import->profile, &told, kind);
}

static uint32_t stack_of(struct scripted *scripted, const struct perf_script_sample *sample)
{
	struct profile *profile = scripted->import->profile;
	enum stack_end end = end_of(scripted, sample);
	uint32_t stack = 0;

	scripted->has_chains |= sample->has_chain;
	if (end != STACK_COMPLETE)
		stack = profile_stack(profile, 0, profile_cut(profile, end));
	for (size_t i = sample->frame_count; i-- > 0;) {
		uint32_t frame =
			line_frame(scripted, &sample->frames[i], i ? FRAME_RETURN : FRAME_EXACT);

		stack = frame ? profile_stack(profile, stack, frame) : stack;
	}
	if (sample->frame_count == 0)
		stack = profile_stack(
			profile, stack,
			frame_of(profile, &(struct perf_script_frame){ .symbol = "", .image = "" },
				 FRAME_EXACT));
	return stack;
}

/* ---- samples ---- */

static bool is_clock(const char *name)
{
	return strncmp(name, "cpu-clock", 9) == 0 || strncmp(name, "task-clock", 10) == 0;
}

/* True if the head says that the event counts nanoseconds. */
static bool is_told_time(const struct scripted *scripted, const struct perf_script_sample *sample)
{
	_cleanup_free_ char *unit = xasprintf(" %s=ns ", sample->event);

	return scripted->ours && scripted->units && strstr(scripted->units, unit);
}

/* The event of that name, added if it is new. */
static int event_of(struct scripted *scripted, const struct perf_script_sample *sample)
{
	struct profile *profile = scripted->import->profile;
	const char *text =
		*sample->event ? plain(scripted, sample->event, &scripted->name) : "samples";
	str_id name = strpool_intern(&profile->strings, text);
	bool is_time = sample->has_period && (is_clock(text) || is_told_time(scripted, sample));
	struct event event = { .name = name,
			       .unit = strpool_intern(&profile->strings, is_time ? "ns" : "count"),
			       .clock = import_names_clock(text, is_time || is_clock(text)),
			       .period = sample->has_period ? 0 : 1 };

	for (size_t i = 0; i < profile->event_count; i++) {
		if (profile->events[i].name == name)
			return (int)i;
	}
	return import_profile_event(scripted->import, &event);
}

/* The task with this number now; another name is another program. */
static uint32_t task_of(struct scripted *scripted, const struct perf_script_sample *sample)
{
	const char *comm = plain(scripted, sample->comm, &scripted->name);
	struct import_profile *import = scripted->import;
	struct machine *machine = import->machine;
	uint32_t process = machine_process_of(machine, sample->pid);
	const struct process *row = &import->profile->processes.items[process];

	if (!sample->has_task)
		return import_names_task(
			&scripted->names,
			&(struct import_names_thread){
				.pid = -1, .tid = -1, .comm = comm, .program = comm });
	if (sample->pid <= 0)
		return machine_task(machine, sample->time_ns, sample->pid, sample->tid, NULL);
	if (!process) {
		struct machine_process told = { .pid = sample->pid, .comm = comm };

		machine_add_process(machine, &told);
	} else if (sample->pid == sample->tid &&
		   strcmp(profile_text(import->profile, row->program), comm) != 0) {
		machine_comm(machine, sample->time_ns, sample->pid, sample->pid, comm, true);
	}
	if (sample->pid != sample->tid)
		machine_comm(machine, sample->time_ns, sample->pid, sample->tid, comm, false);
	return machine_task(machine, sample->time_ns, sample->pid, sample->tid, NULL);
}

static int take_sample(void *context, const struct perf_script_sample *printed)
{
	struct scripted *scripted = context;
	struct import_profile *import = scripted->import;
	int event = event_of(scripted, printed);
	struct sample sample;

	if (event < 0) {
		import->profile->events[0].loss[LOSS_NOT_STORED].count++;
		return 0;
	}
	sample = (struct sample){
		.time_ns = printed->time_ns,
		.weight = printed->has_period ? printed->period : 1,
		.task = task_of(scripted, printed),
		.stack = stack_of(scripted, printed),
		.cpu = (uint16_t)(printed->cpu > 0 ? printed->cpu : 0),
		.event = (uint8_t)event,
		.context = CONTEXT_TASK,
	};
	sample.mode = (uint8_t)import_names_mode(import->profile, sample.stack);
	return import_profile_sample(import, &sample, scripted->err);
}

/* ---- head ---- */

static void take_head(void *context, const char *name, const char *value)
{
	struct scripted *scripted = context;
	struct run_facts *run = &scripted->import->profile->run;

	if (strcmp(name, "hostname") == 0) {
		profile_set_text(&run->hostname, value);
	} else if (strcmp(name, "os release") == 0) {
		profile_set_text(&run->kernel_release, value);
	} else if (strcmp(name, "arch") == 0) {
		profile_set_text(&run->machine, value);
	} else if (strcmp(name, "nrcpus online") == 0) {
		run->cpus = strtoull(value, NULL, 10);
	} else if (strcmp(name, "perf version") == 0) {
		free(scripted->perf_version);
		scripted->perf_version = xstrdup(value);
		scripted->ours =
			strncmp(value, PERF_TEXT_OUR_VERSION, strlen(PERF_TEXT_OUR_VERSION)) == 0;
	} else if (strcmp(name, PERF_TEXT_UNITS) == 0) {
		free(scripted->units);
		scripted->units = xasprintf(" %s ", value);
	} else if (strcmp(name, "cmdline") == 0) {
		profile_set_text(&run->command, value);
		scripted->by_dwarf = strstr(value, "call-graph dwarf") != NULL ||
				     strstr(value, "call-graph=dwarf") != NULL;
	}
}

static void set_facts(const struct scripted *scripted)
{
	struct run_facts *run = &scripted->import->profile->run;
	char rung[128];

	profile_set_text(&run->scope, "perf");
	snprintf(rung, sizeof(rung), "perf%s%.80s, as text", scripted->perf_version ? " " : "",
		 scripted->perf_version ? scripted->perf_version : "");
	profile_set_text(&run->rung, rung);
	profile_set_text(&run->stacks, !scripted->has_chains ? "none"
				       : scripted->by_dwarf  ? "full"
							     : "fp");
}

int import_script(struct import_profile *import, struct perf_data_input *input,
		  struct import_result *result, struct err *err)
{
	struct scripted scripted = { .import = import,
				     .names = { .profile = import->profile },
				     .err = err };
	struct perf_script_visitor visitor = { &scripted, take_sample, take_head };
	uint64_t odd;
	int rc = perf_script_read(input, &visitor, &odd);

	if (rc == 0 && import->samples == 0)
		rc = err_set(err, -ENODATA, "it has no samples");
	if (rc == 0) {
		import->profile->events[0].loss[LOSS_MALFORMED].count += odd;
		import_names_finish(&scripted.names);
		set_facts(&scripted);
		if (scripted.left_out)
			snprintf(result->left_out, sizeof(result->left_out), "%s",
				 IMPORT_INLINES_LEFT_OUT);
	}
	import_names_done(&scripted.names);
	free(scripted.perf_version);
	free(scripted.units);
	buf_done(&scripted.name);
	buf_done(&scripted.path);
	return rc;
}

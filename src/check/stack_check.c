/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attribute/stack_observer.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/xalloc.h"
#include "check/dwfl_walk.h"
#include "elf/vdso.h"
#include "place/files/image_files.h"
#include "record/record.h"
#include "unwind/row_table.h"

enum { MAX_PROCESSES = 64 }; /* open for libdwfl at a time: each keeps its files open */

/* A process, and its modules as libdwfl has them. */
struct checked_process {
	uint32_t process; /* its row; 0: none */
	uint64_t changed; /* machine_space.changed at that time */
	struct dwfl_walk *walk;
};

struct stack_check {
	uint64_t most;
	struct stack_check_counts counts;
	struct checked_process processes[MAX_PROCESSES];
	size_t next; /* the slot to reuse when all are taken */
	uint64_t addresses[STACK_MAX_USER];
	uint64_t examples[STACK_VERDICT_COUNT]; /* including those not kept */
};

/* Stops comparing after @most samples. */
static struct stack_check *check_new(uint64_t most)
{
	struct stack_check *check = xcalloc(1, sizeof(*check));

	check->most = most;
	return check;
}

static void check_free(struct stack_check *check) /* NULL is fine */
{
	if (!check)
		return;
	for (size_t i = 0; i < MAX_PROCESSES; i++)
		dwfl_walk_free(check->processes[i].walk);
	stack_check_counts_done(&check->counts);
	free(check);
}
DEFINE_CLEANUP(struct stack_check *, check_free);

static bool is_full(const struct stack_check *check)
{
	return check->counts.samples >= check->most;
}

static bool has_enough(const void *context)
{
	return is_full(context);
}

/* A file with the vdso's bytes, which the caller closes; -1: none could be made. */
static int open_vdso(void)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	_cleanup_close_ int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t size;

	if (fd < 0 || vdso_copy(&bytes, &size, NULL) < 0 || write(fd, bytes, size) != (ssize_t)size)
		return -1;
	return steal_fd(fd);
}

static void add_module(struct dwfl_walk *walk, const struct mapping *mapping,
		       struct image_codes *codes, struct image_files *files,
		       const struct profile *profile)
{
	bool is_vdso = profile->images.items[mapping->image].kind == IMAGE_VDSO;
	struct image_entry entry;
	struct unwind_code code = image_codes_of(codes, mapping, &entry);
	char name[32];
	int fd;

	if (!code.table || !code.table->page_count)
		return;
	fd = is_vdso ? open_vdso() : image_files_open(files, mapping->image);
	snprintf(name, sizeof(name), "%u@%" PRIx64, mapping->image, code.bias);
	if (fd >= 0)
		(void)dwfl_walk_add(walk, name, fd, code.bias, NULL);
	if (is_vdso && fd >= 0)
		close(fd);
}

static struct dwfl_walk *prepare(const struct machine_space *space, struct image_codes *codes,
				 struct image_files *files, const struct profile *profile)
{
	struct dwfl_walk *walk;

	if (dwfl_walk_new(&walk, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < address_space_count(space->mappings); i++) {
		struct mapping mapping = address_space_at(space->mappings, i);

		add_module(walk, &mapping, codes, files, profile);
	}
	return walk;
}

/* libdwfl's view of the process with its current mappings; NULL: none. */
static struct dwfl_walk *walk_of(struct stack_check *check, const struct machine_space *space,
				 struct image_codes *codes, struct image_files *files,
				 const struct profile *profile)
{
	struct checked_process *slot = NULL;

	for (size_t i = 0; i < MAX_PROCESSES && !slot; i++) {
		if (check->processes[i].process == space->process)
			slot = &check->processes[i];
	}
	if (slot && slot->changed == space->changed)
		return slot->walk;
	if (!slot)
		slot = &check->processes[check->next++ % MAX_PROCESSES];
	dwfl_walk_free(slot->walk);
	*slot = (struct checked_process){ space->process, space->changed,
					  prepare(space, codes, files, profile) };
	return slot->walk;
}

/* True if libdwfl found frame @at with a table. A return address belongs to the call before it. */
static bool is_founded(const struct stack_check *check, const struct dwfl_walk *walk,
		       const struct observed_stack *walked, size_t at)
{
	bool exact = at == 1 || walked->addresses[at - 1] & UNWIND_EXACT;

	return at > 0 && dwfl_walk_describes(walk, check->addresses[at - 1] - !exact);
}

/* How many frames both walks found, innermost first. */
static size_t common_frames(const struct stack_check *check, const struct observed_stack *walked,
			    size_t theirs)
{
	size_t common = 0;

	while (common < walked->count && common < theirs &&
	       (walked->addresses[common] & ~UNWIND_EXACT) == check->addresses[common])
		common++;
	return common;
}

static enum stack_verdict compare(struct stack_check *check, const struct dwfl_walk *walk,
				  const struct observed_stack *walked, size_t theirs)
{
	size_t common = common_frames(check, walked, theirs);

	check->counts.frames += common;
	if (common < theirs && common > 0 && !is_founded(check, walk, walked, common))
		return STACK_VERDICT_UNCHECKED;
	if (common < walked->count && common < theirs)
		return STACK_VERDICT_DIFFERENT;
	if (walked->count == theirs)
		return STACK_VERDICT_EQUAL;
	return walked->count > theirs ? STACK_VERDICT_LONGER : STACK_VERDICT_SHORTER;
}

/* True if the caller of the last common frame is on another stack. Then the table that libdwfl
 * reads is wrong there, and the copy holds nothing of that stack. */
static bool changes_stack(const struct stack_check *check, struct image_codes *codes,
			  const struct observed_stack *walked, size_t theirs)
{
	size_t common = common_frames(check, walked, theirs);
	const struct unwind_rule *rule;
	struct mapping mapping;
	struct unwind_code code;
	uint64_t at;

	if (common == 0)
		return false;
	at = walked->addresses[common - 1];
	at = at & UNWIND_EXACT || common == 1 ? at & ~UNWIND_EXACT : at - 1;
	if (machine_find_code(walked->space, at, &mapping) != CODE_MAPPED)
		return false;
	code = image_codes_at(codes, &mapping, at);
	rule = code.table ? row_table_find(code.table, at - code.bias) : NULL;
	return rule && rule->flags & UNWIND_RULE_SWITCH;
}

static void add_place(struct buf *text, const struct profile *profile,
		      const struct machine_space *space, uint64_t address)
{
	struct mapping mapping;

	if (machine_find_code(space, address, &mapping) != CODE_MAPPED) {
		buf_printf(text, " 0x%" PRIx64, address);
		return;
	}
	buf_add_char(text, ' ');
	escape_add(text, profile_text(profile, profile->images.items[mapping.image].path), "");
	buf_printf(text, "+0x%" PRIx64, address - mapping.start + mapping.offset);
}

/* Keeps the first frame where the walks differ, and the one before. */
static void add_example(struct stack_check *check, const struct profile *profile,
			const struct observed_stack *walked, size_t theirs,
			enum stack_verdict verdict)
{
	size_t at = common_frames(check, walked, theirs);
	struct buf text = { 0 };

	/* Limit each verdict separately: one must not crowd out the other. */
	if (check->examples[verdict]++ >= STACK_CHECK_MAX_EXAMPLES)
		return;
	buf_printf(&text, "%s: frame %zu of %zu (%s), libdwfl's %zu; called",
		   stack_verdict_name(verdict), at, walked->count, stack_end_name(walked->end),
		   theirs);
	if (at > 0)
		add_place(&text, profile, walked->space, check->addresses[at - 1]);
	buf_add_str(&text, " from");
	if (at < walked->count)
		add_place(&text, profile, walked->space, walked->addresses[at] & ~UNWIND_EXACT);
	buf_add_str(&text, ", libdwfl's from");
	if (at < theirs)
		add_place(&text, profile, walked->space, check->addresses[at]);
	*vec_push(&check->counts.examples) = xstrdup(buf_text(&text));
	buf_done(&text);
}

static size_t walk_with_libdwfl(struct stack_check *check, struct dwfl_walk *walk,
				const struct user_stack *user)
{
	struct dwfl_walk_input input = { .pc = user->registers->pc,
					 .registers = (const uint64_t *)user->registers->values,
					 .register_count = DWFL_WALK_REGISTERS,
					 .stack_address = user->stack_address,
					 .stack = user->stack,
					 .stack_size = user->stack_size };
	bool beyond;

	return dwfl_walk_run(walk, &input, check->addresses, STACK_MAX_USER, &beyond);
}

/* Compares a sample of the form USER_STACK_DUMP. Mappings come from the machine model, files from
 * those held open. */
static void see(void *context, const struct frames *frames, struct image_codes *codes,
		struct image_files *files, const struct perf_record *record,
		const struct observed_stack *walked)
{
	struct stack_check *check = context;
	const struct user_stack *user = &record->sample.user_stack;
	enum stack_verdict verdict = STACK_VERDICT_UNCHECKED;
	struct dwfl_walk *walk;
	size_t theirs = 0;

	if (user->form != USER_STACK_DUMP || !walked->space->process || is_full(check))
		return;
	walk = walk_of(check, walked->space, codes, files, frames->profile);
	if (walk)
		theirs = walk_with_libdwfl(check, walk, user);
	if (theirs > 0)
		verdict = compare(check, walk, walked, theirs);
	if (verdict != STACK_VERDICT_EQUAL && changes_stack(check, codes, walked, theirs))
		verdict = STACK_VERDICT_UNCHECKED;
	check->counts.samples++;
	check->counts.verdicts[verdict]++;
	check->counts.complete += walked->end == STACK_COMPLETE;
	if (verdict == STACK_VERDICT_DIFFERENT || verdict == STACK_VERDICT_SHORTER)
		add_example(check, frames->profile, walked, theirs, verdict);
}

int stack_check_run(char *const *argv, double rate_hz, uint64_t most,
		    struct stack_check_counts *ret_counts, struct err *err)
{
	char path[] = "/tmp/prospect-stacks-XXXXXX";
	_cleanup_(check_freep) struct stack_check *check = check_new(most);
	const struct stack_observer observer = { see, has_enough, check };
	const struct record_options options = { .argv = argv,
						.rate_hz = rate_hz,
						.flush_cs = 200,
						.stacks = "full",
						.output = path,
						.observer = &observer };
	struct record_result result;
	int fd = mkstemp(path), rc;

	if (fd < 0)
		return err_set(err, -errno, "cannot make a file in /tmp: %m");
	close(fd);
	unlink(path);
	rc = record_run(&options, &result, err);
	unlink(path);
	if (rc == 0) {
		*ret_counts = check->counts;
		check->counts = (struct stack_check_counts){ 0 };
	}
	return rc;
}

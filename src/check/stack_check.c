/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attribute/stacks.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/dynamic_library.h"
#include "base/err.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "elf/vdso.h"
#include "place/files/image_files.h"
#include "record/record.h"
#include "unwind/row_table.h"

/*
 * ---- the second opinion ----
 *
 * Walks a stack with elfutils' libdwfl, from registers and a copy of the stack. It is a hundred
 * times slower than our own walk, and nothing else in prospect relies on it.
 */

enum { ONE_THREAD = 1 }; /* libdwfl needs thread ids; any will do */

/* Loaded only when needed, so a recording does not wait for it. */
#define FUNCTIONS(X)                     \
	X(dwarf_cfi_addrframe)           \
	X(dwfl_addrmodule)               \
	X(dwfl_attach_state)             \
	X(dwfl_begin)                    \
	X(dwfl_end)                      \
	X(dwfl_frame_pc)                 \
	X(dwfl_getthread_frames)         \
	X(dwfl_module_dwarf_cfi)         \
	X(dwfl_module_eh_cfi)            \
	X(dwfl_report_elf)               \
	X(dwfl_report_end)               \
	X(dwfl_thread_state_register_pc) \
	X(dwfl_thread_state_registers)

struct libdwfl {
	FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

/* x86-64: DWARF numbers 0..16. Number 16 is the return address; in the innermost frame, the pc. */
enum { DWFL_WALK_REGISTERS = 17, DWFL_WALK_PC = 16 };

struct dwfl_walk {
	const struct libdwfl *lib; /* borrowed */
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	Dwfl_Thread_Callbacks thread_callbacks;
	bool attached;
	const struct user_stack *user; /* of the current walk */
	uint64_t *addresses;
	size_t count;
};

static int load(struct libdwfl *lib, struct err *err)
{
	static const char *const names[] = { FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };

	return dynamic_library_load("libdw.so.1", names,
				    "libdw.so.1 is not installed: apt install libdw1", lib, err);
}

/* The caller adds every file, so libdwfl need not search. */
static int find_no_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			char **ret_file, Elf **ret_elf)
{
	return -1;
}

/* No separate debug files: the unwind tables are in the file itself. */
static int find_no_debug(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_file)
{
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	if (*thread)
		return 0;
	*thread = context;
	return ONE_THREAD;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_value, void *context)
{
	const struct user_stack *user = ((const struct dwfl_walk *)context)->user;
	uint64_t offset = address - user->stack_address;

	if (address < user->stack_address || user->stack_size < sizeof(*ret_value) ||
	    offset > user->stack_size - sizeof(*ret_value))
		return false;
	memcpy(ret_value, (const char *)user->stack + offset, sizeof(*ret_value));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct dwfl_walk *walk = context;
	const struct unwind_registers *registers = walk->user->registers;
	Dwarf_Word values[DWFL_WALK_REGISTERS];

	for (size_t i = 0; i < DWFL_WALK_REGISTERS; i++)
		values[i] = registers->values[i];
	/* Unwind expressions of linkage tables read the pc by its register number. */
	values[DWFL_WALK_PC] = registers->pc;
	walk->lib->dwfl_thread_state_register_pc(thread, registers->pc);
	return walk->lib->dwfl_thread_state_registers(thread, 0, DWFL_WALK_REGISTERS, values);
}

static void dwfl_walk_free(struct dwfl_walk *walk)
{
	if (!walk)
		return;
	if (walk->dwfl)
		walk->lib->dwfl_end(walk->dwfl);
	free(walk);
}
DEFINE_CLEANUP(struct dwfl_walk *, dwfl_walk_free);

/* A process without mappings; NULL: libdwfl has no memory for it. */
static struct dwfl_walk *dwfl_walk_new(const struct libdwfl *lib)
{
	_cleanup_(dwfl_walk_freep) struct dwfl_walk *walk = xcalloc(1, sizeof(*walk));

	walk->lib = lib;
	walk->callbacks =
		(Dwfl_Callbacks){ .find_elf = find_no_file, .find_debuginfo = find_no_debug };
	walk->thread_callbacks = (Dwfl_Thread_Callbacks){ .next_thread = next_thread,
							  .memory_read = read_memory,
							  .set_initial_registers = set_registers };
	walk->dwfl = lib->dwfl_begin(&walk->callbacks);
	return walk->dwfl ? steal_ptr(walk) : NULL;
}

/* Adds a mapped ELF file: an address in memory is @bias above that in the file. @fd and @name (any
 * unique text) are borrowed for the call. A file that libdwfl cannot use is skipped. */
static void dwfl_walk_add(struct dwfl_walk *walk, const char *name, int fd, uint64_t bias)
{
	int own = dup(fd);

	/* On success libdwfl owns the descriptor. */
	if (own >= 0 && !walk->lib->dwfl_report_elf(walk->dwfl, name, name, own, bias, true))
		close(own);
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct dwfl_walk *walk = context;
	Dwarf_Addr pc;

	if (walk->count == STACK_MAX_USER || !walk->lib->dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
		return DWARF_CB_ABORT;
	walk->addresses[walk->count++] = pc;
	return DWARF_CB_OK;
}

static bool attach(struct dwfl_walk *walk)
{
	if (walk->attached)
		return true;
	if (walk->lib->dwfl_report_end(walk->dwfl, NULL, NULL) < 0)
		return false;
	walk->attached = walk->lib->dwfl_attach_state(walk->dwfl, NULL, ONE_THREAD,
						      &walk->thread_callbacks, walk);
	return walk->attached;
}

/* Writes the program counters of at most STACK_MAX_USER frames, innermost first, and returns their
 * number. */
static size_t dwfl_walk_run(struct dwfl_walk *walk, const struct user_stack *user,
			    uint64_t *addresses)
{
	walk->user = user;
	walk->addresses = addresses;
	walk->count = 0;
	if (attach(walk))
		(void)walk->lib->dwfl_getthread_frames(walk->dwfl, ONE_THREAD, take_frame, walk);
	walk->user = NULL;
	return walk->count;
}

static bool describes(const struct libdwfl *lib, Dwarf_CFI *table, Dwarf_Addr address)
{
	Dwarf_Frame *frame = NULL;
	bool described = table && lib->dwarf_cfi_addrframe(table, address, &frame) == 0;

	free(frame);
	return described;
}

/* True if libdwfl has an unwind table for @address. Without one it takes rbp for a frame pointer,
 * which most code does not keep. */
static bool dwfl_walk_describes(const struct dwfl_walk *walk, uint64_t address)
{
	const struct libdwfl *lib = walk->lib;
	Dwfl_Module *module = lib->dwfl_addrmodule(walk->dwfl, address);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *table;

	if (!module)
		return false;
	table = lib->dwfl_module_eh_cfi(module, &bias);
	if (describes(lib, table, address - bias))
		return true;
	table = lib->dwfl_module_dwarf_cfi(module, &bias);
	return describes(lib, table, address - bias);
}

/* ---- the comparison ---- */

enum { MAX_PROCESSES = 64 }; /* open for libdwfl at a time: each keeps its files open */

/* A process, and its modules as libdwfl has them. */
struct checked_process {
	uint32_t process; /* its row; 0: none */
	uint64_t changed; /* machine_space.changed at that time */
	struct dwfl_walk *walk;
};

struct stack_check {
	struct libdwfl lib;
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
		dwfl_walk_add(walk, name, fd, code.bias);
	if (is_vdso && fd >= 0)
		close(fd);
}

static struct dwfl_walk *prepare(const struct libdwfl *lib, const struct machine_space *space,
				 struct image_codes *codes, struct image_files *files,
				 const struct profile *profile)
{
	struct dwfl_walk *walk = dwfl_walk_new(lib);

	for (size_t i = 0; walk && i < address_space_count(space->mappings); i++) {
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
					  prepare(&check->lib, space, codes, files, profile) };
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
	text_escape(text, profile_text(profile, profile->images.items[mapping.image].path), "");
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
		theirs = dwfl_walk_run(walk, user, check->addresses);
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
	int fd, rc = load(&check->lib, err);

	if (rc < 0)
		return rc;
	fd = mkstemp(path);
	if (fd < 0)
		return err_set(err, -errno,
			       "cannot create a temporary profile in /tmp: %m: make room there, or "
			       "make it writable");
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

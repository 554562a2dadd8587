/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_table.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/frame_sections.h"
#include "elf/go_table.h"
#include "elf/symbol_index.h"
#include "unwind/code_rows.h"
#include "unwind/frame_program.h"
#include "unwind/frame_rules.h"
#include "unwind/row_builder.h"
#include "unwind/row_file.h"
#include "unwind/special_code.h"

enum {
	/* Linkers and compilers align functions to this. The padding takes the rule before it
	 * instead of two rows of its own. No function fits into it. */
	CODE_ALIGNMENT = 16,
	MAX_DESCRIPTIONS = 1 << 24,
	BETWEEN_PAUSES = 1024,	/* in descriptions; about half a millisecond */
	MAX_SWITCH_CODE = 4096, /* of a function that changes stacks; real ones have 300 bytes */
	MAX_INJECTED = 16,	/* a Go program has three; each description is compared with all */
};

/* A frame description to compile. */
struct block {
	uint32_t start, size; /* from the compilation's origin */
	uint32_t offset;      /* in its section; of STACK_SWITCH: enum special_switch; of a
				 trampoline: its number */
	int32_t source;	      /* enum frame_source, or a value below */
};

/* A description of the scheduler has precedence over the mark that it has none. */
enum { SCHEDULER = -1, NO_DESCRIPTION = FRAME_SOURCES, STACK_SWITCH, SIGNAL_TRAMPOLINE };

/* Code that Go's compiler and assembler made, from the compilation's origin. */
struct go_code {
	uint32_t start, end;
	bool tells_assembly;	/* the table says which functions are assembly */
	VEC(uint32_t) assembly; /* their starts, ascending */
	uint32_t scheduler;	/* start of runtime.schedule; 0: none */
	struct special_go_path path;
};

struct compilation {
	const struct elf_file *file;
	const struct pause *pause;
	const struct frame_machine *machine;
	uint64_t origin;			       /* the page of the lowest code */
	struct frame_sections *sources[FRAME_SOURCES]; /* NULL: the file has none */
	VEC(struct block) blocks;
	VEC(uint32_t) injected; /* starts of functions that signal handlers make others call */
	struct go_code go;
	struct special_trampoline trampolines[SPECIAL_CODE_TRAMPOLINES];
	struct code_rows *code; /* of what has no description */
	struct row_builder builder;
	uint8_t flags; /* UNWIND_RULE_, of the current description */
	uint8_t link;  /* enum unwind_saved: how its function saves rbp, if it has a frame; 0: as
			  described */
	uint32_t unreadable;
};

/* Ignores descriptions of dropped functions, which linkers leave at address 0. */
static void add_block(struct compilation *compilation, uint64_t start, uint64_t size,
		      uint64_t offset, int32_t source)
{
	const struct elf_section *code = elf_file_code_section(compilation->file, start);
	uint64_t distance = start - compilation->origin;

	if (size == 0)
		return;
	if (!code || size > code->size - (start - code->address) || distance > UINT32_MAX ||
	    size > UINT32_MAX - distance || compilation->blocks.count == MAX_DESCRIPTIONS) {
		compilation->unreadable++;
		return;
	}
	*vec_push(&compilation->blocks) = (struct block){ .start = (uint32_t)distance,
							  .size = (uint32_t)size,
							  .offset = (uint32_t)offset,
							  .source = source };
}

static int read_source(struct compilation *compilation, enum frame_source source, struct err *err)
{
	struct frame_fde fde;
	int rc = frame_sections_open(compilation->file, source, &compilation->sources[source], err);

	if (rc < 0)
		return rc == -ENODATA ? 0 : rc;
	while (frame_sections_next(compilation->sources[source], &fde)) {
		if (compilation->blocks.count % BETWEEN_PAUSES == 0)
			pause_take(compilation->pause);
		add_block(compilation, fde.start, fde.size, fde.offset, source);
	}
	compilation->unreadable += frame_sections_unreadable(compilation->sources[source]);
	return 0;
}

/* The last of several at one address is used, so .eh_frame has precedence over .debug_frame. */
DEFINE_ORDER(by_start, struct block,
	     COMPARE(a->start, b->start) ?: COMPARE(a->source, b->source) ?:
	     COMPARE(a->offset, b->offset))

/* Skips the sort if they are in order, as linkers mostly write them. */
static void sort_blocks(struct compilation *compilation)
{
	const struct block *blocks = compilation->blocks.items;

	for (size_t i = 1; i < compilation->blocks.count; i++) {
		if (by_start(&blocks[i - 1], &blocks[i]) > 0) {
			qsort(compilation->blocks.items, compilation->blocks.count,
			      sizeof(struct block), by_start);
			return;
		}
	}
}

/* Go's descriptions do not mention rbp, which its functions save next to the return address. */
static void add_link(const struct compilation *compilation, struct unwind_rule *rule)
{
	enum { WORD = 8 };

	if (!compilation->link || rule->cfa != UNWIND_CFA_SP || rule->cfa_offset < 2 * WORD ||
	    rule->ra != UNWIND_SAVED_CFA || rule->ra_offset != -WORD ||
	    rule->fp != UNWIND_SAVED_SAME)
		return;
	rule->fp = compilation->link;
	rule->fp_offset = -2 * WORD;
}

static void add_row(void *context, uint64_t address, const struct frame_rules *rules)
{
	struct compilation *compilation = context;
	struct unwind_rule rule = frame_rules_pack(rules, compilation->machine, compilation->flags);

	add_link(compilation, &rule);
	row_builder_add(&compilation->builder, address, &rule);
}

static void add_rule(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct compilation *compilation = context;

	row_builder_add(&compilation->builder, address, rule);
}

static void add_scheduler_rule(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct unwind_rule marked = *rule;

	marked.flags |= UNWIND_RULE_SCHEDULER;
	add_rule(context, address, &marked);
}

static bool read_code(const struct compilation *compilation, uint64_t start, uint64_t size,
		      uint8_t code[MAX_SWITCH_CODE])
{
	const struct elf_section *section = elf_file_code_section(compilation->file, start);

	return elf_file_read_at(compilation->file, section->offset + (start - section->address),
				code, size, NULL) == 0;
}

static void compile_switch(struct compilation *compilation, const struct block *block, uint64_t end)
{
	uint64_t start = compilation->origin + block->start;
	uint8_t code[MAX_SWITCH_CODE];
	struct special_function function = { .machine = compilation->machine->machine,
					     .kind = block->offset,
					     .path = &compilation->go.path,
					     .address = start,
					     .code = code,
					     .size = end - start };

	if (read_code(compilation, start, end - start, code))
		special_code_switch(&function, add_rule, compilation);
	else
		compilation->unreadable++;
}

static bool is_injected(const struct compilation *compilation, uint32_t start)
{
	for (size_t i = 0; i < compilation->injected.count; i++) {
		if (compilation->injected.items[i] == start)
			return true;
	}
	return false;
}

DEFINE_ORDER(by_address, uint32_t, COMPARE(*a, *b))

static bool is_assembly(const struct go_code *go, uint32_t start)
{
	return !go->tells_assembly ||
	       (go->assembly.count > 0 &&
		bsearch(&start, go->assembly.items, go->assembly.count, sizeof(start), by_address));
}

static uint8_t link_of(const struct compilation *compilation, uint32_t start)
{
	const struct go_code *go = &compilation->go;

	if (compilation->machine->machine != EM_X86_64 || start < go->start || start >= go->end)
		return 0;
	return is_assembly(go, start) ? UNWIND_SAVED_MAYBE_LINK : UNWIND_SAVED_LINK;
}

static uint8_t flags_of(const struct compilation *compilation, const struct block *block,
			const struct frame_fde *fde)
{
	bool scheduler = compilation->go.scheduler && block->start == compilation->go.scheduler;

	return (fde->cie.signal ? UNWIND_RULE_SIGNAL : 0) |
	       (is_injected(compilation, block->start) ? UNWIND_RULE_INJECTED : 0) |
	       (scheduler ? UNWIND_RULE_SCHEDULER : 0);
}

/* The handler's return address is looked up by the byte before it. */
static void compile_trampoline(struct compilation *compilation,
			       const struct special_trampoline *trampoline)
{
	struct unwind_rule rule = special_code_signal_rule(compilation->machine->machine);
	struct unwind_rule after_return = rule;

	after_return.flags |= UNWIND_RULE_AFTER_RETURN;
	if (trampoline->before == SPECIAL_BEFORE_CALL)
		row_builder_end(&compilation->builder, trampoline->start - 1);
	else
		row_builder_add(&compilation->builder, trampoline->start - 1,
				trampoline->before == SPECIAL_BEFORE_RETURN ? &after_return
									    : &rule);
	row_builder_add(&compilation->builder, trampoline->start, &rule);
}

static void compile_block(struct compilation *compilation, const struct block *block, uint64_t end)
{
	struct frame_sections *sections;
	struct frame_fde fde;

	if (block->source == STACK_SWITCH) {
		compile_switch(compilation, block, end);
		return;
	}
	if (block->source == SCHEDULER) {
		const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };
		uint64_t start = compilation->origin + block->start;

		if (compilation->code)
			code_rows_tell(compilation->code, start, end, add_scheduler_rule,
				       compilation);
		else
			add_scheduler_rule(compilation, start, &none);
		return;
	}
	if (block->source == SIGNAL_TRAMPOLINE) {
		compile_trampoline(compilation, &compilation->trampolines[block->offset]);
		return;
	}
	if (block->source == NO_DESCRIPTION) {
		code_rows_tell(compilation->code, compilation->origin + block->start, end, add_rule,
			       compilation);
		return;
	}
	sections = compilation->sources[block->source];
	if (!frame_sections_at(sections, block->offset, &fde))
		return;
	compilation->flags = flags_of(compilation, block, &fde);
	compilation->link = link_of(compilation, block->start);
	if (!frame_program_run(sections, &fde, compilation->machine, end, add_row, compilation))
		compilation->unreadable++;
}

/* True if only padding is between two functions. */
static bool is_padding(uint64_t end, uint64_t next)
{
	return next - end < CODE_ALIGNMENT && next % CODE_ALIGNMENT == 0;
}

/* A description is in force until the next one begins, as in the table that is searched at run
 * time. */
static void compile_blocks(struct compilation *compilation)
{
	for (size_t i = 0; i < compilation->blocks.count; i++) {
		struct block *block = &compilation->blocks.items[i];
		uint64_t end = compilation->origin + block->start + block->size;
		uint64_t next = UINT64_MAX;

		if (i % BETWEEN_PAUSES == 0)
			pause_take(compilation->pause);
		if (i + 1 < compilation->blocks.count)
			next = compilation->origin + block[1].start;
		if (next == compilation->origin + block->start) {
			/* sizes in Go's table include the padding after a function */
			if (block[1].source == STACK_SWITCH && block->size < block[1].size)
				block[1].size = block->size;
			continue;
		}
		compile_block(compilation, block, next < end ? next : end);
		if (end < next && !is_padding(end, next))
			row_builder_end(&compilation->builder, end);
	}
	row_builder_finish(&compilation->builder);
}

static enum special_switch kind_of_switch(struct go_table *table,
					  const struct go_function *function)
{
	enum special_switch kind;
	const char *name;

	for (size_t i = 0; (name = special_code_switch_name(i, &kind)); i++) {
		if (go_table_is_named(table, function, name))
			return kind;
	}
	return SPECIAL_SWITCH_OTHER;
}

/* Functions that change stacks: their frame descriptions are wrong while they run. If one marks the
 * outermost frame, that part is right, and the description is kept. But no description says so of
 * the function that a thread starts with. */
static void find_switch(struct compilation *compilation, struct go_table *table,
			const struct go_function *function)
{
	const uint8_t either = GO_FUNCTION_WRITES_SP | GO_FUNCTION_OUTERMOST;
	uint64_t size = function->end - function->start;
	uint8_t code[MAX_SWITCH_CODE];
	enum special_switch kind;

	if (!(function->flags & either) || size > MAX_SWITCH_CODE)
		return;
	kind = kind_of_switch(table, function);
	if (function->flags & GO_FUNCTION_OUTERMOST && kind != SPECIAL_SWITCH_START)
		return;
	if (kind == SPECIAL_SWITCH_SYSTEM_STACK &&
	    read_code(compilation, function->start, size, code))
		special_code_go_path(code, size, &compilation->go.path);
	add_block(compilation, function->start, size, kind, STACK_SWITCH);
}

/* Notes where Go's code is, and what is assembly. Functions are in ascending order. */
static void find_go_code(struct compilation *compilation, struct go_table *table,
			 const struct go_function *function)
{
	struct go_code *go = &compilation->go;
	uint64_t start = function->start - compilation->origin;
	uint64_t end = function->end - compilation->origin;

	if (start > UINT32_MAX || end > UINT32_MAX)
		return;
	if (go->end == 0)
		go->start = (uint32_t)start;
	go->end = (uint32_t)end;
	if (function->flags & GO_FUNCTION_ASSEMBLY) {
		go->tells_assembly = true;
		*vec_push(&go->assembly) = (uint32_t)start;
	} else if (!go->scheduler && go_table_is_named(table, function, "runtime.schedule")) {
		go->scheduler = (uint32_t)start;
		add_block(compilation, function->start, end - start, 0, SCHEDULER);
	}
}

/* The runtime preempts goroutines, and raises panics, by a call that a signal handler adds to the
 * interrupted code (go:src/runtime/traceback.go, injectedCall; signal_arm64.go, pushCall). */
static void find_injected(struct compilation *compilation, struct go_table *table,
			  const struct go_function *function)
{
	static const char *const names[] = { "runtime.asyncPreempt", "runtime.sigpanic",
					     "runtime.debugCallV1", "runtime.debugCallV2" };
	uint64_t distance = function->start - compilation->origin;

	if (!function->special || distance > UINT32_MAX ||
	    compilation->injected.count == MAX_INJECTED)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (go_table_is_named(table, function, names[i])) {
			*vec_push(&compilation->injected) = (uint32_t)distance;
			return;
		}
	}
}

static void find_special(struct compilation *compilation)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(compilation->file);
	struct go_function function;

	for (uint64_t i = 0; table && i < go_table_count(table); i++) {
		if (i % BETWEEN_PAUSES == 0)
			pause_take(compilation->pause);
		if (!go_table_function(table, i, &function))
			return;
		find_go_code(compilation, table, &function);
		find_switch(compilation, table, &function);
		find_injected(compilation, table, &function);
	}
}

/* ---- code without descriptions ---- */

/* True for a trampoline whose description says what it is, as the C library's does. */
static bool is_described(const struct compilation *compilation, uint64_t address)
{
	for (size_t i = 0; i < compilation->blocks.count; i++) {
		const struct block *block = &compilation->blocks.items[i];
		struct frame_fde fde;

		if (block->source < FRAME_SOURCES &&
		    address - compilation->origin - block->start < block->size &&
		    frame_sections_at(compilation->sources[block->source], block->offset, &fde) &&
		    fde.cie.signal)
			return true;
	}
	return false;
}

/* Drops descriptions that begin in a trampoline. */
static void drop_descriptions(struct compilation *compilation,
			      const struct special_trampoline *trampoline)
{
	size_t kept = 0;

	for (size_t i = 0; i < compilation->blocks.count; i++) {
		struct block block = compilation->blocks.items[i];

		if (compilation->origin + block.start < trampoline->start ||
		    compilation->origin + block.start >= trampoline->end)
			compilation->blocks.items[kept++] = block;
	}
	compilation->blocks.count = kept;
}

static size_t find_trampolines(struct compilation *compilation)
{
	struct special_trampoline *found = compilation->trampolines;
	size_t all = special_code_trampolines(compilation->file, found), count = 0;

	for (size_t i = 0; i < all; i++) {
		if (found[i].start == compilation->origin ||
		    is_described(compilation, found[i].start))
			continue;
		drop_descriptions(compilation, &found[i]);
		found[count++] = found[i];
	}
	return count;
}

static void push_block(struct compilation *compilation, uint64_t start, uint64_t end,
		       uint32_t offset, uint32_t source)
{
	*vec_push(&compilation->blocks) =
		(struct block){ .start = (uint32_t)(start - compilation->origin),
				.size = (uint32_t)(end - start),
				.offset = offset,
				.source = source };
}

/* Adds a trampoline; what has no description goes on after it. */
static void add_trampoline(struct compilation *compilation, uint32_t number)
{
	const struct special_trampoline *trampoline = &compilation->trampolines[number];

	for (size_t i = 0; i < compilation->blocks.count; i++) {
		const struct block *block = &compilation->blocks.items[i];
		uint64_t start = compilation->origin + block->start, end = start + block->size;

		if (block->source != NO_DESCRIPTION || trampoline->start < start ||
		    trampoline->end >= end)
			continue;
		push_block(compilation, trampoline->end, end, 0, NO_DESCRIPTION);
		break;
	}
	drop_descriptions(compilation, trampoline); /* what goes on after another one, too */
	push_block(compilation, trampoline->start - 1, trampoline->end, number, SIGNAL_TRAMPOLINE);
}

/* Adds code that gets rows from its instructions. False: it cannot be. */
static bool add_code(struct compilation *compilation, const struct elf_section *section,
		     uint64_t start, uint64_t end)
{
	uint64_t size = end - start;
	uint8_t *bytes;

	if (start >= end || is_padding(start, end) || size > CODE_ROWS_MAX_BYTES ||
	    end > section->address + section->size || end - compilation->origin > UINT32_MAX)
		return false;
	bytes = xmalloc(size);
	if (elf_file_read_at(compilation->file, section->offset + (start - section->address), bytes,
			     size, NULL) < 0) {
		free(bytes);
		return false;
	}
	code_rows_add(compilation->code, start, bytes, size);
	return true;
}

static void add_gap(struct compilation *compilation, const struct elf_section *section,
		    uint64_t start, uint64_t end)
{
	if (add_code(compilation, section, start, end))
		push_block(compilation, start, end, 0, NO_DESCRIPTION);
}

/* Finds what lies between the descriptions, which are in order. */
static void find_gaps(struct compilation *compilation)
{
	size_t described = compilation->blocks.count, next = 0;
	const struct elf_section *section;

	for (size_t i = 0; (section = elf_file_code(compilation->file, i)); i++) {
		uint64_t at = section->address, end = section->address + section->size;

		for (; next < described; next++) {
			struct block block = compilation->blocks.items[next];
			uint64_t start = compilation->origin + block.start;

			if (start >= end)
				break;
			add_gap(compilation, section, at, start);
			if (block.source == SCHEDULER && start >= at)
				add_code(compilation, section, start, start + block.size);
			if (start + block.size > at)
				at = start + block.size;
		}
		add_gap(compilation, section, at, end);
	}
}

/* Cold parts of functions have symbols too, but are jumped to. */
static void find_symbols(struct compilation *compilation)
{
	struct symbol_index index = { 0 };

	symbol_index_read(&index, compilation->file);
	for (size_t i = 0; i < index.list.count; i++) {
		const struct symbol_entry *entry = &index.list.items[i];

		if (!strstr(symbol_index_name(&index, entry->name), ".cold"))
			code_rows_add_start(compilation->code, entry->start, CODE_ROWS_FUNCTION);
	}
	symbol_index_done(&index);
}

/* The handler of signals is outermost for Go's own walk alone. */
static enum code_rows_start start_of(struct go_table *table, const struct go_function *function)
{
	return function->flags & GO_FUNCTION_OUTERMOST &&
			       !go_table_is_named(table, function, "runtime.sigtramp")
		       ? CODE_ROWS_OUTERMOST
		       : CODE_ROWS_FUNCTION;
}

static void find_starts(struct compilation *compilation)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(compilation->file);
	struct go_function function;

	code_rows_add_start(compilation->code, elf_file_entry(compilation->file),
			    CODE_ROWS_OUTERMOST);
	for (uint64_t i = 0; table && i < go_table_count(table); i++) {
		if (!go_table_function(table, i, &function))
			break;
		code_rows_add_start(compilation->code, function.start, start_of(table, &function));
	}
	if (!table)
		find_symbols(compilation);
}

static size_t read_data(void *context, uint64_t address, void *bytes, size_t size)
{
	const struct compilation *compilation = context;
	const struct elf_segments *segments = elf_file_segments(compilation->file);

	for (size_t i = 0; i < segments->list.count; i++) {
		const struct elf_segment *segment = &segments->list.items[i];
		uint64_t at = address - segment->address;

		if (address < segment->address || at >= segment->size)
			continue;
		size = segment->size - at < size ? segment->size - at : size;
		return elf_file_read_at(compilation->file, segment->offset + at, bytes, size,
					NULL) < 0
			       ? 0
			       : size;
	}
	return 0;
}

static void find_undescribed(struct compilation *compilation)
{
	size_t trampolines = find_trampolines(compilation);

	sort_blocks(compilation);
	if (compilation->machine->machine == EM_X86_64) {
		compilation->code = code_rows_new();
		code_rows_set_data(compilation->code, read_data, compilation);
		find_gaps(compilation);
		find_starts(compilation);
		code_rows_run(compilation->code, compilation->pause);
	}
	for (size_t i = 0; i < trampolines; i++)
		add_trampoline(compilation, (uint32_t)i);
	sort_blocks(compilation);
}

static int compile(struct compilation *compilation, struct row_table **ret_table, struct err *err)
{
	uint64_t first;

	for (int source = 0; source < FRAME_SOURCES; source++) {
		int rc = read_source(compilation, source, err);

		if (rc < 0)
			return rc;
	}
	find_special(compilation);
	find_undescribed(compilation);
	if (compilation->blocks.count == 0)
		return err_set(err, -ENODATA, "the file has no frame descriptions");
	first = compilation->origin + compilation->blocks.items[0].start;
	row_builder_init(&compilation->builder, first & ~(((uint64_t)1 << UNWIND_PAGE_BITS) - 1));
	compile_blocks(compilation);
	if (compilation->builder.rows.count == 0)
		return err_set(err, -ENODATA,
			       "the frame descriptions of the file are invalid or unsupported");
	if (compilation->builder.full)
		return err_set(err, -EFBIG, "the file has too many unwind rows, rules or pages");
	*ret_table = row_file_make(&compilation->builder, compilation->machine->machine,
				   compilation->unreadable);
	return 0;
}

static void compilation_done(struct compilation *compilation)
{
	for (int source = 0; source < FRAME_SOURCES; source++)
		frame_sections_free(compilation->sources[source]);
	vec_free(&compilation->blocks);
	vec_free(&compilation->injected);
	vec_free(&compilation->go.assembly);
	code_rows_free(compilation->code);
	row_builder_done(&compilation->builder);
}

int row_table_compile(const struct elf_file *file, const struct pause *pause,
		      struct row_table **ret_table, struct err *err)
{
	struct compilation compilation = { .file = file, .pause = pause };
	const struct elf_section *code = elf_file_code(file, 0);
	int rc;

	compilation.machine = frame_rules_machine(elf_file_machine(file));
	if (!compilation.machine || !elf_file_is_64(file))
		return err_set(err, -ENOTSUP, "unwind rows can be made only for x86-64 and arm64");
	if (!code)
		return err_set(err, -ENODATA, "the file has no code");
	compilation.origin = code->address & ~(((uint64_t)1 << UNWIND_PAGE_BITS) - 1);
	rc = compile(&compilation, ret_table, err);
	compilation_done(&compilation);
	return rc;
}

void row_table_free(struct row_table *table)
{
	if (!table)
		return;
	row_file_release(table);
	free(table);
}

void row_table_rest(const struct row_table *table)
{
	if (table->owned == ROW_FILE_MAPPED)
		(void)madvise(table->bytes, table->size, MADV_DONTNEED);
}

const struct unwind_table *row_table_rows(const struct row_table *table)
{
	return &table->rows;
}

uint32_t row_table_unreadable(const struct row_table *table)
{
	return table->unreadable;
}

/* The last row of the page at or before an offset. */
static uint32_t row_in_force(const struct unwind_table *table, uint32_t page, uint32_t offset)
{
	uint32_t low = table->pages[page], high = table->pages[page + 1];

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (UNWIND_ROW_OFFSET(table->rows[middle]) <= offset)
			low = middle;
		else
			high = middle;
	}
	return table->rows[low];
}

const struct unwind_rule *row_table_find(const struct unwind_table *table, uint64_t address)
{
	uint64_t page = (address - table->base) >> UNWIND_PAGE_BITS;
	uint32_t offset = address & ((1 << UNWIND_PAGE_BITS) - 1);
	const struct unwind_rule *rule;

	if (address < table->base || page >= table->page_count)
		return NULL;
	rule = &table->rules[UNWIND_ROW_RULE(row_in_force(table, (uint32_t)page, offset))];
	return rule->cfa == UNWIND_CFA_NONE ? NULL : rule;
}

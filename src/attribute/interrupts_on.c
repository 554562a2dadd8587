/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86 (Intel's manual, volume 2, STI and POPF): interrupts are recognised after the instruction that
 * follows STI, and right after POPF. So the sample stands
 *   after "sti" and one more instruction, e.g. the no-operation that fills a patched call
 *   after "popf"
 *   after a call of a function that is nothing but "sti; ret"
 * arm64: right after a write to DAIF or DAIFClr, or to the priority mask (ICC_PMR_EL1) and a barrier.
 *
 * x86 instructions have no boundaries of their own: they are decoded from the function's start. Few
 * places are, because most have none of these bytes before them.
 */
#include "attribute/interrupts_on.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/reader.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "place/kernel/kernel_symbols.h"
#include "place/kernel/kernel_text.h"

enum {
	LONGEST_INSTRUCTION = 15, /* of x86 */
	BEFORE = LONGEST_INSTRUCTION + 1,
	CALL_BYTES = 5,		 /* opcode 0xe8 and a distance */
	FUNCTION_MOST = 1 << 16, /* bytes to decode */
};

enum answer { UNKNOWN, NO, YES };

struct interrupts_on {
	const struct frames *frames;
	struct kernel_bytes bytes;
	struct kernel_text *text; /* for bytes.read == NULL */
	bool opened;		  /* tried to open it */
	struct disassembler *disassembler;
	VEC(uint8_t) answers; /* enum answer, by frame */
};

struct interrupts_on *interrupts_on_new(const struct frames *frames,
					const struct kernel_bytes *bytes)
{
	const struct disassembler_options options = { 0 };
	struct interrupts_on *on = xcalloc(1, sizeof(*on));

	on->frames = frames;
	on->bytes = *bytes;
	on->disassembler = disassembler_new(&options);
	return on;
}

void interrupts_on_free(struct interrupts_on *on)
{
	if (!on)
		return;
	kernel_text_free(on->text);
	disassembler_free(on->disassembler);
	vec_free(&on->answers);
	free(on);
}

bool interrupts_on_delay(enum clock_kind clock)
{
	return clock == CLOCK_TIMER || clock == CLOCK_PMU_IRQ;
}

/* ---- the code ---- */

static bool read_code(struct interrupts_on *on, uint64_t address, void *bytes, size_t size)
{
	struct err err;

	if (on->bytes.read)
		return on->bytes.read(on->bytes.context, address, bytes, size) == 0;
	if (!on->opened)
		(void)kernel_text_open(&on->text, &err);
	on->opened = true;
	return on->text && kernel_text_read(on->text, address, bytes, size, &err) == 0;
}

static bool arm64_enables(const uint8_t *before)
{
	struct reader reader = reader_make(before + BEFORE - 8, 8);
	uint32_t last_but_one = reader_u32(&reader), last = reader_u32(&reader);

	/* msr daifclr, #imm with the bit of interrupts; msr daif, xN */
	if ((last & 0xfffff2ff) == 0xd50342ff || (last & 0xffffffe0) == 0xd51b4220)
		return true;
	/* msr icc_pmr_el1, xN; dsb or isb */
	return (last & 0xfffff01f) == 0xd503301f && (last_but_one & 0xffffffe0) == 0xd5184600;
}

/* Whether decoding may find something. */
static bool x86_may_enable(const uint8_t *before)
{
	return memchr(before, 0xfb, BEFORE - 1) || before[BEFORE - 1] == 0x9d ||
	       before[BEFORE - CALL_BYTES] == 0xe8;
}

/* The last two instructions before a place. */
struct decoded {
	struct {
		char text[8];
		uint32_t length;
	} last[2]; /* the last one first */
	uint64_t end;
};

static bool decode(void *context, const struct code_line *line)
{
	struct decoded *decoded = context;
	size_t length = strlen(line->text), most = sizeof(decoded->last[0].text) - 1;

	decoded->last[1] = decoded->last[0];
	memset(&decoded->last[0], 0, sizeof(decoded->last[0]));
	memcpy(decoded->last[0].text, line->text, length < most ? length : most);
	decoded->last[0].length = line->length;
	decoded->end = line->address + line->length;
	return true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True if a function only enables interrupts: maybe "endbr64", then "sti" and "ret". */
static bool only_enables(struct interrupts_on *on, uint64_t address)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[8];
	const uint8_t *at = code;

	if (!read_code(on, address, code, sizeof(code)))
		return false;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at += sizeof(endbr64);
	return at[0] == 0xfb && at[1] == 0xc3;
}

static uint64_t call_target(const uint8_t *before, uint64_t address)
{
	struct reader reader = reader_make(before + BEFORE - CALL_BYTES + 1, 4);

	return address + (uint64_t)(int64_t)(int32_t)reader_u32(&reader);
}

/* UNKNOWN: it cannot be decoded. */
static enum answer x86_enables(struct interrupts_on *on, const uint8_t *before, uint64_t start,
			       uint64_t address)
{
	size_t size = address - start;
	_cleanup_free_ uint8_t *bytes = xmalloc(size);
	struct disassembler_bytes code = {
		.machine = code_machine_host(), .bytes = bytes, .size = size, .start = start
	};
	struct decoded decoded = { 0 };

	if (!read_code(on, start, bytes, size) ||
	    disassembler_bytes(on->disassembler, &code, decode, &decoded, NULL) < 0)
		return UNKNOWN;
	if (decoded.end != address)
		return NO;
	if (begins(decoded.last[0].text, "popf") || begins(decoded.last[1].text, "sti"))
		return YES;
	return begins(decoded.last[0].text, "call") && decoded.last[0].length == CALL_BYTES &&
			       only_enables(on, call_target(before, address))
		       ? YES
		       : NO;
}

/* ---- the place ---- */

/* By the instructions before the place. UNKNOWN: they cannot be read. */
static enum answer by_code(struct interrupts_on *on, const struct frame *frame, uint64_t address)
{
	uint8_t before[BEFORE];
	struct symbol symbol;
	uint64_t inside;

	if (!read_code(on, address - BEFORE, before, BEFORE))
		return UNKNOWN;
	if (code_machine_host().machine == EM_AARCH64)
		return arm64_enables(before) ? YES : NO;
	if (!x86_may_enable(before))
		return NO;
	kernel_symbols_lookup(on->frames->kernel, frame->image, frame->offset, &symbol);
	inside = frame->offset - symbol.start;
	if (symbol.kind != SYMBOL_NAMED || !inside || inside > FUNCTION_MOST)
		return NO;
	return x86_enables(on, before, address - inside, address);
}

static enum answer answer(struct interrupts_on *on, const struct frame *frame)
{
	const struct kernel_symbols *kernel = on->frames->kernel;
	enum kernel_mark mark;
	enum answer answer;
	uint64_t address;

	if (!kernel_symbols_address(kernel, frame->image, frame->offset, &address) ||
	    address < BEFORE)
		return NO;
	mark = kernel_symbols_mark(kernel, address);
	if (mark == KERNEL_MARK_ENABLES)
		return YES;
	answer = by_code(on, frame, address);
	if (answer == UNKNOWN)
		return mark == KERNEL_MARK_UNLOCKS ? YES : NO;
	/* The code may have been of a module that was loaded there since. */
	return answer == YES && kernel_symbols_in_memory(kernel, frame->image) ? YES : NO;
}

static bool enables(struct interrupts_on *on, uint32_t frame)
{
	uint8_t *known;

	while (on->answers.count <= frame)
		*vec_push(&on->answers) = UNKNOWN;
	known = &on->answers.items[frame];
	if (*known == UNKNOWN)
		*known = (uint8_t)answer(on, &on->frames->profile->frames.items[frame]);
	return *known == YES;
}

uint32_t interrupts_on_stack(struct interrupts_on *on, uint32_t stack)
{
	struct profile *profile = on->frames->profile;
	struct stack_node node = profile->stacks.items[stack];
	struct frame frame = profile->frames.items[node.frame];

	if (!on->frames->kernel || !stack || frame.kind != FRAME_EXACT ||
	    !image_kind_is_kernel(profile->images.items[frame.image].kind) ||
	    !enables(on, node.frame))
		return stack;
	frame = (struct frame){ .image = frame.image,
				.offset = frame.offset,
				.address = frame.address,
				.kind = FRAME_ENABLES };
	return profile_stack(profile, node.parent, profile_frame(profile, &frame));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/kept_code.h"

#include <errno.h>

struct naming_context {
	const struct profile *profile;
	const struct symbol *own; /* the function being listed */
};

static bool holds(const struct symbol *symbol, uint64_t address)
{
	return symbol->kind == SYMBOL_NAMED && address - symbol->start < symbol->size;
}

/* A linear search: few functions are listed, and a profile has few. */
static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct naming_context *naming = context;

	const struct symbol *found = holds(naming->own, address) ? naming->own : NULL;

	for (size_t i = 1; !found && i < naming->profile->symbols.count; i++) {
		const struct symbol *symbol = &naming->profile->symbols.items[i];

		if (symbol->image == naming->own->image && holds(symbol, address))
			found = symbol;
	}
	if (!found)
		return false;
	buf_add_str(name, profile_text(naming->profile, found->name));
	*ret_start = found->start;
	return true;
}

struct until {
	uint64_t end;
	code_visit visit;
	void *context;
};

static bool visit_until(void *context, const struct code_line *line)
{
	const struct until *until = context;

	return line->address < until->end && until->visit(until->context, line);
}

int kept_code_list(const struct profile *profile, struct disassembler *disassembler, uint32_t frame,
		   uint64_t end, code_visit visit, void *context, struct err *err)
{
	const struct kept_code *code = profile_code(profile, frame);
	struct until until = { end, visit, context };
	struct naming_context naming = { .profile = profile };
	struct disassembler_bytes bytes = { .name = name_address, .context = &naming };

	if (!code || !code->size || code->address + code->size < code->address)
		return err_set(err, -ESRCH, "its code was not kept");
	naming.own = &profile->symbols.items[profile->frames.items[frame].symbol];
	bytes.machine = (struct code_machine){ (uint16_t)code->machine, code->is_64 };
	bytes.bytes = code->bytes;
	bytes.size = code->size;
	bytes.start = code->address;
	return disassembler_bytes(disassembler, &bytes, visit_until, &until, err);
}

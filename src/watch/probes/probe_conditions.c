/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_conditions.h"

#include <errno.h>

static bool has_instructions(const struct probe_options *options)
{
	for (size_t i = 0; i < options->target_count; i++) {
		if (options->targets[i].instruction)
			return true;
	}
	return false;
}

/* True if no target returns a value. */
static bool has_no_values(const struct probe_options *options)
{
	for (size_t i = 0; i < options->target_count; i++) {
		if (options->targets[i].returns.kind != PROBE_RETURN_NOTHING)
			return false;
	}
	return options->target_count > 0;
}

static int refuse_no_values(const struct probe_options *options, const char *option,
			    const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "%s '%s': %s%s returns no number to test", option, text,
		       options->targets[0].label,
		       options->target_count > 1 ? ", like the other functions," : "");
}

int probe_conditions_parse(const struct probe_options *options,
			   struct probe_conditions *ret_conditions, struct err *err)
{
	const char *text = options->filter.condition;
	struct probe_condition whole = { .count = 0 };
	int rc = text ? probe_condition_parse("--if", text, &whole, err) : 0;

	*ret_conditions = (struct probe_conditions){ .entry = { .count = 0 } };
	if (rc == 0 &&
	    probe_condition_split(&whole, &ret_conditions->entry, &ret_conditions->at_return) < 0)
		rc = err_set(err, -EINVAL,
			     "--if '%s': only && can join arguments and retval: arguments are "
			     "known when a call enters, retval when it returns",
			     text);
	if (rc == 0 && ret_conditions->at_return.count && has_instructions(options))
		rc = err_set(
			err, -EINVAL,
			"--if '%s': retval needs functions; a single instruction does not return",
			text);
	if (rc == 0 && ret_conditions->at_return.count && has_no_values(options))
		rc = refuse_no_values(options, "--if", text, err);
	if (rc == 0 && options->error_if && has_no_values(options))
		rc = refuse_no_values(options, "--error-if", options->error_if, err);
	if (rc == 0 && options->error_if && has_instructions(options))
		rc = err_set(err, -EINVAL,
			     "--error-if '%s': errors need functions; a single instruction does "
			     "not return",
			     options->error_if);
	if (rc == 0 && options->error_if)
		rc = probe_condition_parse("--error-if", options->error_if, &ret_conditions->error,
					   err);
	if (rc == 0 && probe_condition_uses_arguments(&ret_conditions->error))
		rc = err_set(
			err, -EINVAL,
			"--error-if '%s': test retval; arguments are known only when a call enters",
			options->error_if);
	return rc;
}

bool probe_conditions_need_exits(const struct probe_conditions *conditions)
{
	return conditions->at_return.count || conditions->error.count;
}

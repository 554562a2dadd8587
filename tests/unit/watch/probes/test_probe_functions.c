/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the running kernel whose types have been the same for many years. */
#include "watch/probes/probe_functions.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

static void test_what_functions_return(void **state)
{
	static const struct {
		const char *name;
		struct probe_return returns;
	} functions[] = {
		{ "kfree", { PROBE_RETURN_NOTHING, 0 } },	       /* void */
		{ "vfs_read", { PROBE_RETURN_SIGNED, 64 } },	       /* ssize_t */
		{ "vfs_statfs", { PROBE_RETURN_SIGNED, 32 } },	       /* int */
		{ "fget", { PROBE_RETURN_POINTER, 64 } },	       /* struct file * */
		{ "capable", { PROBE_RETURN_UNSIGNED, 8 } },	       /* bool */
		{ "nr_processes", { PROBE_RETURN_SIGNED, 32 } },       /* int */
		{ "jiffies_to_msecs", { PROBE_RETURN_UNSIGNED, 32 } }, /* unsigned int */
		{ "no_such_function", { PROBE_RETURN_UNKNOWN, 0 } },
	};
	struct probe_functions *types;

	(void)state;
	if (probe_functions_new(&types) < 0) {
		print_message("this kernel describes no types\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct probe_return got = probe_functions_returns(types, NULL, functions[i].name);

		if (got.kind == PROBE_RETURN_UNKNOWN)
			continue; /* the compiler may have put it into its callers */
		assert_int_equal(got.kind, functions[i].returns.kind);
		assert_int_equal(got.bits, functions[i].returns.bits);
	}
	assert_int_equal(probe_functions_returns(types, NULL, "vfs_read").kind,
			 PROBE_RETURN_SIGNED);
	assert_int_equal(probe_functions_returns(types, "no_such_module", "vfs_read").kind,
			 PROBE_RETURN_UNKNOWN);
	probe_functions_free(types);
}

static void add_function(struct btf *types, const char *name, int returns)
{
	int prototype = btf__add_func_proto(types, returns);

	assert_true(prototype > 0);
	assert_true(btf__add_func(types, name, BTF_FUNC_GLOBAL, prototype) > 0);
}

/* An enumeration with one member; of the kinds from Linux 6.1 on, negative members make it signed.
 */
static int add_enumeration(struct btf *types, const char *name, int64_t value, bool told)
{
	int id = btf__add_enum(types, name, 4);
	struct btf_type *type;

	assert_true(id > 0);
	assert_int_equal(btf__add_enum_value(types, name, value), 0);
	type = (struct btf_type *)btf__type_by_id(types, (uint32_t)id);
	type->info &= ~(1U << 31);
	type->info |= (uint32_t)told << 31;
	return id;
}

static enum probe_return_kind kind_of(struct probe_functions *types, const char *module,
				      const char *name)
{
	return probe_functions_returns(types, module, name).kind;
}

/* The kernel reads the members in 32 bits, so that a large one looks negative. */
static void test_enumerations_with_large_members(void **state)
{
	(void)state;
	for (int told = 0; told <= 1; told++) {
		struct btf *kernel = btf__new_empty();
		struct probe_functions *types = probe_functions_of(kernel);

		add_function(kernel, "large", add_enumeration(kernel, "a", -16, false));
		add_function(kernel, "signed", add_enumeration(kernel, "b", -1, told));
		assert_int_equal(kind_of(types, NULL, "large"),
				 told ? PROBE_RETURN_UNSIGNED : PROBE_RETURN_SIGNED);
		assert_int_equal(kind_of(types, NULL, "signed"), PROBE_RETURN_SIGNED);
		probe_functions_free(types);
	}
}

static void test_modules_have_functions_of_their_own(void **state)
{
	struct btf *kernel = btf__new_empty(), *module;
	struct probe_functions *types = probe_functions_of(kernel);
	struct probe_function found;
	int number = btf__add_int(kernel, "int", 4, BTF_INT_SIGNED);

	(void)state;
	add_function(kernel, "both", 0);
	add_function(kernel, "kernels", number);
	module = btf__new_empty_split(kernel);
	add_function(module, "both", number);
	probe_functions_add(types, "module", module);
	assert_int_equal(kind_of(types, NULL, "both"), PROBE_RETURN_NOTHING);
	assert_int_equal(kind_of(types, "module", "both"), PROBE_RETURN_SIGNED);
	assert_int_equal(kind_of(types, NULL, "kernels"), PROBE_RETURN_SIGNED);
	assert_int_equal(kind_of(types, "module", "kernels"), PROBE_RETURN_UNKNOWN);
	assert_int_equal(probe_functions_find(types, "module", "kernels", &found), -ENOENT);
	probe_functions_free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_functions_return),
		cmocka_unit_test(test_enumerations_with_large_members),
		cmocka_unit_test(test_modules_have_functions_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/capability.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool get_sets(unsigned number, struct __user_cap_data_struct *sets)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return number < 32 * _LINUX_CAPABILITY_U32S_3 && syscall(SYS_capget, &head, sets) == 0;
}

static bool is_effective(const struct __user_cap_data_struct *sets, unsigned number)
{
	return sets[number / 32].effective >> number % 32 & 1;
}

bool capability_held(unsigned number)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return get_sets(number, sets) && is_effective(sets, number);
}

/* Changes whether @number is in the effective set of this thread; true if it changed. */
static bool change(unsigned number, bool effective)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (!get_sets(number, sets) || is_effective(sets, number) == effective)
		return false;
	sets[number / 32].effective ^= 1U << number % 32;
	return syscall(SYS_capset, &head, sets) == 0;
}

bool capability_lower(unsigned number)
{
	return change(number, false);
}

void capability_raise(unsigned number)
{
	(void)change(number, true);
}

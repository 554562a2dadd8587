# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The ladder of privilege, on Debian's kernel with Debian's levels. One processor whose timers are
# never late: times are exact, whatever the host is doing.

boot_plain_user() {
	put prospect "$PROSPECT"
	build shares "$SYSTEM/programs/shares.c"
	put work "$HERE/programs/work.sh"
	build background "$HERE/programs/spin.c"
	put_unit sampler_stacks sampling
	put_unit off_cpu sampling
	boot plain_user -c 1 -i 1
}

# Everything that the command itself did is right, on every rung.
check_own_part() {
	recorded "$1"
	check_work "$EXCHANGE/$1.stdout" cpu-clock --select mode=user
	check_work_time "$EXCHANGE/$1.stdout"
}

# programs: those with samples, one a line
programs() {
	rows "$FILE" program | cut -f 1
}

sees_background() {
	[ "$(rows "$FILE" symbol --select program=background | sort -t "$(printf '\t')" -k 3nr |
		head -n 1 | cut -f 1)" = "$1" ] || fail "background is not shown as $1:" \
		"$(rows "$FILE" program,image,symbol --select program=background)"
}


test_plain_user_root_sees_all() {
	check_own_part root
	sees_background spin_round
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
	account_closes
}

test_plain_user_level_0() {
	check_own_part level_0
	[ "$(text "$FILE" scope)" = machine ] || fail "not the whole machine"
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
	account_closes
	sees_background '[unmapped]'
}

# Mappings of others may not be read.
test_plain_user_level_0_says_what_is_missing() {
	recorded level_0
	unseen 'sudo|cap_sys_ptrace'
}

test_plain_user_level_1() {
	check_own_part level_1
	[ "$(text "$FILE" scope)" = command ] || fail "not the command's own processes"
	programs | grep -x background | expect_no_rows "other processes"
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
	unseen 'other processes.*paranoid.* 1.*CAP_PERFMON.*prospect check --fix'
}

test_plain_user_level_1_whole_machine() {
	refused level_1_all 1 'paranoid.* 1.*sudo'
}

test_plain_user_level_1_process_of_another() {
	refused level_1_other 1 'another user.*sudo'
}

test_plain_user_level_2() {
	recorded level_2
	check_work "$EXCHANGE/level_2.stdout" cpu-clock
	[ "$(text "$FILE" scope)" = command ] || fail "not the command's own processes"
	rows "$FILE" mode,symbol --select mode=kernel | expect_no_rows "kernel mode"
	programs | grep -x background | expect_no_rows "other processes"
	unseen 'kernel.*paranoid.* 2.*sudo sysctl -w kernel.perf_event_paranoid='
}

test_plain_user_level_3() {
	refused level_3 1 'paranoid.* 3.*sudo sysctl -w kernel.perf_event_paranoid=2'
	[ ! -e "$EXCHANGE/it-ran" ] || fail "the command ran although nothing was permitted"
}

test_plain_user_capabilities() {
	check_own_part capable
	[ "$(text "$FILE" scope)" = machine ] || fail "not the whole machine"
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
	sees_background spin_round
	account_closes
}

# Without CAP_SYSLOG the kernel has no names, and nothing that looks like one.
test_plain_user_names_of_the_kernel_hidden() {
	check_own_part nameless
	rows "$FILE" image,symbol --select mode=kernel > "$T/rows"
	[ -s "$T/rows" ] || fail "no samples of the kernel"
	grep -v '^\[kernel\]	\[kernel\]	' "$T/rows" | expect_no_rows "names"
}

test_plain_user_names_of_the_kernel_hidden_is_said() {
	recorded nameless
	unseen 'cap_syslog|kptr_restrict|sudo'
}

# Debian's level 3 heeds no capability but root's.
test_plain_user_capabilities_at_level_3() {
	refused capable_refused 1 'paranoid.* 3.*sudo sysctl -w kernel.perf_event_paranoid=2'
}

# As root: the program that walks stacks is taken by Linux 6.1, and what it finds is right.
test_plain_user_kernel_takes_stacks_in_the_interrupt() {
	unit_passes sampler_stacks
	grep -q '^context: task' "$EXCHANGE/sampler_stacks.out" || fail "contexts are not told"
}

test_plain_user_kernel_takes_the_programs_of_waits() {
	unit_passes off_cpu
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The kernel of Debian's backports (6.12 or newer), x86: names and types of much have changed since
# 6.1. Timers are never late.
# shellcheck disable=SC2034 # for boot
SUITE=bookworm-backports

boot_newer() {
	put prospect "$PROSPECT"
	put work "$HERE/programs/work.sh"
	build shares "$SYSTEM/programs/shares.c"
	build hash-wp512 "$HERE/programs/hash.c"
	put hash-rmd160 "$EXCHANGE/bin/hash-wp512"
	boot newer -c 1 -i 1 -t 240
}

test_newer_shares_and_time() {
	recorded work
	check_work "$EXCHANGE/work.stdout" cpu-clock --select mode=user
	check_work_time "$EXCHANGE/work.stdout"
	account_closes
}

test_newer_kernel_names() {
	recorded work
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
}

test_newer_modules_at_one_address() {
	check_modules_at_one_address 0.9
}

test_newer_modules_swapped_unseen() {
	check_modules_swapped_unseen
}

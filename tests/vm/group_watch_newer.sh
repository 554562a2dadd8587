# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The same as group_watch.sh on the kernel of Debian's backports: kprobe.multi, uprobe.multi, 8 CPUs.
. "$HERE/group_watch.sh"

boot_watch_newer() {
	# shellcheck disable=SC2034 # for boot
	local SUITE=bookworm-backports
	put prospect "$PROSPECT"
	watch_programs
	build_cpp
	boot watch -1 -c 8
}

test_watch_newer_foretold() {
	check_foretold fentry
}

test_watch_newer_by_fentry() {
	check_watched_calls few
}

test_watch_newer_by_kprobe_multi() {
	check_watched_calls many
}

test_watch_newer_by_cpu() {
	check_watched_by_cpu
}

test_watch_newer_goroutines() {
	check_watched_goroutines
}

test_watch_newer_fibers() {
	check_watched_fibers
}

test_watch_newer_leaps() {
	check_watched_leaps
}

test_watch_newer_tails() {
	check_watched_tails
}

test_watch_newer_coroutines() {
	check_watched_coroutines
}

test_watch_newer_programs() {
	check_watched_programs
}

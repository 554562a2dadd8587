# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The same as group_watch.sh on arm64, whose Linux 6.1 has kprobes alone.
. "$HERE/group_arm64.sh"
. "$HERE/group_watch.sh"

boot_watch_arm64() {
	local root
	arm64_prepare
	export CC="aarch64-linux-gnu-gcc --sysroot=$root"
	watch_programs arm64
	boot watch -a arm64 -r "$root" -1 -c 4
}

test_watch_arm64_foretold() {
	check_foretold kprobe
}

test_watch_arm64_by_kprobes() {
	check_watched_calls few
	check_watched_calls many
}

test_watch_arm64_goroutines() {
	check_watched_goroutines
}

test_watch_arm64_fibers() {
	check_watched_fibers
}

test_watch_arm64_leaps() {
	check_watched_leaps
}

test_watch_arm64_programs() {
	check_watched_programs
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The same as group_watch.sh on arm64, whose Linux 6.1 has kprobes alone.
. "$HERE/group_arm64.sh"
. "$HERE/group_watch.sh"

boot_watch_arm64() {
	local root
	command -v aarch64-linux-gnu-gcc > /dev/null ||
		{ echo "needs aarch64-linux-gnu-gcc" && return 77; }
	command -v meson > /dev/null || { echo "needs meson" && return 77; }
	root=$(arm64_root)
	arm64_build "$root"
	export CC="aarch64-linux-gnu-gcc --sysroot=$root"
	watch_programs
	boot watch -a arm64 -r "$root" -c 4 -t 500
}

test_watch_arm64_foretold() {
	check_foretold kprobe
}

test_watch_arm64_by_kprobes() {
	check_watched_calls few
	check_watched_calls many
}

test_watch_arm64_programs() {
	check_watched_programs
}

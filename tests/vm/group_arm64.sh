# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Linux 6.1, arm64: another instruction set, and a PMU whose interrupt is an ordinary one. prospect
# is cross-built against a folder of Debian's packages, which is also the guest's root. Timers are
# never late.

# The packages that the build needs, as tools/packages has them.
arm64_root() {
	local packages
	packages=$(awk '$1 == "build" && $2 ~ /-dev$/ { print $2 }' "$HERE/../../tools/packages")
	# shellcheck disable=SC2086 # a list of names
	"$HERE/vm-root" arm64 $packages
}

# Warnings are for the compilers that we use every day. Groups that run side by side share one build.
arm64_build() {
	local build=$ALL/build-arm64
	(
		flock 9
		[ ! -e "$build/done" ] || exit 0
		printf "[constants]\nroot = '%s'\n" "$1" > "$ALL/root.ini"
		meson setup "$build" "$HERE/../.." --cross-file "$ALL/root.ini" \
			--cross-file "$HERE/arm64.ini" -Dtests=disabled -Dwerror=false
		ninja -C "$build" prospect
		touch "$build/done"
	) 9> "$ALL/build-arm64.lock"
	put prospect "$build/prospect"
	CC="aarch64-linux-gnu-gcc --sysroot=$1" build shares "$SYSTEM/programs/shares.c"
	CC="aarch64-linux-gnu-gcc --sysroot=$1" build rounds "$HERE/programs/rounds.c"
	CC="aarch64-linux-gnu-gcc --sysroot=$1" build looped "$HERE/programs/looped.c"
	put work "$HERE/programs/work.sh"
}

# Sets $root, with what was built against it in bin/; 77 where that cannot be.
arm64_prepare() {
	command -v aarch64-linux-gnu-gcc > /dev/null ||
		{ echo "needs aarch64-linux-gnu-gcc" && return 77; }
	command -v meson > /dev/null || { echo "needs meson" && return 77; }
	root=$(arm64_root)
	arm64_build "$root"
}

boot_arm64() {
	local root
	arm64_prepare
	boot arm64 -a arm64 -r "$root" -c 2 -i 1
}

test_arm64_events() {
	recorded work
	"$PROSPECT" report "$FILE" --by event --format json | tr -d ' \n' |
		grep -q '"name":"cycles","unit":"count","clock":"pmu-irq"' ||
		fail "cycles are not counted by the PMU's interrupt"
}

test_arm64_shares_by_clock() {
	recorded work
	check_work "$EXCHANGE/work.stdout" cpu-clock
	check_work_time "$EXCHANGE/work.stdout"
}

test_arm64_shares_by_cycles() {
	recorded work
	check_work "$EXCHANGE/work.stdout" cycles
}

# A cycle of the emulated PMU takes a nanosecond.
test_arm64_cycles_and_clock_agree() {
	local cycles ns
	recorded work
	cycles=$(event_rows "$FILE" cycles program --select program=shares)
	ns=$(event_rows "$FILE" cpu-clock program --select program=shares)
	check_time "cycles as time" "$(calc "$(sum 4 <<< "$ns") / 1e9")" \
		"$(sum 4 <<< "$cycles")" "$(sum 3 <<< "$cycles")" 0.1
}

test_arm64_kernel_names() {
	recorded work
	check_kernel_names "$FILE" "$EXCHANGE/kallsyms"
	rows "$FILE" image --select mode=kernel | cut -f 1 | grep -v '^\[kernel\]$\|^\[[a-z0-9_]*\]$' |
		expect_no_rows "not in the kernel"
}

# dd reads zeros: there is one routine of the kernel where it can be.
test_arm64_kernel_routine() {
	recorded work
	event_rows "$FILE" cpu-clock symbol --select program=dd --select mode=kernel |
		sort -t "$(printf '\t')" -k 3nr | head -n 1 | grep -q '^__arch_clear_user' ||
		fail "dd is not in __arch_clear_user"
}

# counted NAME EVENT [PROGRAM]: what the guest counted of it, all rows together.
counted() {
	[ -s "$EXCHANGE/$1.csv" ] ||
		fail "nothing was counted as $1:" "$(cat "$EXCHANGE/$1.stderr")"
	awk -F, -v name="$2" -v program="${3:-}" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["event"] == name && (program == "" || $column["program"] == program) {
			sum += $column["count"] }
		END { printf "%.0f", sum }' "$EXCHANGE/$1.csv"
}

# The loop is 100 million instructions; its program starts and ends with less than a million.
check_loop() {
	holds "$2 >= 1e8 * $3 && $2 <= (1e8 + 1e6) * $3" || fail "$1: $2 instructions, not $3 x 1e8"
}

test_arm64_count_instructions() {
	local kernel
	check_loop "user mode" "$(counted modes instructions:u)" 1
	kernel=$(counted modes instructions:k)
	holds "$kernel > 0 && $kernel < 1e8" || fail "$kernel instructions in the kernel"
	# The kernel is not the same twice; the emulator makes two cycles of each instruction.
	holds "$(counted whole instructions) > 1e8 && $(counted whole instructions) < 1.5e8" ||
		fail "$(counted whole instructions) instructions in all"
	awk -F, '$1 == "instructions" && $8 > 0.49 && $8 < 0.51 { found = 1 } END { exit !found }' \
		"$EXCHANGE/whole.csv" || fail "not half an instruction a cycle:" \
		"$(cat "$EXCHANGE/whole.csv")"
}

test_arm64_count_programs() {
	check_loop "by ptrace" "$(counted programs instructions:u /tmp/bin/rounds)" 1.5
	check_loop "by BPF" "$(counted cpus instructions:u /tmp/bin/rounds)" 1
}

# Ten events on fewer counters take turns, and are scaled to what all the time would have given.
test_arm64_count_in_turns() {
	awk -F, 'NR > 1 && $6 != "" && $6 < 99 { found = 1 } END { exit !found }' "$EXCHANGE/turns.csv" ||
		fail "nothing took turns:" "$(cat "$EXCHANGE/turns.csv")"
	holds "$(counted turns instructions:u) > 0.7e8 && $(counted turns instructions:u) < 1.3e8" ||
		fail "scaled to $(counted turns instructions:u)"
}

# of_calls FUNCTION COLUMN: what was counted of a function's calls
of_calls() {
	awk -F, -v name="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i; next }
		$1 == "total" && $place["target"] ~ name "$" { print $place[column] }' \
		"$EXCHANGE/looped.csv"
}

# What the probes themselves take is in both alike; the emulator makes two cycles of an instruction.
test_arm64_events_of_calls() {
	local name more
	for name in brief long_one; do
		[ "$(of_calls $name entries) $(of_calls $name exits)" = "40 40" ] ||
			fail "not 40 calls:" "$(cat "$EXCHANGE"/looped.*)"
		holds "$(of_calls $name IPC) > 0.49 && $(of_calls $name IPC) < 0.51" ||
			fail "not half an instruction a cycle:" "$(cat "$EXCHANGE/looped.csv")"
		holds "$(of_calls $name CPI) > 1.96 && $(of_calls $name CPI) < 2.04" ||
			fail "not two cycles an instruction:" "$(cat "$EXCHANGE/looped.csv")"
	done
	more=$(calc "$(of_calls long_one instructions/invoc) - $(of_calls brief instructions/invoc)")
	holds "$more > 0.97 * 2e5 && $more < 1.15 * 2e5" ||
		fail "$more instructions more, not 200,000:" "$(cat "$EXCHANGE/looped.csv")"
}

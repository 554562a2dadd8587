# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Exact numbers of functions of the kernel: Linux 6.1, x86: by fentry, and by kprobes where there are
# too many for it. Threads move from CPU to CPU all the time.

# watch_programs [ARCHITECTURE]: what a guest needs; CC, PROSPECT as for build and put. The
# architecture as Go calls it.
watch_programs() {
	build calls "$HERE/programs/calls.c" -pthread
	build called "$SYSTEM/programs/called.c"
	build fibers "$SYSTEM/programs/fibers.c" -pthread
	build switches "$SYSTEM/programs/switches.c" -pthread
	build leaps "$SYSTEM/programs/leaps.c" -pthread
	build_goroutines "${1:-amd64}"
}

# C++ with exceptions, tail calls and coroutines, for guests of this architecture.
build_cpp() {
	local name
	command -v g++ > /dev/null || return 0
	for name in tails coroutines; do
		g++ -std=c++20 -O1 -foptimize-sibling-calls -static -pthread -o "$EXCHANGE/bin/$name" \
			"$SYSTEM/programs/$name.cc" || return
	done
}

# build_goroutines ARCHITECTURE: where there is Go.
build_goroutines() {
	command -v go > /dev/null || return 0
	GOARCH=$1 GO111MODULE=off CGO_ENABLED=0 HOME=$TOP GOCACHE=$TOP/go \
		go build -o "$TOP/goroutines" "$HERE/../heavy/watch/goroutines.go" &&
		put goroutines "$TOP/goroutines"
}

boot_watch() {
	put prospect "$PROSPECT"
	watch_programs
	build_cpp
	boot watch -1 -c 4
}

# watch_total NAME TARGET COLUMN: of the totals of the guest's watch NAME
watch_total() {
	awk -F , -v target="$2" -v column="$3" '
		!header && /target/ { for (i = 1; i <= NF; i++) place[$i] = i; header = 1; next }
		header && $1 == "total" && $(place["target"]) ~ "(^|:)" target "$" {
			sum += $(place[column])
		}
		END { print sum + 0 }' "$EXCHANGE/$1.csv"
}

# watch_is NAME TARGET COLUMN VALUE
watch_is() {
	local got
	got=$(watch_total "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "$1: $3 of $2 is $got, not $4" "$(cat "$EXCHANGE/$1.csv")" \
		"$(cat "$EXCHANGE/$1.stderr")"
}

# 4 threads, 50 rounds: a read that works and one that fails, a sleep of 1 ms, a page; beside them
# what it takes to start a program.
check_watched_calls() {
	local name=$1 wall
	[ "$(cat "$EXCHANGE/$name.status")" = 0 ] || fail "$(tail -n 3 "$EXCHANGE/$name.stderr")"
	watch_is "$name" read_zero entries 400
	watch_is "$name" read_zero exits 400
	watch_is "$name" read_zero errors "$(sed -n 's/^failed\t//p' "$EXCHANGE/$name.csv")"
	watch_is "$name" hrtimer_nanosleep entries 200
	watch_is "$name" hrtimer_nanosleep exits 200
	[ "$(watch_total "$name" vfs_read entries)" -ge 400 ] || fail "vfs_read was missed"
	[ "$(watch_total "$name" vfs_read entries)" = "$(watch_total "$name" vfs_read exits)" ] ||
		fail "not every vfs_read came back" "$(cat "$EXCHANGE/$name.csv")"
	[ "$(watch_total "$name" handle_mm_fault page-faults)" -ge 200 ] || fail "pages were missed"
	wall=$(watch_total "$name" hrtimer_nanosleep walltime)
	holds "$wall >= 0.2" || fail "slept too little: $wall s"
	holds "$(watch_total "$name" hrtimer_nanosleep vtime) < $wall" || fail "it ran while it slept"
}

check_watched_by_cpu() {
	local cpus
	cpus=$(grep -c '^total' "$EXCHANGE/by_cpu.csv")
	watch_is by_cpu vfs_read entries 400
	watch_is by_cpu vfs_read exits 400
	[ "$cpus" -ge 2 ] || fail "all on one CPU:" "$(cat "$EXCHANGE/by_cpu.csv")"
}

check_watched_programs() {
	watch_is programs work entries 200
	watch_is programs work exits 200
	watch_is programs nap exits 5
	grep -q '"exits":200,.*"errors":20,.*"returned":\[\[-1,-1,20\],' "$EXCHANGE/whole.json" ||
		fail "$(cat "$EXCHANGE/whole.json")"
	watch_is chosen work exits 10
}

# The mechanism that --list and --dry-run tell is the one that is used.
check_foretold() {
	local used
	used=$(sed -n 's/.*"mechanism": *"\([^"]*\)".*/\1/p' "$EXCHANGE/done.json" | head -n 1)
	[ "$used" = "$1" ] || fail "vfs_read is reached by '$used':" "$(cat "$EXCHANGE/done.json")"
	grep -q "^vfs_read .* $used\$" "$EXCHANGE/list.txt" || fail "$(cat "$EXCHANGE/list.txt")"
	grep -qx "functions in the kernel: 1 ($used)" "$EXCHANGE/dry.txt" || fail "$(cat "$EXCHANGE/dry.txt")"
	grep -q '^cost: ' "$EXCHANGE/dry.txt" || fail "no cost:" "$(cat "$EXCHANGE/dry.txt")"
}

test_watch_foretold() {
	check_foretold fentry
}

test_watch_by_fentry() {
	check_watched_calls few
}

test_watch_by_kprobes() {
	check_watched_calls many
}

test_watch_by_cpu() {
	check_watched_by_cpu
}

test_watch_programs() {
	check_watched_programs
}

# Goroutines change threads amid calls: the program measures them itself.
check_watched_goroutines() {
	command -v go > /dev/null || skip "needs go"
	[ "$(cat "$EXCHANGE/goroutines.status")" = 0 ] || fail "$(cat "$EXCHANGE/goroutines.stderr")"
	awk -F '[ ,]' -f "$HERE/../heavy/watch/goroutines.awk" "$EXCHANGE/goroutines.stdout" \
		"$EXCHANGE/goroutines.csv" ||
		fail "$(cat "$EXCHANGE/goroutines.csv" "$EXCHANGE/goroutines.stderr")"
	grep -q "^11 calls open when their thread ended" "$EXCHANGE/goroutines.stderr" ||
		fail "$(cat "$EXCHANGE/goroutines.csv" "$EXCHANGE/goroutines.stderr")"
}

test_watch_goroutines() {
	check_watched_goroutines
}

# A thread's fibers, in the first thread and in another.
check_watched_fibers() {
	local name
	for name in fibers_block fibers_thread switches_block switches_stack; do
		[ "$(cat "$EXCHANGE/$name.status")" = 7 ] || fail "$(cat "$EXCHANGE/$name.stderr")"
		watch_is $name waiting exits 20
		watch_is $name waiting abandoned 0
		watch_is $name busy exits 20
		watch_is $name busy stack-switched 0
		watch_is $name waiting stack-switched 20
	done
}

test_watch_fibers() {
	check_watched_fibers
}

# The program prints the number and times of its own calls.
check_watched_leaps() {
	local how
	for how in site nested signals thread unseen other last; do
		[ "$(cat "$EXCHANGE/leaps_$how.status")" = 0 ] ||
			fail "$how: $(cat "$EXCHANGE/leaps_$how.stderr")"
		check_said "$EXCHANGE/leaps_$how.csv" watch_total "leaps_$how"
	done
}

test_watch_leaps() {
	check_watched_leaps
}

# watch_own_time NAME FUNCTION [LEAST]: the program measured it from within and from around.
watch_own_time() {
	local wall
	wall=$(watch_total "$1" "$2" walltime)
	holds "$wall <= $(sed -n "s/^outer $2 //p" "$EXCHANGE/$1.csv")" ||
		fail "$2 took more than its caller saw:" "$(cat "$EXCHANGE/$1.csv")"
	holds "$wall >= $(sed -n "s/^inner $2 //p" "$EXCHANGE/$1.csv")" ||
		fail "$2 took less than it did:" "$(cat "$EXCHANGE/$1.csv")"
}

# Calls that go on by a jump end where their frames return.
check_watched_tails() {
	local name
	[ -e "$EXCHANGE/bin/tails" ] || skip "needs g++"
	for name in direct indirect; do
		watch_is tails $name entries 100
		watch_is tails $name exits 100
		watch_is tails $name exits-jump 100
		watch_is tails $name errors 100
		watch_own_time tails $name
	done
}

test_watch_tails() {
	check_watched_tails
}

# Coroutines are resumed by turns in two threads, and jump to each other.
check_watched_coroutines() {
	local name entries
	[ -e "$EXCHANGE/bin/coroutines" ] || skip "needs g++"
	watch_is coroutines step exits 60
	for name in worker relay child; do
		entries=$(sed -n "s/^entered $name //p" "$EXCHANGE/coroutines.csv")
		watch_is coroutines $name entries "$entries"
		watch_is coroutines $name exits-jump "$entries"
		watch_is coroutines $name abandoned 0
		watch_is coroutines $name stack-switched 0
		[ $(($(watch_total coroutines $name exits) +
			$(watch_total coroutines $name end-not-seen))) = "$entries" ] ||
			fail "calls of $name are lost:" "$(cat "$EXCHANGE/coroutines.csv")"
	done
}

test_watch_coroutines() {
	check_watched_coroutines
}

test_watch_module() {
	[ "$(cat "$EXCHANGE/module.status")" = 0 ] || fail "$(cat "$EXCHANGE/module.stderr")"
	grep -q dummy_xmit "$EXCHANGE/module.csv" || fail "$(cat "$EXCHANGE/module.csv")"
}

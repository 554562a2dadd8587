# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Exact numbers of functions (watch): programs that know how often they were called.

# A watch takes a second: once one could, no other test tries.
need_counts_of_calls() {
	need_root
	[ -x "$BIN/called" ] || compile called called.c
	if ! [ -e "$BIN/watches" ]; then
		"$PROSPECT" watch -i 0 --budget 0 "$BIN/called:work" -- "$BIN/called" 1 > "$T/can" 2>&1 ||
			[ $? = 7 ] || skip "$(head -n 1 "$T/can")"
		: > "$BIN/watches"
	fi
}

# count_calls [OPTION...]: the totals of a watch of called, as lines of CSV in $T/csv.
count_calls() {
	expect_status 7 "$PROSPECT" watch --format csv -i 0 --budget 0 "$@" > "$T/csv"
}

# total_of TARGET COLUMN: a number of the totals
total_of() {
	awk -F , -v target="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i; next }
		$1 == "total" && $(place["target"]) ~ target { print $(place[column]); exit }' "$T/csv"
}

expect_calls() {
	[ "$(total_of "$1" "$2")" = "$3" ] ||
		fail "$1: $2 is '$(total_of "$1" "$2")', not $3" "$(cat "$T/csv")"
}

test_watch_counts_every_call() {
	need_counts_of_calls
	count_calls -m entries,exits,walltime,errors "$BIN/called:work" "$BIN/called:nap" -- \
		"$BIN/called" 300
	expect_calls work entries 300
	expect_calls work exits 300
	expect_calls work errors 30
	expect_calls nap exits 5
	holds "$(total_of nap walltime) >= 0.05" || fail "5 naps of 10 ms: $(total_of nap walltime)"
}

test_watch_counts_only_what_the_condition_lets() {
	need_counts_of_calls
	count_calls -m entries,exits --if 'arg1 >= 10 && arg1:u8 < 20' "$BIN/called:work" -- \
		"$BIN/called" 100
	expect_calls work entries 10
	expect_calls work exits 10
}

# What returns nothing has no errors; without debug information it is not known what it returns.
test_watch_knows_what_is_no_error() {
	need_counts_of_calls
	need strip
	${CC:-cc} -std=gnu11 -g -O2 -o "$T/typed" "$HERE/programs/called.c" ||
		fail "called.c cannot be compiled"
	count_calls -m entries,errors "$T/typed:work" "$T/typed:nap" -- "$T/typed" 100
	expect_calls work errors 10
	expect_calls nap errors ''
	expect_calls nap entries 5
	"$PROSPECT" watch -i 0 --budget 0 -m entries,errors "$T/typed:nap" -- "$T/typed" 1 > "$T/out"
	grep -q '^typed:nap  *5  *-$' "$T/out" || fail "nap has errors:" "$(cat "$T/out")"
	expect_status 2 "$PROSPECT" watch --if 'retval < 0' "$T/typed:nap" -- "$T/typed" 1
	expect_line 'typed:nap returns no number'
	expect_status 2 "$PROSPECT" watch --error-if 'pid != 1' "$T/typed:nap" -- "$T/typed" 1
	expect_line 'typed:nap returns no number to test'
	count_calls -m entries,errors --error-if 'pid != 1' "$T/typed:work" "$T/typed:nap" -- "$T/typed" 100
	expect_calls work errors 100
	expect_calls nap errors ''
	strip --strip-debug "$T/typed"
	count_calls -m entries,errors "$T/typed:work" "$T/typed:nap" -- "$T/typed" 100
	expect_calls work errors 10
	holds "$(total_of nap errors) >= 0" || fail "nap: $(cat "$T/csv")"
}

# NULL is no error of what a thread begins with, as it is of the same function elsewhere.
test_watch_knows_what_threads_begin_with() {
	local program name programs=(starts starts++ starts-static) targets=()
	need_counts_of_calls
	${CC:-cc} -std=gnu11 -g -O2 -pthread -o "$T/starts" "$HERE/programs/starts.c" &&
		${CXX:-c++} -x c++ -g -O2 -pthread -o "$T/starts++" "$HERE/programs/starts.c" ||
		fail "starts.c cannot be compiled"
	${CC:-cc} -std=gnu11 -g -O2 -pthread -static -o "$T/starts-static" "$HERE/programs/starts.c" ||
		fail "starts.c cannot be linked statically"
	for program in "${programs[@]}"; do
		targets+=("$T/$program:begin*" "$T/$program:hand_on*" "$T/$program:finish*")
	done
	# shellcheck disable=SC2016 # for the inner shell
	count_calls -m entries,exits,end-not-seen,errors "${targets[@]}" -- \
		sh -c 'for program; do "$program" 20; done' - "${programs[@]/#/$T/}"
	for program in "${programs[@]}"; do
		name=^${program//+/[+]}:
		expect_calls "${name}begin" exits 29
		expect_calls "${name}begin" errors 9
		# The C library's call is seen for the first time when a thread begins.
		holds "$(total_of "${name}hand_on" exits) + $(total_of "${name}hand_on" end-not-seen) == 20" ||
			fail "$(cat "$T/csv")"
		expect_calls "${name}hand_on" errors 0
		expect_calls "${name}finish" exits 20
		expect_calls "${name}finish" errors 0
	done
}

# build_fibers: without frame pointers and with them, with exception tables and without.
build_fibers() {
	local flags="-g -O2 -pthread -D_GNU_SOURCE"
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} -std=gnu11 $flags -fomit-frame-pointer -o "$T/fibers" "$HERE/programs/fibers.c" &&
		${CC:-cc} -std=gnu11 $flags -fno-omit-frame-pointer -fexceptions -o "$T/fibers-fp" \
			"$HERE/programs/fibers.c" &&
		${CXX:-c++} -x c++ -U_GNU_SOURCE $flags -o "$T/fibers++" "$HERE/programs/fibers.c" ||
		fail "fibers.c cannot be compiled"
}

# A thread that goes from stack to stack: all calls come back, none was abandoned; those during which
# it was elsewhere have no time, the others the time that the program measured.
test_watch_tells_fibers() {
	need_counts_of_calls
	build_fibers
	for program in fibers fibers-fp fibers++; do
		for how in separate block thread; do
			count_calls -m \
				entries,exits,abandoned,stack-switched,end-not-seen,walltime,errors \
				"$T/$program:waiting*" "$T/$program:busy*" -- \
				"$T/$program" $how
			for name in waiting busy; do
				expect_calls $name entries 20
				expect_calls $name exits 20
				expect_calls $name abandoned 0
				expect_calls $name end-not-seen 0
				expect_calls $name errors 0
			done
			expect_calls busy stack-switched 0
			expect_calls waiting stack-switched 20
			holds "$(total_of busy walltime) >= 0.02 &&
				$(total_of busy walltime) <= $(sed -n 's/^busy //p' "$T/csv")" ||
				fail "$program $how: $(cat "$T/csv")"
		done
	done
}

# A program that switches stacks by its own instructions lives, and all of its calls come back. Calls
# whose time is given up have no CPU time either. So it is with stacks within the thread's own.
test_watch_lets_programs_switch_stacks() {
	local frame how
	need_counts_of_calls
	for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
		${CC:-cc} -std=gnu11 -g -O2 -pthread $frame -o "$T/switches" "$HERE/programs/switches.c" ||
			fail "switches.c cannot be compiled"
		for how in block thread stack down; do
			count_calls -m entries,exits,abandoned,stack-switched,walltime,vtime \
				"$T/switches:waiting" "$T/switches:busy" -- "$T/switches" $how
			holds "$(total_of waiting vtime) <= $(total_of waiting walltime)" ||
				fail "$how: $(cat "$T/csv")"
			expect_calls waiting entries 20
			expect_calls busy entries 20
			expect_calls busy exits 20
			holds "$(total_of busy walltime) >= 0.02 &&
				$(total_of busy walltime) <= $(sed -n 's/^busy //p' "$T/csv")" ||
				fail "$how: $(cat "$T/csv")"
			expect_calls waiting exits 20
			expect_calls waiting abandoned 0
			# The first call that returns is not known to have waited.
			[ $how = down ] || expect_calls waiting stack-switched 20
			holds "$(total_of waiting stack-switched) >= 19" || fail "$how: $(cat "$T/csv")"
		done
	done
}

# Nor have those that never come back, however long their thread goes on without them.
test_watch_gives_no_time_to_stacks_that_are_left() {
	local how
	need_counts_of_calls
	${CC:-cc} -std=gnu11 -g -O2 -pthread -o "$T/switches" "$HERE/programs/switches.c" ||
		fail "switches.c cannot be compiled"
	for how in left left-on-stack; do
		count_calls -m entries,exits,abandoned,stack-switched,walltime,vtime \
			"$T/switches:waiting" -- "$T/switches" $how
		expect_calls waiting entries 4
		expect_calls waiting exits 0
		holds "$(total_of waiting abandoned) + $(total_of waiting stack-switched) == 4" ||
			fail "$how: $(cat "$T/csv")"
		[ $how = left-on-stack ] || expect_calls waiting abandoned 0
		holds "$(total_of waiting walltime) == 0 && $(total_of waiting vtime) == 0" ||
			fail "$how: $(cat "$T/csv")"
	done
}

# A stack for signals is no fiber's.
test_watch_knows_the_stack_for_signals() {
	local program name programs=(fibers fibers-fp fibers++) targets=()
	need_counts_of_calls
	build_fibers
	for program in "${programs[@]}"; do
		for name in interrupted handler leaver busy; do
			targets+=("$T/$program:$name*")
		done
	done
	# shellcheck disable=SC2016 # for the inner shell
	count_calls -m entries,exits,abandoned,stack-switched,walltime "${targets[@]}" -- \
		sh -c 'for program; do "$program" signals; done' - "${programs[@]/#/$T/}"
	for program in "${programs[@]}"; do
		program=^${program//+/[+]}:
		expect_calls "${program}interrupted" entries 21
		expect_calls "${program}interrupted" exits 20
		expect_calls "${program}interrupted" abandoned 1
		expect_calls "${program}handler" exits 20
		expect_calls "${program}leaver" entries 1
		expect_calls "${program}leaver" abandoned 1
		expect_calls "${program}busy" exits 41
		for name in interrupted handler leaver busy; do
			expect_calls "$program$name" stack-switched 0
		done
		holds "$(total_of "${program}interrupted" walltime) >= 0.04" || fail "$(cat "$T/csv")"
	done
}

# work() returns its argument, but -1 for every tenth.
test_watch_counts_what_returns_so() {
	need_counts_of_calls
	count_calls -m entries,exits,errors --if 'retval < 0' "$BIN/called:work" -- "$BIN/called" 100
	expect_calls work entries 10
	expect_calls work errors 10
	count_calls -m entries,errors --if 'arg1 >= 40 && retval != -1' --error-if 'retval in 40..44' \
		"$BIN/called:work" -- "$BIN/called" 100
	expect_calls work entries 54
	expect_calls work errors 5
	count_calls -m entries --if 'retval == NULL' "$BIN/called:work" -- "$BIN/called" 100
	expect_calls work entries 1
	expect_status 2 "$PROSPECT" watch --if 'arg1 == 1 || retval < 0' "$BIN/called:work"
	expect_line 'only && can join arguments and retval'
	expect_status 2 "$PROSPECT" watch --error-if 'arg1 == 1' "$BIN/called:work"
	expect_line 'test retval'
	expect_status 2 "$PROSPECT" watch --if 'retval == 1' --at +0x0 "$BIN/called:work"
	expect_line 'retval needs functions'
	expect_status 2 "$PROSPECT" watch --error-if 'retval == 1' --at +0x0 "$BIN/called:work"
	expect_line 'errors need functions'
}

# A shell, and what it starts; the same program beside them does not count.
test_watch_follows_the_command_only() {
	need_counts_of_calls
	"$BIN/called" 1000 > /dev/null || true &
	count_calls -m entries "$BIN/called:work" -- sh -c "$BIN/called 10; $BIN/called 20"
	wait
	expect_calls work entries 30
}

test_watch_keeps_the_commands_status_and_output() {
	need_counts_of_calls
	expect_status 7 "$PROSPECT" watch -i 0 "$BIN/called:work" -- "$BIN/called" 3 > "$T/out"
	expect_status 127 "$PROSPECT" watch "$BIN/called:work" -- /nonexistent/program
	expect_status 137 "$PROSPECT" watch "$BIN/called:work" -- sh -c 'kill -9 $$' > "$T/out"
}

# The program's own calls are counted until then.
test_watch_in_the_background_is_interrupted() {
	need_counts_of_calls
	interrupt_in_background "$PROSPECT" watch -i 0 --budget 0 "$BIN/loop:main" --
	grep -q '^loop:main  *1 ' "$T/stdout" || fail "the call is not counted:" "$(cat "$T/stdout")"
}

test_watch_says_that_the_disk_is_full() {
	need_counts_of_calls
	[ -e /dev/full ] || skip "there is no /dev/full"
	for form in csv json; do
		"$PROSPECT" watch --format $form -i 0 "$BIN/called:work" -- "$BIN/called" 3 \
			> /dev/full 2> "$T/stderr" && fail "a full disk went unnoticed"
		expect_line 'No space left'
	done
}

# The code of a running program is as it was after the watcher was killed without a word.
test_watch_leaves_nothing_when_it_is_killed() {
	need_counts_of_calls
	local address watcher before during=none
	mkfifo "$T/in"
	"$BIN/called" wait < "$T/in" > "$T/started" &
	exec 7> "$T/in"
	until_true [ -s "$T/started" ]
	address=$(cat "$T/started")
	local program=$!
	byte_of() { dd if="/proc/$program/mem" bs=1 skip=$((address)) count=4 2> /dev/null |
		od -An -tx1; }
	before=$(byte_of)
	"$PROSPECT" watch -p "$program" -i 0 "$BIN/called:work" > "$T/watch" 2>&1 &
	watcher=$!
	code_is_changed() {
		during=$(byte_of)
		[ "$during" != "$before" ] || ended $watcher
	}
	until_true code_is_changed
	kill -9 $watcher
	wait $watcher 2> /dev/null || true
	[ "$during" != "$before" ] || fail "nothing was attached:" "$(cat "$T/watch")"
	code_is_as_before() { [ "$(byte_of)" = "$before" ]; }
	until_true code_is_as_before
	echo >&7
	echo >&7
	exec 7>&-
	wait $program || [ $? = 7 ] || fail "the program ended with $?"
}

test_watch_prints_totals_at_ctrl_c() {
	need_counts_of_calls
	local program watcher
	mkfifo "$T/in"
	"$BIN/called" wait < "$T/in" > "$T/started" &
	program=$!
	exec 7> "$T/in"
	"$PROSPECT" watch -p "$program" -i 50ms --format csv "$BIN/called:work" > "$T/csv" &
	watcher=$!
	until_true is_attached $watcher "$T/csv"
	echo >&7
	until_true has_lines 2 "$T/started" # after the calls
	kill -INT $watcher
	wait $watcher || fail "it ended with $?"
	expect_calls work entries 100
	echo >&7
	exec 7>&-
	wait $program || true
}

# Calls of a user's processes, and of what these start, and no others.
test_watch_a_user() {
	need_counts_of_calls
	need setpriv
	local shell watcher
	mkfifo "$T/in"
	# shellcheck disable=SC2016 # for the other shell
	setpriv --reuid 54322 --clear-groups sh -c 'read -r line; "$0"; echo done; read -r line' \
		"$BIN/called" < "$T/in" > "$T/started" &
	shell=$!
	exec 7> "$T/in"
	until_true runs $shell "$(command -v sh)"
	"$PROSPECT" watch --user 54322 -i 50ms --budget 0 --format csv -m entries "$BIN/called:work" \
		> "$T/csv" &
	watcher=$!
	until_true is_attached $watcher "$T/csv"
	"$BIN/called" || [ $? = 7 ] || fail "the program ended with $?"
	echo >&7
	until_true has_lines 1 "$T/started"
	kill -INT $watcher
	wait $watcher || fail "it ended with $?"
	expect_calls work entries 100
	exec 7>&-
	wait $shell || true
}

# So many calls would take a quarter of an hour; it lets go long before, and the program runs on.
test_watch_detaches_when_it_costs_too_much() {
	need_counts_of_calls
	expect_status 7 "$PROSPECT" watch -i 0 --budget 1 "$BIN/called:work" -- "$BIN/called" \
		100000000 > "$T/out"
	grep -qi budget "$T/out" "$T/stderr" || fail "nothing is said of the budget:" \
		"$(cat "$T/out" "$T/stderr")"
}

# Exceptions pass functions whose exits are watched.
test_watch_lets_exceptions_pass() {
	need_counts_of_calls
	need g++
	g++ -O1 -o "$T/throws" "$HERE/programs/throws.cc"
	expect_status 0 "$PROSPECT" watch --format csv -i 0 --budget 0 -m entries,exits,abandoned \
		"$T/throws:passer" "$T/throws:thrower" -- "$T/throws" > "$T/csv"
	grep -q 'caught 50' "$T/csv" || fail "$(cat "$T/csv")"
	for name in passer thrower; do
		expect_calls $name entries 100
		expect_calls $name exits 50
		expect_calls $name abandoned 50
	done
}

build_tails() {
	need_counts_of_calls
	need g++
	[ -x "$BIN/tails" ] || g++ -O2 -o "$BIN/tails" "$HERE/programs/tails.cc" ||
		fail "tails.cc cannot be compiled"
}

# The program measured it from within and from around.
expect_own_time() {
	holds "$(total_of "$1\$" walltime) >= $(sed -n "s/^inner $1 //p" "$T/csv")" ||
		fail "$1 took less than it did:" "$(cat "$T/csv")"
	holds "$(total_of "$1\$" walltime) <= $(sed -n "s/^outer $1 //p" "$T/csv")" ||
		fail "$1 took more than its caller saw:" "$(cat "$T/csv")"
}

# Calls end where their frames return, through jumps to other functions; the program itself knows
# times that are never longer, and never shorter.
test_watch_follows_tail_calls() {
	build_tails
	local name
	expect_status 0 "$PROSPECT" watch --format csv -i 0 --budget 0 --by sum \
		-m entries,exits,exits-jump,end-not-seen,walltime,errors,nested \
		"$BIN/tails:direct" "$BIN/tails:indirect" "$BIN/tails:again" "$BIN/tails:met" \
		-- "$BIN/tails" > "$T/csv"
	for name in direct indirect; do
		expect_calls "$name\$" entries 100
		expect_calls "$name\$" exits 100
		expect_calls "$name\$" exits-jump 100
		expect_calls "$name\$" errors 100
		expect_own_time $name
	done
	expect_calls again entries 30
	expect_calls again nested 27
	expect_calls again exits 30
	expect_calls again exits-jump 30
	expect_calls met entries 10
	expect_calls met exits-jump 10
	holds "$(total_of met exits) + $(total_of met end-not-seen) == 10" ||
		fail "calls of met are lost:" "$(cat "$T/csv")"
	holds "$(total_of met exits) > 0" || fail "no site was found:" "$(cat "$T/csv")"
	holds "$(total_of met errors) == $(total_of met exits)" || fail "$(cat "$T/csv")"
}

# expect_coroutine NAME: each of its resumptions is a call, whichever thread it runs in.
expect_coroutine() {
	expect_calls "$1\$" entries "$(sed -n "s/^entered $1 //p" "$T/csv")"
	expect_calls "$1\$" exits-jump "$(total_of "$1\$" entries)"
	expect_calls "$1\$" abandoned 0
	expect_calls "$1\$" stack-switched 0
	holds "$(total_of "$1\$" exits) + $(total_of "$1\$" end-not-seen) == $(total_of "$1\$" entries)" ||
		fail "calls of $1 are lost:" "$(cat "$T/csv")"
	holds "$(total_of "$1\$" walltime) <= $(sed -n "s/^outer $1 //p" "$T/csv")" ||
		fail "$1 took more than its caller saw:" "$(cat "$T/csv")"
}

# Coroutines that return to who resumed them, and (with sibling calls) that jump to each other.
test_watch_follows_coroutines() {
	need_counts_of_calls
	need g++
	local name options
	for options in '-O1' '-O1 -fno-omit-frame-pointer' '-O1 -foptimize-sibling-calls' \
		'-O1 -foptimize-sibling-calls -fno-omit-frame-pointer -fcf-protection=none'; do
		# shellcheck disable=SC2086 # a list of options
		g++ -std=c++20 $options -pthread -o "$T/coroutines" "$HERE/programs/coroutines.cc" ||
			fail "coroutines.cc cannot be compiled"
		expect_status 0 "$PROSPECT" watch --format csv -i 0 --budget 0 --by sum \
			-m entries,exits,exits-jump,abandoned,end-not-seen,stack-switched,walltime \
			"$T/coroutines:*.actor" "$T/coroutines:step" -- "$T/coroutines" > "$T/csv"
		expect_calls step exits 60
		for name in worker relay child; do
			expect_coroutine $name
			case $options in
			*sibling*) ;;
			*)
				expect_calls "$name\$" end-not-seen 0
				expect_own_time $name
				;;
			esac
		done
	done
}

# Values are those of the function that was jumped to.
test_watch_reads_values_behind_tail_calls() {
	build_tails
	expect_status 0 "$PROSPECT" watch --format csv -i 0 --budget 0 -m entries,exits \
		--if 'retval == -5' "$BIN/tails:direct" "$BIN/tails:again" -- "$BIN/tails" > "$T/csv"
	expect_calls direct entries 100
	expect_calls direct exits 100
	expect_calls again entries 0
}

# Exceptions and longjmp end calls when they happen, not when the thread ends half a second later.
test_watch_times_what_was_abandoned() {
	build_tails
	local name
	expect_status 0 "$PROSPECT" watch --format csv -i 0 --budget 0 \
		-m entries,exits,abandoned,walltime,inside \
		"$BIN/tails:direct" "$BIN/tails:indirect" -- "$BIN/tails" abandon > "$T/csv"
	for name in direct indirect; do
		expect_calls "$name\$" entries 10
		expect_calls "$name\$" exits 0
		expect_calls "$name\$" abandoned 10
		expect_calls "$name\$" inside 0
		[ "$name" = indirect ] && [ "$(uname -m)" != x86_64 ] || expect_own_time $name
	done
}

test_watch_forecast() {
	need_counts_of_calls
	expect_status 0 "$PROSPECT" watch --dry-run "$BIN/called:work" > "$T/out"
	grep -q 'uprobe' "$T/out" || fail "no mechanism:" "$(cat "$T/out")"
	grep -q 'a call: about' "$T/out" || fail "no cost of a call:" "$(cat "$T/out")"
	grep -q 'cost: 0 % of a CPU' "$T/out" || fail "nothing calls it:" "$(cat "$T/out")"
}

# What --list promises --dry-run finds, and is silent where there is no way.
test_watch_forecast_of_the_kernel() {
	need_counts_of_calls
	local used name
	# The name of a function that /proc/kallsyms has once.
	name=$(awk '!/\[/ && $2 == "T" && $3 ~ /^vfs_[a-z]+$/ { print $3 }' /proc/kallsyms | sort | uniq -u | head -n 1)
	[ -n "$name" ] || skip "the kernel has no names"
	expect_status 0 "$PROSPECT" watch --list "kernel:$name" > "$T/list"
	if grep -q 'no way to watch it' "$T/list"; then
		expect_status 1 "$PROSPECT" watch --dry-run "kernel:$name" > "$T/out"
		expect_line "$name cannot be watched"
		[ ! -s "$T/out" ] || fail "said before it failed:" "$(cat "$T/out")"
	else
		used=$(awk -v name="$name" '$1 ~ name "$" { print $NF; exit }' "$T/list")
		expect_status 0 "$PROSPECT" watch --dry-run --yes "kernel:$name" > "$T/out"
		grep -qx "functions in the kernel: 1 ($used)" "$T/out" || fail "$(cat "$T/list" "$T/out")"
	fi
}

test_watch_wrong_command_lines() {
	local arguments
	compile called called.c
	for arguments in "" "WORK --by nothing" "WORK --format yaml" "WORK --metric nothing" \
		"WORK -p nobody" "WORK -C x" "WORK -p 1 -- true" "WORK --" \
		"WORK --list --format json" "WORK --list --dry-run" "WORK --dry-run --format csv" \
		"WORK --plot --format csv" "WORK -r --format csv" "WORK -r --at +0" \
		"WORK -r --each-block" "WORK --at +0 --each-block" "WORK -C 8191" \
		"WORK --comm sixteen-letters-"; do
		# shellcheck disable=SC2086 # words
		expect_status 2 "$PROSPECT" watch ${arguments/WORK/"$BIN/called:work"}
		expect_line watch
	done
	expect_status 2 "$PROSPECT" watch "$BIN/called:work" --if 'arg1 >'
	expect_line 'number'
	# No process ever has the number that is PID_MAX_LIMIT.
	expect_status 1 "$PROSPECT" watch -p 4194304 "$BIN/called:work"
	expect_line 'process 4194304 does not exist'
	expect_status 1 "$PROSPECT" watch -p $$,4194304 --dry-run "$BIN/called:work"
	expect_line 'process 4194304 does not exist'
}

# More functions than can be watched at a time are refused.
test_watch_tells_its_limit() {
	awk 'BEGIN {
		print ".text"
		for (i = 0; i < 65600; i++)
			printf ".globl f%d\n.type f%d, %%function\nf%d: nop\n.size f%d, 1\n", i, i, i, i
	}' > "$T/many.s"
	${CC:-cc} -shared -nostdlib -o "$T/many.so" "$T/many.s" || fail "many.s cannot be assembled"
	expect_status 2 "$PROSPECT" watch -n "$T/many.so:*"
	expect_told 'too many functions \(at most 65536' # where it takes long, after its progress
}

# check_ends PROGRAM WAY FUNCTION...: the program says itself what a watch has to say of it. A time lies
# between what was measured within calls and around them, by the same clock.
check_ends() {
	local program=$1 way=$2 name targets=()
	shift 2
	for name in "$@"; do targets+=("$program:$name"); done
	expect_status 0 "$PROSPECT" watch -i 0 --budget 0 --format csv -f "$T/csv" \
		-m entries,exits,exits-jump,abandoned,end-not-seen,stack-switched,errors,walltime \
		"${targets[@]}" \
		-- "$program" "$way" > "$T/truth"
	check_said "$T/truth" total_of_function
}

total_of_function() {
	total_of ":$1\$" "$2"
}

test_watch_knows_how_calls_end() {
	local frame
	need_counts_of_calls
	need g++
	for frame in -fomit-frame-pointer -fno-omit-frame-pointer; do
		g++ -std=c++20 -O2 -g $frame -o "$T/ends" "$HERE/programs/ends.cc" ||
			fail "ends.cc cannot be compiled"
		check_ends "$T/ends" all first second third thrower through catching interrupted handling step resume
	done
}

# longjmp to exactly where a watched call returns to, out of several calls at a time, out of handlers on
# a stack for signals, and unwinding that no probe sees: no call that was left gets the time of what
# comes after it, nor is a later one charged with it.
test_watch_follows_leaps() {
	local options compiler
	need_counts_of_calls
	need g++
	for compiler in "${CC:-cc} -std=gnu11" "${CXX:-c++} -x c++"; do
		for options in '-fomit-frame-pointer' '-fno-omit-frame-pointer -fexceptions'; do
			# shellcheck disable=SC2086 # several words
			$compiler -O2 -g -pthread $options -o "$T/leaps" "$HERE/programs/leaps.c" ||
				fail "leaps.c cannot be compiled"
			check_ends "$T/leaps" site either keep leap deeper later
			check_ends "$T/leaps" nested outermost middle innermost later
			check_ends "$T/leaps" signals interrupted handling leaving later
			check_ends "$T/leaps" thread interrupted handling leaving later
			check_ends "$T/leaps" unseen pass_on vanish later
			check_ends "$T/leaps" other pass_on vanish
			check_ends "$T/leaps" last pass_on vanish
		done
	done
}

# Functions that are nothing but a jump or a return, chains of jumps, thousands of places that one
# function returns to, and jumps amid recursion: each call has one end, where it returns.
test_watch_follows_chains_of_jumps() {
	local options compiler
	need_counts_of_calls
	need g++
	for compiler in "${CC:-cc} -std=gnu11" "${CXX:-c++} -x c++"; do
		for options in '-fomit-frame-pointer' '-fno-omit-frame-pointer' '-fcf-protection'; do
			[ "$options" != -fcf-protection ] || [ "$(uname -m)" = x86_64 ] || continue
			# shellcheck disable=SC2086 # several words
			$compiler -O2 -g $options -o "$T/hops" "$HERE/programs/hops.c" ||
				fail "hops.c cannot be compiled"
			check_ends "$T/hops" all \
				first second third outside nothing hop skip often deep last
		done
	done
}

# What the command writes goes elsewhere, and nothing is left beside the file.
test_watch_writes_to_a_file() {
	local option
	need_counts_of_calls
	echo old > "$T/csv"
	expect_status 7 "$PROSPECT" watch --format csv -i 0 --budget 0 -f "$T/csv" \
		"$BIN/called:work" -- sh -c "echo mixed; exec $BIN/called 30" > "$T/stdout"
	[ "$(cat "$T/stdout")" = mixed ] || fail "stdout has" "$(cat "$T/stdout")"
	! grep -q mixed "$T/csv" || fail "what the command wrote is in the file"
	expect_calls work entries 30
	rm "$T/csv"
	"$PROSPECT" watch -i 0 --format csv -f - "$BIN/called:work" -- "$BIN/called" 3 > "$T/csv"
	expect_calls work entries 3
	for option in -f -o --file --output; do
		echo old > "$T/list"
		"$PROSPECT" watch --list "$BIN/called:work" $option "$T/list" > "$T/stdout"
		[ ! -s "$T/stdout" ] || fail "--list $option writes to stdout"
		grep -q work "$T/list" && ! grep -q old "$T/list" || fail "--list $option wrote nothing"
		rm "$T/list"
	done
	"$PROSPECT" watch -n "$BIN/called:work" -o "$T/cost" > "$T/stdout"
	[ ! -s "$T/stdout" ] || fail "-n -o writes to stdout"
	grep -q '^attaching' "$T/cost" || fail "-n -o wrote nothing"
}

# A watch that fails leaves the file as it was, and one that cannot be written is found first.
test_watch_keeps_the_file_when_it_fails() {
	need_counts_of_calls
	echo old > "$T/csv"
	expect_status 1 "$PROSPECT" watch -f "$T/csv" "$BIN/called:nothing" -- touch "$T/ran"
	expect_status 127 "$PROSPECT" watch -f "$T/csv" "$BIN/called:work" -- "$T/no-such-program"
	[ "$(cat "$T/csv")" = old ] || fail "it was replaced by:" "$(cat "$T/csv")"
	expect_status 1 "$PROSPECT" watch -f "$T/no/such/folder" "$BIN/called:work" -- touch "$T/ran"
	expect_line 'no/such/folder'
	[ ! -e "$T/ran" ] || fail "the command ran"
	[ "$(find "$T" -maxdepth 1 -name '*csv*' | wc -l)" = 1 ] || fail "$(ls "$T")"
}

test_watch_file_belongs_to_the_user() {
	need_counts_of_calls
	mkdir "$T/user" && chown 65534:65534 "$T/user"
	expect_status 7 env SUDO_UID=65534 SUDO_GID=65534 "$PROSPECT" watch -i 0 --budget 0 \
		-f "$T/user/text" "$BIN/called:work" -- "$BIN/called" 3
	[ "$(stat -c %u "$T/user/text")" = 65534 ] || fail "$(ls -l "$T/user")"
}

test_watch_without_permission() {
	need_root
	need setpriv
	[ -x "$BIN/called" ] || compile called called.c
	cp "$BIN/called" "$T/called" && chmod 755 "$T" "$T/called"
	cp "$PROSPECT" "$T/prospect" && chmod 755 "$T/prospect"
	expect_status 1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$T/prospect" watch "$T/called:work" -d 1
	expect_line 'root'
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# prospect count: numbers that are known beforehand, or that perf(1) counts as well. Between two
# runs of one program that differ in what they do, the difference is exact.

# counted FILE COLUMN: sums of the CSV in FILE, by event: "event number".
count_sums() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["event"] == name { sum += $column["count"]; n++ }
		END { if (n) printf "%.0f", sum; else print "none" }' "$1"
}

# count_csv FILE [OPTION...] -- COMMAND...
count_csv() {
	local file=$1
	shift
	"$PROSPECT" count --format csv -f "$file" "$@" > "$T/stdout" 2> "$T/stderr" ||
		fail "count ended with $?: $*" "$(tail -n 5 "$T/stderr")"
}

# Where only user mode may be counted, events are called so.
fault_event() {
	"$PROSPECT" count -e page-faults --format csv true 2>&1 | awk -F, 'NR == 2 { print $1 }'
}

# faults_said FILE [minor | major]: how many the kernel itself counted of the process, as "counted" says.
faults_said() {
	awk -v kind="${2:-all}" '$1 == "faults" { said = 1; print (kind != "major") * $2 + (kind != "minor") * $3 }
		END { if (!said) print "none" }' "$1"
}

# expect_faults ROWS EVENT: as many were counted as the process says in $T/stdout, but for those before its
# exec, and those that the kernel made for it where only user mode is counted.
expect_faults() {
	local counted said
	counted=$(count_sums "$1" "$2") said=$(faults_said "$T/stdout")
	holds "$counted - $said <= 20 && $said - $counted <= 20" ||
		fail "$counted faults were counted, the process says $said" "$(cat "$1" "$T/stdout")"
}

# How many faults some pages are differs by kernel, as one may bring several. The kernel counts them for
# getrusage(2) as well.
test_count_page_faults() {
	local event pages
	event=$(fault_event)
	for pages in 100 20100; do
		count_csv "$T/rows" -e page-faults -- "$BIN/counted" $pages 0
		expect_faults "$T/rows" "$event"
	done
}

test_count_system_calls() {
	local none some
	need_root && need_tracefs
	count_csv "$T/none" -e raw_syscalls:sys_enter -- "$BIN/counted" 0 0
	count_csv "$T/some" -e raw_syscalls:sys_enter -- "$BIN/counted" 0 12345
	none=$(count_sums "$T/none" raw_syscalls:sys_enter)
	some=$(count_sums "$T/some" raw_syscalls:sys_enter)
	[ $((some - none)) = 12345 ] || fail "12345 calls are $((some - none))"
}

# perf_sums FILE EVENT: as count_sums, of what perf stat -x, wrote.
perf_sums() {
	awk -F, -v name="$2" '$3 == name { print $1 + 0 == $1 ? $1 : "none" }' "$1"
}

# perf stat counts the same of what a second run does more than a first one. Of faults that is what the
# processes themselves say: what is in memory already makes a difference from run to run.
test_count_as_perf_does() {
	local event ours theirs kind calls
	local events=raw_syscalls:sys_enter,page-faults,minor-faults,major-faults
	need_root && need_tracefs && need perf
	for calls in 100 5000; do
		count_csv "$T/ours-$calls" -e $events -- "$BIN/counted" $calls $calls
		cp "$T/stdout" "$T/ours-said-$calls"
		perf stat -x, -o "$T/theirs-$calls" -e $events "$BIN/counted" $calls $calls \
			> "$T/theirs-said-$calls" || skip "perf stat does not work here"
	done
	for event in ${events//,/ }; do
		ours=$(($(count_sums "$T/ours-5000" $event) - $(count_sums "$T/ours-100" $event)))
		theirs=$(perf_sums "$T/theirs-5000" $event)
		[ "$theirs" != none ] || skip "this perf counts no $event"
		theirs=$((theirs - $(perf_sums "$T/theirs-100" $event)))
		if [[ "$event" = *-faults ]]; then
			kind=${event%-faults}
			ours=$((ours - $(faults_said "$T/ours-said-5000" $kind) + $(faults_said "$T/ours-said-100" $kind)))
			theirs=$((theirs - $(faults_said "$T/theirs-said-5000" $kind) +
				$(faults_said "$T/theirs-said-100" $kind)))
		fi
		holds "$ours - ($theirs) <= 30 && $theirs - ($ours) <= 30" ||
			fail "$event: $ours, perf says $theirs" "$(cat "$T"/ours-* "$T"/theirs-*)"
	done
}

# What perf stat's own events say of a command whose every part is counted apart.
check_rows_sum() {
	local by=$1 whole rows
	count_csv "$T/rows" -e raw_syscalls:sys_enter --by "$by" -- sh "$T/script"
	count_csv "$T/whole" -e raw_syscalls:sys_enter -- sh "$T/script"
	whole=$(count_sums "$T/whole" raw_syscalls:sys_enter)
	rows=$(count_sums "$T/rows" raw_syscalls:sys_enter)
	[ "$rows" = "$whole" ] || fail "rows by $by add up to $rows, the whole is $whole"
}

# The shell starts each and waits, so that nothing depends on who is first.
write_script() {
	cp "$BIN/counted" "$T/other"
	cat > "$T/script" <<END
$BIN/counted 0 1000
$BIN/counted 0 2000
$BIN/counted 0 3000 0 exec $T/other
exec $BIN/counted 0 500
END
}

test_count_rows_add_up() {
	need_root && need_tracefs
	write_script
	check_rows_sum program
	check_rows_sum process
	check_rows_sum thread
}

# Each program has what it did, before and after exec.
test_count_programs() {
	local base calls
	need_root && need_tracefs
	write_script
	count_csv "$T/rows" -e raw_syscalls:sys_enter --by program -- sh "$T/script"
	count_csv "$T/base" -e raw_syscalls:sys_enter -- "$BIN/counted" 0 0
	base=$(count_sums "$T/base" raw_syscalls:sys_enter)
	calls=$(awk -F, -v path="$BIN/counted" '$1 == path { print $3 }' "$T/rows")
	# What a program does before the record of its exec is the shell's, which it was before.
	holds "$calls >= 6500 + 4 * $base - 40 && $calls <= 6500 + 4 * $base + 10" ||
		fail "the program that was executed four times made $calls calls, alone it makes $base"
	awk -F, -v path="$T/other" '$1 == path { found = 1 } END { exit !found }' "$T/rows" ||
		fail "what was executed by exec has no row:" "$(cat "$T/rows")"
}

test_count_threads() {
	local rows
	count_csv "$T/rows" -e task-clock --by thread -- "$BIN/counted" 0 0 7
	rows=$(awk -F, 'NR > 1 && $5 ~ /^task-clock/ && $6 > 0' "$T/rows" | wc -l)
	[ "$rows" = 8 ] || fail "seven threads and the first one are $rows rows:" "$(cat "$T/rows")"
}

# names_of_threads FILE: each thread name once, in order.
names_of_threads() {
	grep -Eo '(first-)?renamed(-[0-9])?|\[not known\]' "$1" | sort -u | tr '\n' ' '
}

# Threads are called what they were called when they ended, though they were not asked before.
test_count_renamed_threads() {
	local wanted="first-renamed renamed-0 renamed-1 renamed-2 renamed-3 " way
	compile renames renames.c -pthread || fail "renames.c does not compile"
	count_csv "$T/rows" -e task-clock --by thread -- "$BIN/renames" 4
	[ "$(names_of_threads "$T/rows")" = "$wanted" ] ||
		fail "names of a command's threads:" "$(cat "$T/rows")"
	for way in thread process; do
		"$BIN/renames" 4 "$T/go-$way" > "$T/ready-$way" &
		until_true has_lines 1 "$T/ready-$way"
		"$PROSPECT" count --format csv -p $! -I 50 -e task-clock --by $way > "$T/$way" &
		until_true has_lines 2 "$T/$way"
		touch "$T/go-$way"
		wait
		! grep -F '[not known]' "$T/$way" || fail "by $way a name was lost"
	done
	[ "$(names_of_threads "$T/thread")" = "$wanted" ] ||
		fail "names of a process's threads:" "$(cat "$T/thread")"
	grep -qF "$BIN/renames," "$T/process" || fail "no program:" "$(cat "$T/process")"
}

# Many threads rename themselves and end while count reads the others. If names were read before counts,
# about half of the rounds would fail.
test_count_threads_that_end_renamed() {
	local pid round
	compile renames renames.c -pthread || fail "renames.c does not compile"
	{ echo first-renamed; seq -f 'renamed-%.0f' 0 63; } | sort > "$T/wanted"
	for round in 1 2 3 4; do
		"$BIN/renames" 64 "$T/go-$round" > "$T/ready-$round" &
		pid=$!
		until_true has_lines 1 "$T/ready-$round"
		"$PROSPECT" count --format csv -p $pid -I 2 -e task-clock --by thread > "$T/rows-$round" &
		until_true has_lines 2 "$T/rows-$round"
		touch "$T/go-$round"
		wait
		grep -Eo '(first-)?renamed(-[0-9]+)?' "$T/rows-$round" | sort -u |
			diff "$T/wanted" - > "$T/diff" || fail "names:" "$(cat "$T/diff")"
	done
}

# A name may have a newline or be empty: no part of it, and nothing else, stands for it.
test_count_odd_thread_names() {
	cat > "$T/odd.c" <<-'END'
		#include <pthread.h>
		#include <sys/prctl.h>
		static void *named(void *name)
		{
			prctl(PR_SET_NAME, name);
			return NULL;
		}
		int main(void)
		{
			pthread_t threads[2];
			pthread_create(&threads[0], NULL, named, "first\nsecond");
			pthread_create(&threads[1], NULL, named, "");
			for (int i = 0; i < 2; i++)
				pthread_join(threads[i], NULL);
			prctl(PR_SET_NAME, "last");
			return 0;
		}
	END
	${CC:-cc} "$T/odd.c" -o "$T/odd" -pthread || fail "no program"
	"$PROSPECT" count -e task-clock --by thread -- "$T/odd" 2> "$T/text"
	awk 'NF == 4 && $1 ~ /^[0-9]+$/ { print $4 }' "$T/text" | sort > "$T/names"
	printf '%s\n' - 'first\x0asecond' last | sort | diff - "$T/names" > "$T/diff" ||
		fail "names given, and ours:" "$(cat "$T/diff" "$T/text")"
}

# The layout of pfmon's example: a compilation, as the programs end.
test_count_follow_all() {
	cat > "$T/hello.c" <<END
int main(void) { return 0; }
END
	# shellcheck disable=SC2086 # a compiler may be several words; it is to run, whatever is cached
	CCACHE_DISABLE=1 "$PROSPECT" count --follow-all --us-c -etask-clock,page-faults -- \
		${CC:-cc} "$T/hello.c" -o "$T/hello" 2> "$T/stderr" || fail "count ended with $?"
	[ -x "$T/hello" ] || fail "nothing was compiled"
	grep -Eq '^ *[0-9]{1,3}(,[0-9]{3})* task-clock(:u)? +/.*/cc1$' "$T/stderr" ||
		fail "no row of cc1 as it was:" "$(cat "$T/stderr")"
	grep -E ' page-faults' "$T/stderr" | awk '{ print $3 }' > "$T/order"
	awk '/cc1$/ && !a { a = NR } /\/ld$|collect2$/ { b = NR } END { exit !(a && b && a < b) }' \
		"$T/order" || fail "not in the order in which they ended:" "$(cat "$T/order")"
}

test_count_follow_exec() {
	write_script
	"$PROSPECT" count --follow-exec='cou*' -e task-clock -- sh "$T/script" 2> "$T/stderr"
	awk '/^ *[0-9,]+ task-clock/ { print $3 }' "$T/stderr" | sort > "$T/rows"
	printf '%s\n' "$BIN/counted" '[other' | sort | cmp -s - "$T/rows" ||
		fail "wrong rows:" "$(cat "$T/stderr")"
}

test_count_cpus() {
	local cpus
	need_root
	cpus=$(getconf _NPROCESSORS_ONLN)
	count_csv "$T/rows" -a --by cpu -e task-clock --duration 0.3
	# By a timer that may be late, but never early.
	awk -F, -v cpus="$cpus" 'NR > 1 { n++; if ($3 < 3e8) bad = 1 } END { exit bad || n != cpus }' \
		"$T/rows" || fail "$cpus CPUs for 0.3 s:" "$(cat "$T/rows")"
}

# On which CPUs a command ran is chance; that it was not elsewhere at the time is no reason
# to scale what was counted.
test_count_command_by_cpu() {
	count_csv "$T/rows" --by cpu -e page-faults -- "$BIN/counted" 5000 0
	expect_faults "$T/rows" "$(fault_event)"
	awk -F, 'NR > 1 && ($7 != "100.00" || $8 != "counted") { bad = 1 } END { exit bad }' \
		"$T/rows" || fail "not counted all the time:" "$(cat "$T/rows")"
}

# With -a a command is only how long is counted: what its figures are about is the machine.
test_count_tells_what() {
	local counted
	counted=$("$PROSPECT" count -e task-clock true 2>&1 | sed -n 's/^ Counted \(.*\) for .*/\1/p')
	[ "$counted" = true ] || fail "a command is called '$counted'"
	need_root
	counted=$("$PROSPECT" count -a -e task-clock --format json sh -c : 2>&1 |
		sed -n 's/.*"counted": "\(.*\)".*/\1/p')
	[ "$counted" = 'the whole machine while sh -c : ran' ] || fail "-a is called '$counted'"
	counted=$("$PROSPECT" count -C 0 -e task-clock true 2>&1 | sed -n 's/^ Counted \(.*\) for .*/\1/p')
	[ "$counted" = 'CPUs 0 while true ran' ] || fail "-C 0 is called '$counted'"
}

test_count_cannot_write() {
	[ -c /dev/full ] || skip "needs /dev/full"
	local status=0
	"$PROSPECT" count -e page-faults true 2> /dev/full || status=$?
	[ $status = 1 ] || fail "stderr took nothing, but the exit status is $status"
}

# Everything counted on a CPU belongs to a process, or to none.
test_count_machine_by_program() {
	local whole
	need_root
	"$PROSPECT" count -a --by program -e task-clock --duration 0.5 --format csv > "$T/rows" \
		2> "$T/stderr" || { grep -q 'BPF\|PID namespace' "$T/stderr" && skip "needs BPF"; }
	whole=$(count_sums "$T/rows" task-clock)
	holds "$whole >= 0.5e9 * $(getconf _NPROCESSORS_ONLN) * 0.99" ||
		fail "the rows have $whole ns" "$(cat "$T/rows" "$T/stderr")"
}

# In each interval, and of the first event.
test_count_machine_has_the_most_first() {
	need_root
	"$PROSPECT" count -a --by program -e page-faults,task-clock --interval 100 --format csv \
		-- "$BIN/loop" 0.3 > "$T/rows" 2>&1 ||
		{ grep -q 'BPF\|PID namespace' "$T/rows" && skip "needs BPF"; }
	awk -F , 'match($0, /,page-faults,[0-9]+/) {
			count = substr($0, RSTART + 13, RLENGTH - 13) + 0
			if ($1 == time && count > before) wrong = 1
			time = $1; before = count; rows++ }
		END { exit wrong || rows < 2 }' "$T/rows" || fail "in no order:" "$(cat "$T/rows")"
}

test_count_process() {
	local event
	event=$("$PROSPECT" count -e task-clock --format csv true 2>&1 | awk -F, 'NR == 2 { print $1 }')
	"$BIN/loop" 60 > "$T/loop" &
	count_csv "$T/rows" -p $! -e task-clock --duration 1
	kill $!
	[ "$(count_sums "$T/rows" "$event")" -gt 0 ] || fail "it used no time:" "$(cat "$T/rows")"
}

test_count_intervals() {
	count_csv "$T/parts" -I 5 -e page-faults -- "$BIN/counted" 5000 0
	expect_faults "$T/parts" "$(fault_event)"
	"$PROSPECT" count -I 20:3 -e task-clock -b -f "$T/three" -- sleep 2
	[ "$(grep -c '^timestamp,' "$T/three")" = 3 ] || fail "not three:" "$(cat "$T/three")"
}

# has_page_faults FILE NUMBER: so many lines.
has_page_faults() {
	[ "$(grep -c page-faults "$1")" -ge "$2" ]
}

# idle_intervals NAME OPTION...: two intervals, written to $T/NAME, while the command waits for them.
idle_intervals() {
	local file=$T/$1 counter
	"$PROSPECT" count -I 50:2 -e page-faults "${@:2}" -- sh -c 'read -r _ < "$0"' "$T/end" 2> "$file" &
	counter=$!
	until_true has_page_faults "$file" 2
	echo > "$T/end"
	wait $counter || fail "count ended with $?" "$(cat "$file")"
}

# A command that sleeps through an interval did nothing in it, which is a number.
test_count_idle_intervals() {
	local lines
	mkfifo "$T/end"
	idle_intervals csv --format csv
	idle_intervals json --format json
	idle_intervals brief -b
	lines=$(awk -F, 'NR > 1 && $2 ~ /^page-faults/ && $3 != ""' "$T/csv" | wc -l)
	[ "$lines" = 2 ] || fail "two intervals of CSV are $lines rows:" "$(cat "$T/csv")"
	[ "$(grep -c '"count":[0-9]' "$T/json")" = 2 ] || fail "of JSON:" "$(cat "$T/json")"
	[ "$(grep -c '^page-faults' "$T/brief")" = 2 ] || fail "of -b:" "$(cat "$T/brief")"
}

test_count_repeats() {
	count_csv "$T/rows" -r 5 -e page-faults -- sh -c "echo x >> $T/times"
	[ "$(wc -l < "$T/times")" = 5 ] || fail "it ran $(wc -l < "$T/times") times"
	awk -F, 'NR == 2 { exit !($2 > 0 && $3 <= $2 && $4 >= $2) }' "$T/rows" ||
		fail "no interval around the mean:" "$(cat "$T/rows")"
}

# counts_raw CONFIG: this machine counts that raw event. Some processors leave out the bits they do not know.
counts_raw() {
	compile opens opens.c || fail "opens.c does not compile"
	"$BIN/opens" 4 "$1" 2> "$T/opens"
}

# What cannot be counted is no number.
test_count_not_supported() {
	local events=context-switches:u,rffffffffffff rows=2
	! counts_raw 0xffffffffffff || events=${events%,*} rows=1
	count_csv "$T/rows" -e page-faults,$events -- true
	awk -F, -v rows=$rows '
		NR > 2 { if ($2 != "" || $7 == "counted") bad = 1; n++ } END { exit bad || n != rows }' \
		"$T/rows" || fail "a number for what cannot be counted:" "$(cat "$T/rows")"
}

test_count_keeps_the_command() {
	local out
	out=$(echo input | "$PROSPECT" count -f "$T/out" -- sh -c 'cat; exit 7' 2> "$T/stderr")
	[ $? = 7 ] && [ "$out" = input ] && [ ! -s "$T/stderr" ] && [ -s "$T/out" ] ||
		fail "status, input, output or file are not right"
	expect_status 7 "$PROSPECT" count --follow-all -- sh -c 'exit 7'
	expect_status 143 "$PROSPECT" count --by process -- sh -c 'kill -TERM $$'
	expect_status 127 "$PROSPECT" count "$T/not-there"
	expect_status 126 "$PROSPECT" count "$T"
	[ "$("$PROSPECT" count --follow-all -f /dev/null -- sh -c 'trap "echo caught" USR1
		kill -USR1 $$' 2>&1)" = caught ] || fail "a signal was lost on the way"
}

# Job control inside what is followed works as without.
test_count_follows_stops() {
	expect_status 0 timeout 60 "$PROSPECT" count --follow-all -f "$T/out" -- sh -c '
		sleep 60 & p=$!
		kill -STOP $p
		until grep -q "^State:.[Tt]" /proc/$p/status; do :; done
		kill -CONT $p
		while grep -q "^State:.[Tt]" /proc/$p/status; do :; done
		kill $p'
}

# What is still there when the command has ended goes on, untraced.
test_count_lets_go() {
	expect_status 0 timeout 60 "$PROSPECT" count --by process -f "$T/out" -- \
		sh -c "{ sleep 1; echo alive > $T/alive; } > /dev/null 2>&1 & exit 0"
	timeout 60 sh -c "until [ -s $T/alive ]; do sleep 0.05; done" || fail "it did not go on"
}

test_count_plain_user() {
	need_root && need setpriv
	cp "$PROSPECT" "$T/p" && chmod 755 "$T/p"
	cd /
	setpriv --reuid 65534 --regid 65534 --clear-groups "$T/p" count --by program \
		-e page-faults,sched:sched_switch,task-clock --format csv "$BIN/counted" 1000 0 \
		> "$T/rows" 2>&1 || true
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
		grep -q 'not permitted' "$T/rows" || fail "no reason:" "$(cat "$T/rows")"
		return
	fi
	grep -q 'cannot find tracepoint' "$T/rows" || fail "a tracepoint needs root:" "$(cat "$T/rows")"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$T/p" count --by program \
		-e page-faults,task-clock --format csv "$BIN/counted" 1000 0 > "$T/rows" 2>&1
	awk -F, '$2 ~ /^page-faults/ && $3 >= 1000 { found = 1 } END { exit !found }' "$T/rows" ||
		fail "1000 pages are not counted:" "$(cat "$T/rows")"
}

# Nothing is waited for that cannot come; the command is not run uncounted.
test_count_nothing_permitted() {
	need_root && need setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] || skip "everybody may count"
	cp "$PROSPECT" "$T/p" && chmod 755 "$T/p"
	cd /
	expect_status 1 timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$T/p" \
		count -a --duration 1h -e task-clock,page-faults
	expect_line '^prospect count: counting is not permitted: .*perf_event_paranoid'
	! grep -q sampling "$T/stderr" || fail "nothing is sampled:" "$(cat "$T/stderr")"
}

test_count_contradictions() {
	expect_status 2 "$PROSPECT" count -p 1 -a
	expect_line '^prospect count: -p and -a cannot be used together'
	expect_status 2 "$PROSPECT" count -t 1 -C 0
	expect_line '^prospect count: -t and -C cannot be used together'
	expect_status 2 "$PROSPECT" count -p 1 true
	expect_line '^prospect count: -p and a command cannot be used together'
}

test_count_wrong_command_lines() {
	local line
	while read -r line; do
		# shellcheck disable=SC2086 # words of a command line
		expect_status 2 "$PROSPECT" count $line
		expect_line .
	done <<END

-e nosuch true
-e page-faults, true
-e {page-faults true
-e page-faults@100 true
--by colour true
--format xml true
-I 0 true
-I 5:x true
-p 1 -t 1
-p 1 true
-p x
-r 2 -a
-r 2 -I 5 true
-r 2 --by thread true
-i --by program true
--follow-all --by cpu true
-b --format csv true
--us-c --eu-c true
END
}

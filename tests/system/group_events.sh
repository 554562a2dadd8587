# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# prospect events, and the same names in prospect record.

# What is listed can be written; tracepoints and the rest have the numbers that the kernel gives.
test_events_list() {
	"$PROSPECT" events --format csv > "$T/events" 2> "$T/stderr" || fail "events ended with $?"
	grep -qx 'page-faults,software,1,0x2,page faults,' "$T/events" || fail "no page-faults"
	grep -q '^cycles,hardware,0,0,' "$T/events" || fail "no cycles"
	grep -q '^LLC-load-misses,cache,3,0x10002,' "$T/events" || fail "no LLC-load-misses"
	expect_status 1 "$PROSPECT" events nothing-like-this
	[ "$("$PROSPECT" events -n 'page-fault*')" = page-faults ] || fail "a glob matches otherwise"
}

test_events_tracepoints() {
	local id
	need_tracefs
	id=$(printf '%#x' "$(cat /sys/kernel/tracing/events/sched/sched_switch/id)")
	"$PROSPECT" events --format csv 'sched:sched_switch' | grep -qx "sched:sched_switch,tracepoint,2,$id,," ||
		fail "sched:sched_switch is not $id"
}

# Why they are not to be seen: they are root's only where they are mounted.
test_events_say_why_there_are_no_tracepoints() {
	need_root
	need unshare
	need setpriv
	grep -q '	tracefs$' /proc/filesystems || skip "this kernel has no tracefs"
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	local not_mounted='tracefs is not mounted \(sudo mount -t tracefs tracefs /sys/kernel/tracing\)'
	# run_with MOUNTS COMMAND...
	run_with() {
		# shellcheck disable=SC2016 # the words are for sh
		unshare -m sh -c 'eval "$0" && exec "$@"' "$@"
	}
	local hide='mount -t tmpfs none /sys/kernel/tracing && { [ ! -d /sys/kernel/debug ] ||
		mount -t tmpfs none /sys/kernel/debug; }'
	expect_status 0 run_with "$hide" "$PROSPECT" events > "$T/events"
	expect_told "$not_mounted"
	! grep -q 'only root' "$T/stderr" || fail "the message to root says that they are root's"
	expect_status 2 run_with "$hide" "$PROSPECT" count -e sched:sched_switch true
	expect_line "$not_mounted"
	expect_status 2 run_with "$hide" "$PROSPECT" count -e 'sched:*' true
	expect_line "$not_mounted"
	run_with "$hide && mount -t tracefs tracefs /sys/kernel/tracing" true 2> /dev/null || return 0
	hide="$hide && mount -t tracefs tracefs /sys/kernel/tracing"
	run_with "$hide" "$PROSPECT" events -n 'sched:*' | grep -q '^sched:sched_switch$' ||
		fail "mounted, and not listed"
	expect_status 2 run_with "$hide" "$PROSPECT" count -e sched:nosuch true
	expect_line 'this kernel has no tracepoint sched:nosuch'
	run_with "$hide" setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PROSPECT" events > "$T/events" 2> "$T/stderr" || fail "$(cat "$T/stderr")"
	expect_told "only root can read tracefs; run with sudo"
}

# The processor manuals' codes, by way of libpfm4: event 0xc0, unit mask 0 of Skylake.
test_events_of_processors() {
	"$PROSPECT" events -a --format csv 'skl::INST_RETIRED' > "$T/events" 2> "$T/stderr"
	[ -s "$T/events" ] || skip "needs libpfm4"
	grep -q '^skl::INST_RETIRED,skl,.*ANY_P' "$T/events" || fail "no unit masks:" "$(cat "$T/events")"
	LIBPFM_ENCODE_INACTIVE=1 "$PROSPECT" events -c skl::INST_RETIRED:ANY_P:u --format csv > "$T/check" 2>&1
	grep -Eq '^skl::INST_RETIRED:ANY_P:u,.*,4,0x[0-9a-f]*c0,' "$T/check" ||
		fail "not the code of the manual:" "$(cat "$T/check")"
}

test_events_check() {
	local options raw=1
	expect_status 0 "$PROSPECT" events -c 'task-clock:u,{page-faults:u,minor-faults:u}'
	expect_status 1 "$PROSPECT" events -c 'page-faults:u,context-switches:u'
	! counts_raw 0xffffffffffff || raw=0
	expect_status $raw "$PROSPECT" events -c 'page-faults:u,rffffffffffff'
	expect_status 2 "$PROSPECT" events -c nosuch
	expect_line 'unknown event'
	for options in '-n --format json' '-c task-clock -n' '-c task-clock -a' '-c task-clock clock'; do
		# shellcheck disable=SC2086 # words
		expect_status 2 "$PROSPECT" events $options
		expect_line 'cannot be used with'
	done
}

# expect_weight SLACK: what $T/p.prof has of the event page-faults@50 of $T/touches weighs what the process
# itself says in $T/stdout. A sample that found a ring full may have stood for half more than others.
expect_weight() {
	local weight said lost
	weight=$("$PROSPECT" report "$T/p.prof" --by program --select "exe=$T/touches" --format csv |
		awk -F, '$2 == "page-faults@50" { print $4 }')
	[ -n "$weight" ] || fail "there is no such event"
	said=$(faults_said "$T/stdout")
	lost=$("$PROSPECT" report "$T/p.prof" --by mode --format json | tr '{' '\n' |
		sed -n 's/.*"name": "page-faults@50".*"lost": \([0-9]*\).*/\1/p')
	holds "$weight >= $said * (1 - $1) - 75 * $lost && $weight <= $said * (1 + $1)" ||
		fail "$said faults weigh $weight, $lost samples were lost"
}

# Sampling at every so many events: the weights are what was counted, within the counts' step. Where the
# steps change one is half as wide on average.
test_events_sampled_by_count() {
	need_root
	cp "$BIN/counted" "$T/touches"
	record "$T/p.prof" --stacks none -e page-faults@50 -- "$T/touches" 200000 0
	expect_weight 0.009
}

# Another recorder comes later and samples the same faults: the kernel leaves its ids in our samples.
test_events_that_another_samples_too() {
	local lost
	need_root
	cp "$BIN/counted" "$T/touches"
	record "$T/p.prof" --stacks none -e page-faults@50 -- "$PROSPECT" record --stacks none -q \
		-e page-faults@1 -o "$T/other.prof" -- "$T/touches" 200000 0
	expect_weight 0.03
	lost=$(header "$T/p.prof" malformed)
	[ "$lost" = 0 ] || fail "$lost records could not be read"
}

test_events_too_small_a_count() {
	expect_status 2 "$PROSPECT" record -e cycles@100 true
	expect_line 'so small a count'
	expect_status 2 "$PROSPECT" record -e '{page-faults,minor-faults}' true
	expect_line 'groups are for counting'
}

# Two events with rates of their own, a column each.
test_events_sampled_by_rate() {
	need_root
	record "$T/p.prof" -e page-faults@100hz,minor-faults@1 -- "$BIN/counted" 20000 0
	"$PROSPECT" report "$T/p.prof" --by event --format csv | cut -d, -f 1 | sort > "$T/names"
	printf '%s\n' cpu-clock event minor-faults@1 page-faults@100hz | sort | cmp -s - "$T/names" ||
		fail "other events:" "$(cat "$T/names")"
}

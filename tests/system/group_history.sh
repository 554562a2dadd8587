# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Always on: start, status, pause, resume, stop, and what is left when something is killed.

# begin_history OPTION...: into $T/h; what was started ends with the test.
begin_history() {
	need_root
	trap '"$PROSPECT" stop --history "$T/h" 2> /dev/null' EXIT
	expect_status 0 "$PROSPECT" start --history "$T/h" "$@"
}

# status KEY: of the history, as JSON has it.
status() {
	"$PROSPECT" status --format json --history "$T/h" | tr ',' '\n' | sed -n "s/^{\?\"$1\":\"\?\([^\"}]*\).*/\1/p"
}

is_status() {
	[ "$(status "$1")" = "$2" ]
}

segments() {
	find "$T/h" -name '*.prof' | sort
}

has_segments() {
	[ "$(segments | wc -l)" -ge "$1" ]
}

recorder() {
	pgrep -P "$(status pid)" | tail -n 1
}

# burn SECONDS NAME: uses so much processor time under a name of its own.
burn() {
	cp "$BIN/loop" "$T/$2"
	"$T/$2" "$1"
}

# samples_in_history PROGRAM FILE: 0 if there is none.
samples_in_history() {
	"$PROSPECT" report --format csv --by program --select "program=$1" "$2" | awk -F, 'NR > 1 { sum += $3 } END { print sum + 0 }'
}

# is_openmetrics FILE: each family has its type before its samples, which are together; a unit is the end of its
# name; a counter's sample is called _total; and the last line says that it is the last.
is_openmetrics() {
	awk '
	last { bad("a line after # EOF") }
	$0 == "# EOF" { last = 1; next }
	/^# TYPE / {
		if (NF != 4 || $3 in type || $4 !~ /^(counter|gauge)$/) bad("type")
		family = $3
		type[family] = $4
		next
	}
	/^# UNIT / { if (NF != 4 || $3 != family || $3 !~ "_" $4 "$") bad("unit"); next }
	/^# HELP / { if (NF < 4 || $3 != family) bad("help"); next }
	{
		if (NF != 2 || $2 !~ /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/) bad("value")
		if ($1 != family (type[family] == "counter" ? "_total" : "")) bad("name")
		samples++
	}
	function bad(what) { printf "# line %d, %s: %s\n", NR, what, $0; wrong = 1 }
	END { exit wrong || !last || !samples }' "$1"
}

# What runs before a pause and after it is there, what runs in between is not, and the account says so.
test_history_has_what_ran() {
	begin_history
	is_status state recording || fail "not recording" "$("$PROSPECT" status --history "$T/h")"
	expect_status 1 "$PROSPECT" start --history "$T/h"
	grep -q 'is being recorded into since ' "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	"$PROSPECT" status --format openmetrics --history "$T/h" > "$T/metrics"
	is_openmetrics "$T/metrics" || fail "metrics" "$(cat "$T/metrics")"
	grep -q '^prospect_recording 1$' "$T/metrics" || fail "metrics" "$(cat "$T/metrics")"
	burn 1 before
	expect_status 0 "$PROSPECT" pause --history "$T/h"
	is_status state paused || fail "not paused"
	burn 1 between
	expect_status 0 "$PROSPECT" resume --history "$T/h"
	until_true is_status state recording
	burn 1 after
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	has_segments 2 || fail "segments" "$(segments)"
	[ "$(samples_in_history before "$T/h")" -gt 10 ] || fail "what ran before is not there"
	[ "$(samples_in_history after "$T/h")" -gt 10 ] || fail "what ran after is not there"
	[ "$(samples_in_history between "$T/h" 2> /dev/null)" = 0 ] || fail "what ran in the pause is there"
	"$PROSPECT" report --quality "$T/h" | grep -q 'not recorded [1-9]' || fail "no gap in the account"
	"$PROSPECT" status --history "$T/h" | grep -q '^Always on *off' || fail "it is not off"
	expect_status 1 "$PROSPECT" stop --history "$T/h"
}

# A recorder that is killed costs its segment's last seconds, a supervisor that is killed ends them; others take
# over, and the status says what happened.
test_history_goes_on() {
	local supervisor
	begin_history
	kill -9 "$(recorder)"
	until_true is_status failures 1
	until_true is_status state recording
	"$PROSPECT" status --history "$T/h" | grep -q 'was killed by signal 9' ||
		fail "said" "$("$PROSPECT" status --history "$T/h")"
	supervisor=$(status pid)
	kill -9 "$supervisor"
	until_true is_status state recording
	[ "$(status pid)" != "$supervisor" ] || fail "the supervisor was not killed"
	burn 1 after
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	[ "$(samples_in_history after "$T/h")" -gt 10 ] || fail "what ran after is not there"
	! pgrep -f "start --history $T/h" > /dev/null || fail "something is still running"
}

# Other users cannot stop it, and cannot read it.
test_history_is_roots() {
	begin_history
	need setpriv
	expect_status 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" stop --history "$T/h"
	grep -q 'permission denied' "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	chmod 755 "$T" "$T/h"
	chmod 666 "$T/h/control"
	expect_status 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" stop --history "$T/h"
	grep -q 'only root' "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	expect_status 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT" report "$(segments | head -n 1)"
	is_status state recording || fail "it was stopped"
}

# The group of the folder can read it and mark it, no more.
test_history_is_for_a_group() {
	local word nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups "$PROSPECT")
	need_root
	need setpriv
	mkdir -m 750 "$T/h"
	chgrp 65534 "$T/h"
	begin_history
	burn 0.5 early
	expect_status 0 "${nobody[@]}" mark --history "$T/h" "by a member"
	expect_status 0 "${nobody[@]}" flush --history "$T/h"
	"${nobody[@]}" status --history "$T/h" | grep -q '^Always on *recording' || fail "no status"
	"${nobody[@]}" query "SELECT text FROM marks" "$(segments)" | grep -q '^by a member' || fail "no mark"
	"${nobody[@]}" report --by program "$(segments)" | grep -q early || fail "no report"
	for word in stop pause resume restart reload reset; do
		expect_status 1 "${nobody[@]}" $word --history "$T/h"
		grep -q 'only root' "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	done
	[ "$(find "$T/h" -perm /007 | wc -l)" = 0 ] || fail "others" "$(ls -la "$T/h")"
}

# A user who may not read the history of the machine learns that there is one, and for whom.
test_history_that_may_not_be_read_is_named() {
	local word group nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$T/user"
		XDG_STATE_HOME="$T/user/state" PROSPECT_HISTORY="$T/h" "$PROSPECT")
	need_root
	need setpriv
	group=$(getent group 1 | cut -d: -f1)
	mkdir -m 777 "$T/user"
	mkdir -m 700 "$T/h"
	for word in report 'report --since 10m' graph 'flame -o -' 'query SELECT(1)' 'diff --since 1h --against 1d' \
		'export --format collapsed'; do
		# shellcheck disable=SC2086 # several words
		expect_status 1 "${nobody[@]}" $word
		expect_line "no profile yet .*; the history of this machine, $T/h, is only for root: use sudo\$"
	done
	chgrp "$group" "$T/h"
	chmod 750 "$T/h"
	expect_status 1 "${nobody[@]}" report
	expect_line "is only for root and the group $group: use sudo, or join the group .sudo usermod -aG $group nobody. and log in again\$"
	expect_status 0 "${nobody[@]}" list
	expect_line "no profile yet: .* is only for root and the group $group"
	# Those who may read it, and those who have a profile, hear nothing of it.
	chmod 755 "$T/h"
	expect_status 1 "${nobody[@]}" report
	! grep -q "the history of" "$T/stderr" || fail "it may be read: $(cat "$T/stderr")"
	chmod 750 "$T/h"
	mkdir -p "$T/user/state/prospect"
	record "$T/user/state/prospect/last.prof" "$BIN/loop" 0.1
	chown -R 65534 "$T/user/state"
	expect_status 0 "${nobody[@]}" report > "$T/text"
	! grep -q "the history of" "$T/stderr" "$T/text" || fail "there is a profile: $(cat "$T/stderr")"
}

# The same, where it usually is.
test_history_in_its_usual_place_is_named() {
	local word
	need_root
	need setpriv
	unshare -m true 2> /dev/null || skip "needs a mount namespace"
	mkdir -m 777 "$T/user"
	for word in report list status; do
		unshare -m sh -c "mount -t tmpfs none /var/lib && mkdir -m 700 /var/lib/prospect &&
			exec setpriv --reuid 65534 --regid 65534 --clear-groups env -u PROSPECT_HISTORY HOME='$T/user' \
				XDG_STATE_HOME='$T/user/state' '$PROSPECT' $word" > "$T/text" 2>&1
		grep -q "the history of this machine, /var/lib/prospect, is only for root: use sudo\$" "$T/text" ||
			fail "$word says:" "$(cat "$T/text")"
	done
	grep -q '^Always on *off' "$T/text" || fail "no status:" "$(cat "$T/text")"
}

# privileges FILE: what could be recorded, and what not.
privileges() {
	"$PROSPECT" query --format csv "SELECT name, value FROM header
		WHERE name IN ('rung', 'stacks', 'not_visible') ORDER BY name" "$1"
}

# The unit is right as systemd sees it, and leaves what recording needs.
test_history_unit() {
	local capabilities
	need_root
	need setpriv
	capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' "$HERE/../../systemd/prospect.service.in" |
		tr A-Z a-z | sed 's/cap_/+/g; s/ /,/g')
	[ -n "$capabilities" ] || fail "no capabilities"
	setpriv --no-new-privs --bounding-set="-all,$capabilities" "$PROSPECT" start --foreground --history "$T/h" &
	until_true is_status state recording
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	wait $! || fail "status $?"
	"$PROSPECT" record -q -a --duration 0.1 -o "$T/free.prof"
	[ "$(privileges "$(segments)")" = "$(privileges "$T/free.prof")" ] ||
		fail "something is missing" "$("$PROSPECT" report --quality "$(segments)")"
	need systemd-analyze
	sed "s|@bindir@/prospect|$PROSPECT|" "$HERE/../../systemd/prospect.service.in" > "$T/prospect.service"
	systemd-analyze verify --man=no "$T/prospect.service" > "$T/verify" 2>&1 || fail "systemd-analyze" "$(cat "$T/verify")"
	[ ! -s "$T/verify" ] || fail "systemd-analyze" "$(cat "$T/verify")"
}

# times FILE WHAT: of its samples and its run.
times() {
	"$PROSPECT" query --format csv "SELECT (SELECT value FROM header WHERE name = 'start_ns'), min(time_ns),
		max(time_ns), (SELECT value FROM header WHERE name = 'end_ns') FROM sample" "$1" | tail -n 1
}

# expect_follow FIRST SECOND: what the second has begins where the first ends; a second that is being recorded has no
# end yet.
expect_follow() {
	local start first last end start2 first2 last2 end2
	IFS=, read -r start first last end < <(times "$1")
	IFS=, read -r start2 first2 last2 end2 < <(times "$2")
	[ "$end" = "$start2" ] || fail "they do not follow one another: $end, $start2"
	if [ "$start" -gt "$first" ] || [ "$last" -ge "$end" ] || [ "${first2:-$start2}" -lt "$start2" ] ||
		{ [ "$end2" != 0 ] && [ "$last2" -gt "$end2" ]; }; then
		fail "$start $first $last $end" "$start2 $first2 $last2 $end2"
	fi
}

has_recorders() {
	[ "$(pgrep -c -P "$(status pid)")" = "$1" ]
}

# Begins another profile; the recorder that is to make it stands still for a while.
restart_slowly() {
	local next
	"$PROSPECT" restart --history "$T/h" &
	until_true has_recorders 2
	next=$(recorder)
	kill -STOP "$next"
	sleep 2
	kill -CONT "$next"
	wait $! || fail "restart"
}

# What is in memory is written when that is asked for; the next profile begins where the last one ends; all but the
# one that is being recorded are removed, and the last one, too, once nothing is recorded.
test_history_takes_orders() {
	local first second
	begin_history
	burn 0.5 early
	expect_status 0 "$PROSPECT" flush --history "$T/h"
	first=$(segments)
	[ "$(samples_in_history early "$first")" -gt 5 ] || fail "what ran before the flush is not in the file"
	restart_slowly
	has_segments 2 || fail "segments" "$(segments)"
	second=$(segments | tail -n 1)
	until_true is_status segment "$(basename "$second")"
	expect_status 0 "$PROSPECT" flush --history "$T/h"
	expect_follow "$first" "$second"
	expect_status 0 "$PROSPECT" reset --history "$T/h"
	[ "$(segments)" = "$second" ] || fail "after a reset" "$(segments)"
	is_status failures 0 || fail "failures" "$("$PROSPECT" status --history "$T/h")"
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	[ "$(segments)" = "$second" ] || fail "after the stop" "$(segments)"
	expect_status 0 "$PROSPECT" reset --history "$T/h"
	[ -z "$(segments)" ] || fail "after the last reset" "$(segments)"
}

# A segment begins at the nanosecond at which the one before it ends, has no sample of its time, and leaves it
# none: so there is no gap, and nothing counts twice.
test_history_segments_follow_one_another() {
	begin_history --segment 10
	until_true has_segments 2
	until_true is_status segment "$(basename "$(segments | sed -n 2p)")"
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	expect_follow "$(segments | sed -n 1p)" "$(segments | sed -n 2p)"
	"$PROSPECT" report --quality "$T/h" > "$T/quality"
	! grep -q 'not recorded' "$T/quality" || fail "there is a gap" "$(cat "$T/quality")"
}

# marks FILE: their texts, in order of time, and how many lie within the recording.
marks() {
	"$PROSPECT" query --format csv "SELECT group_concat(text, '+'), sum(time_s BETWEEN 0 AND 60) FROM marks" "$1" | tail -n 1
}

# A mark is in the profile, at its time; one that the recorder had not written when it was killed is in the next.
test_history_has_marks() {
	local first
	begin_history
	expect_status 0 "$PROSPECT" mark --history "$T/h" "before deploy"
	expect_status 2 "$PROSPECT" mark --history "$T/h" "$(printf 'two\nlines')"
	expect_status 0 "$PROSPECT" flush --history "$T/h"
	first=$(segments)
	[ "$(marks "$first")" = 'before deploy,1' ] || fail "in the file" "$(marks "$first")"
	"$PROSPECT" report "$T/h" > "$T/text" || fail "report"
	grep -Eq '^Marks  +before deploy [0-9]{2}:[0-9]{2}:[0-9]{2}$' "$T/text" || fail "not in the report:" "$(cat "$T/text")"
	expect_status 0 "$PROSPECT" mark --history "$T/h" killed
	kill -9 "$(recorder)"
	until_true has_segments 2
	until_true is_status state recording
	expect_status 0 "$PROSPECT" mark --history "$T/h" last
	expect_status 0 "$PROSPECT" pause --history "$T/h"
	expect_status 1 "$PROSPECT" mark --history "$T/h" paused
	grep -q "nothing is recorded now" "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	[ "$(marks "$first")" = 'before deploy,1' ] || fail "in the first" "$(marks "$first")"
	[ "$(marks "$(segments | tail -n 1)")" = 'killed+last,1' ] || fail "in the second" "$(marks "$(segments | tail -n 1)")"
}

# The file of settings holds at the start, and anew when that is asked for or signalled; the command line counts more. A
# wrong line is named, and changes nothing.
test_history_has_settings() {
	printf 'rate = 49\nkeep = 12h\n' > "$T/settings"
	begin_history --settings "$T/settings" --keep 1d
	is_status rate_hz 49 || fail "the rate is not that of the file"
	printf '# faster\nrate = 199\n' > "$T/settings"
	expect_status 0 "$PROSPECT" reload --history "$T/h"
	is_status rate_hz 199 || fail "the rate is not the new one"
	[ "$("$PROSPECT" query --format csv "SELECT CAST(rate_hz AS INTEGER) FROM event" "$(segments | tail -n 1)" | tail -n 1)" = 199 ] ||
		fail "the rate of the new profile"
	echo 'rate = fast' >> "$T/settings"
	expect_status 1 "$PROSPECT" reload --history "$T/h"
	grep -q "settings:3: invalid --rate" "$T/stderr" || fail "said" "$(cat "$T/stderr")"
	is_status rate_hz 199 || fail "the rate changed"
	kill -HUP "$(status pid)"
	until_true eval '"$PROSPECT" status --history "$T/h" | grep -q "settings:3: invalid --rate"'
	echo 'rate = 99' > "$T/settings"
	kill -HUP "$(status pid)"
	until_true is_status rate_hz 99
	until_true is_status state recording
}

# A program that begins after a quiet time, and is gone before the recorder looks again, has its names.
test_history_rests() {
	begin_history
	sleep 2
	burn 0.2 brief
	rm "$T/brief"
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	"$PROSPECT" report --by program,symbol --select program=brief --format csv "$(segments)" > "$T/rows"
	grep -q '^brief,main,' "$T/rows" || fail "names" "$(cat "$T/rows")"
}

# While the disk is full, what cannot be written is kept, and the status says so; then it is written.
test_history_full_disk() {
	need_root
	mkdir "$T/h"
	mount -t tmpfs -o size=4m none "$T/h" 2> /dev/null || skip "no tmpfs may be mounted"
	begin_history
	trap '"$PROSPECT" stop --history "$T/h" 2> /dev/null; umount "$T/h"' EXIT
	dd if=/dev/zero of="$T/h/fill" bs=1k 2> /dev/null
	burn 0.5 meanwhile
	expect_status 1 "$PROSPECT" flush --history "$T/h"
	"$PROSPECT" status --history "$T/h" | grep -q 'No space left' || fail "said" "$("$PROSPECT" status --history "$T/h")"
	rm "$T/h/fill"
	expect_status 0 "$PROSPECT" flush --history "$T/h"
	[ "$(samples_in_history meanwhile "$(segments)")" -gt 5 ] || fail "what ran meanwhile is not there"
	! "$PROSPECT" status --history "$T/h" | grep -q 'No space left' || fail "it says so still"
	is_status failures 0 || fail "a recorder failed"
}

# Of a thread that sleeps all the time, the exact time in a profile between two others is the length of that profile, to
# the nanosecond: the kernel side ends at the cut, and the next one begins there.
test_history_off_cpu() {
	local sleeper middle
	begin_history --off-cpu
	sleep 600 &
	sleeper=$!
	expect_status 0 "$PROSPECT" restart --history "$T/h"
	middle=$(segments | tail -n 1)
	sleep 1
	expect_status 0 "$PROSPECT" restart --history "$T/h"
	expect_status 0 "$PROSPECT" stop --history "$T/h"
	kill $sleeper
	"$PROSPECT" query --format csv "SELECT sum(weight) - (SELECT max(value) - min(value) FROM header
		WHERE name IN ('start_ns', 'end_ns')) FROM totals WHERE event = 'thread-time' AND tid = $sleeper" \
		"$middle" > "$T/rest"
	[ "$(tail -n 1 "$T/rest")" = 0 ] || fail "too much or too little, in ns:" "$(cat "$T/rest")"
	"$PROSPECT" report --by wait --select "event=off-cpu" "$middle" > "$T/waits"
	grep -q sleep "$T/waits" || fail "no sleep" "$(cat "$T/waits")"
}

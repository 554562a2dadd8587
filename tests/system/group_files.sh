# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The profile file: kept by itself, broken, cut off, on a full disk, in the wrong place.

test_last_and_previous() {
	local state=$T/state
	export XDG_STATE_HOME=$state
	expect_status 1 "$PROSPECT" report
	expect_line prospect
	expect_status 0 "$PROSPECT" record "$BIN/short" 200
	expect_status 0 "$PROSPECT" record "$BIN/loop" 0.3
	[ -s "$state/prospect/last.prof" ] || fail "there is no last.prof"
	[ -s "$state/prospect/previous.prof" ] || fail "there is no previous.prof"
	[ "$(stat -c %a "$state/prospect/last.prof")" = 600 ] || fail "others may read it"
	rows "$state/prospect/previous.prof" program | grep -q '^short' || fail "previous is not short"
	"$PROSPECT" report --by program --format csv > "$T/csv" || fail "report without a file"
	grep -q '^loop' "$T/csv" || fail "last is not loop"
}

# The last ten are kept, whoever looks at them; words lead to the older ones.
test_list() {
	export XDG_STATE_HOME=$T/state
	expect_status 0 "$PROSPECT" list > "$T/stdout"
	expect_line 'no profile yet'
	[ ! -s "$T/stdout" ] || fail "a list of nothing:" "$(cat "$T/stdout")"
	[ "$("$PROSPECT" list --format csv 2> /dev/null | wc -l)" = 1 ] || fail "there are rows"
	expect_status 0 "$PROSPECT" record -q "$BIN/short" 200
	expect_status 0 "$PROSPECT" record -q -p $$ --duration 0.1
	expect_status 0 "$PROSPECT" list > "$T/stdout"
	head -n 4 "$T/stdout" | tail -n 2 > "$T/rows"
	grep -q '^@1  .*(chosen processes)$' "$T/rows" || fail "the last one:" "$(cat "$T/stdout")"
	grep -q "^@2 .*$BIN/short 200\$" "$T/rows" || fail "the other one:" "$(cat "$T/stdout")"
	"$PROSPECT" list --format csv > "$T/csv" || fail "no csv"
	[ "$(cut -d , -f 1 "$T/csv" | tr '\n' ' ')" = 'number 1 2 ' ] || fail "csv:" "$(cat "$T/csv")"
	awk -F , -v now="$(date -u +%Y-%m-%dT)" 'NR > 1 && ($2 !~ "^" now || $3 <= 0 || $5 <= 0) { exit 1 }' \
		"$T/csv" || fail "what is not so:" "$(cat "$T/csv")"
	"$PROSPECT" list --format json | grep -q '"command": "[^"]*short 200"' || fail "no json"
	"$PROSPECT" report @2 --by program --format csv | grep -q '^short,' || fail "not the one before"
	"$PROSPECT" query --format csv 'SELECT DISTINCT program FROM process' @2 | grep -q '^short' ||
		fail "no query of it"
	expect_status 1 "$PROSPECT" report @3
	expect_line "no profile @3 .*prospect list"
	expect_status 2 "$PROSPECT" list page-faults
	expect_line 'prospect events'
	expect_status 2 "$PROSPECT" list --format xml
	expect_line 'text, csv or json'
	echo damaged > "$T/state/prospect/last-2.prof"
	expect_status 0 "$PROSPECT" list > "$T/stdout"
	grep -q '^@3 .*not a prospect profile' "$T/stdout" || fail "damaged:" "$(cat "$T/stdout")"
	# A profile keeps its number until the next recording, whatever is removed meanwhile.
	expect_status 0 "$PROSPECT" record -q "$BIN/short" 100
	rm "$T/state/prospect/previous.prof"
	"$PROSPECT" list --format csv | sed 1d | cut -d , -f 1,4 > "$T/rows"
	printf '%s\n' "1,$BIN/short 100" "3,$BIN/short 200" '4,' | cmp - "$T/rows" ||
		fail "one was removed:" "$(cat "$T/rows")"
	expect_status 1 "$PROSPECT" report @2
	expect_line "no profile @2 .*prospect list"
	"$PROSPECT" report @3 -V1 | grep -q 'short 200' || fail "@3 is another"
	expect_status 0 "$PROSPECT" record -q "$BIN/short" 300
	"$PROSPECT" report @2 -V1 | grep -q 'short 100' || fail "@2 is another"
}

# Every command that shows a profile takes the number of one that is kept.
test_numbers_of_kept_profiles() {
	export XDG_STATE_HOME=$T/state
	local command
	expect_status 0 "$PROSPECT" record -q "$BIN/short" 200
	expect_status 0 "$PROSPECT" record -q "$BIN/loop" 0.1
	cd "$T" || fail "cd"
	while read -r command; do
		# shellcheck disable=SC2086 # words
		"$PROSPECT" $command > "$T/stdout" 2> "$T/stderr" < /dev/null || fail "$command: $(cat "$T/stderr")"
	done <<-'EOT'
		report @2
		graph @2
		flame @2
		flame --diff @2 @1
		heatmap @2
		diff @2 @1
		annotate --all @2
		export --format collapsed @2
		archive -o archived @2
		names @2
		recover -o recovered @2
	EOT
}

# is_kept FILE: some of what the program loop did is in the file of a recorder that goes on.
is_kept() {
	"$PROSPECT" report --by program --select program=loop --format csv "$1" 2> /dev/null |
		awk -F , 'NR > 1 && $3 >= 100 { found = 1 } END { exit !found }'
}

test_killed_recorder() {
	local pid
	"$PROSPECT" record -o "$T/prof" -M 20 "$HERE/programs/announced.sh" "$T/pid" "$BIN/loop" 60 \
		2> /dev/null &
	pid=$!
	until_true is_kept "$T/prof"
	kill -9 $pid
	wait $pid 2> /dev/null
	kill "$(cat "$T/pid")"
	"$PROSPECT" report "$T/prof" --by program --format csv > "$T/csv" 2> "$T/stderr" ||
		fail "what was written before is not to be read:" "$(cat "$T/stderr")" \
			"$(ls -l "$T")"
	holds "$(csv_to_tabs < "$T/csv" | grep ^loop | sum 3) >= 100" ||
		fail "what was written before is not there:" "$(cat "$T/csv")" \
			"$("$PROSPECT" report "$T/prof" 2>&1 | head -n 5)"
	expect_status 0 "$PROSPECT" report "$T/prof" -V1
}

# Killed before the first flush: the file says what it is of, and there is nothing in it.
test_killed_before_the_first_flush() {
	local recorder
	"$PROSPECT" record -q -o "$T/prof" -M 100000 "$HERE/programs/announced.sh" "$T/pid" \
		"$BIN/loop" 60 2> /dev/null &
	recorder=$!
	until_true has_run "$T/pid" 0.1
	kill -9 $recorder
	wait $recorder 2> /dev/null
	kill "$(cat "$T/pid")"
	expect_status 0 "$PROSPECT" report "$T/prof" > "$T/text"
	"$PROSPECT" query "SELECT value FROM header WHERE name = 'command'" "$T/prof" |
		grep -q 'announced.sh' || fail "it does not say of which command"
	[ "$(header "$T/prof" cpus)" = "$(getconf _NPROCESSORS_ONLN)" ] || fail "$(header "$T/prof" cpus) CPUs"
	! grep -q ' 0 CPUs' "$T/text" || fail "no CPUs:" "$(head -n 3 "$T/text")"
}

# Killed as soon as there is a file, while it still looks at what runs: either it says what it is of,
# or that this is not known. It never says that it is of something else.
test_killed_as_it_begins() {
	local recorder
	"$PROSPECT" record -q -o "$T/prof" "$BIN/loop" 60 2> /dev/null &
	recorder=$!
	until_true test -s "$T/prof"
	kill -9 $recorder
	wait $recorder 2> /dev/null
	if ! "$PROSPECT" report "$T/prof" > "$T/text" 2> "$T/stderr"; then
		grep -q 'is empty, not a profile' "$T/stderr" || fail "$(cat "$T/stderr")"
		return
	fi
	! grep -Eq 'running processes|chosen processes| 0 CPUs' "$T/text" ||
		fail "it says that it is of something else:" "$(head -n 2 "$T/text")"
}

# What has no samples and did not end takes the place of no profile; what ended does.
test_nothing_replaces_no_profile() {
	local recorder turn
	export XDG_STATE_HOME=$T/state
	expect_status 0 "$PROSPECT" record "$BIN/loop" 0.3
	for turn in 1 2 3; do
		rm -f "$T/pid"
		"$PROSPECT" record -q -M 100000 "$HERE/programs/announced.sh" "$T/pid" "$BIN/loop" 60 \
			2> /dev/null &
		recorder=$!
		until_true has_run "$T/pid" 0.1
		kill -9 $recorder
		wait $recorder 2> /dev/null
		kill "$(cat "$T/pid")"
		"$PROSPECT" report --by program --format csv > "$T/csv" || fail "report after $turn"
		grep -q '^loop' "$T/csv" || fail "the good profile is gone after $turn:" "$(cat "$T/csv")"
	done
	[ ! -e "$T/state/prospect/previous.prof" ] || fail "it was pushed aside"
	[ -z "$(find "$T/state" -name 'recording-*')" ] || fail "they were left behind"
}

# fill_disk FOLDER: takes all room while the recorder, our parent, is stopped outside of a flush:
# what that would free when it ends is room for the next one.
write_fill_disk() {
	cat > "$T/fill_disk" <<- 'END'
		#!/bin/sh
		while :; do
			kill -STOP $PPID
			until grep -q '^State:.T' /proc/$PPID/status; do :; done
			[ -z "$(find "$1" -name '*-journal')" ] && break
			kill -CONT $PPID
			sleep 0.01
		done
		dd if=/dev/zero of="$1/fill" bs=1k 2> /dev/null
		kill -CONT $PPID
	END
	# Until some of it is in the file: for ever, if need be.
	cat > "$T/work_until_kept" <<- END
		#!/bin/sh
		until '$PROSPECT' report --by program --select program=loop --format csv \$1 2> /dev/null |
				awk -F , 'NR > 1 && \$3 >= 100 { found = 1 } END { exit !found }'
		do
			'$BIN/loop' 0.2
		done
	END
	chmod +x "$T/fill_disk" "$T/work_until_kept"
}

test_full_disk() {
	need_root
	local status=0
	mkdir "$T/small"
	mount -t tmpfs -o size=4m none "$T/small" 2> /dev/null || skip "no tmpfs may be mounted"
	trap 'umount "$T/small"' EXIT
	write_fill_disk
	"$PROSPECT" record -o "$T/small/prof" -M 20 sh -c \
		"'$T/work_until_kept' '$T/small/prof'; '$T/fill_disk' '$T/small'; exit 42" \
		2> "$T/stderr" || status=$?
	rm -f "$T/small/fill"
	[ $status = 42 ] || fail "exit status $status instead of the command's 42"
	expect_line "^prospect: .*(full|no space).*recorded before is in $T/small/prof"
	[ -z "$(header "$T/small/prof" duration_s)" ] || fail "a script would take it for a whole profile"
	[ "$(rows "$T/small/prof" program --select program=loop | sum 3)" -ge 100 ] ||
		fail "what was written before is not to be read"
}

# What is not there is not said to be there, and a file in its place is neither taken for the profile
# nor touched.
test_profile_that_was_taken_away() {
	local act
	for act in "rm '$T/prof'" "mv '$T/prof' '$T/other'" \
		"echo mine > '$T/new' && mv '$T/new' '$T/prof'"; do
		rm -f "$T/prof" "$T/other"
		cat > "$T/command" <<- END
			#!/bin/sh
			until [ -s '$T/prof' ]; do sleep 0.01; done
			$act
		END
		chmod +x "$T/command"
		expect_status 1 "$PROSPECT" record -o "$T/prof" "$T/command"
		expect_line 'was (removed|moved)'
		! grep -q 'recorded before' "$T/stderr" || fail "$act: $(cat "$T/stderr")"
		[ ! -s "$T/prof" ] || [ "$(cat "$T/prof")" = mine ] || fail "$act: what is there is another"
		rm -f "$T/prof"
		expect_status 1 "$PROSPECT" --stacks none -o "$T/prof" -f "$T/report" "$T/command"
	done
}

test_link_in_the_place_of_the_journal() {
	printf '#!/bin/sh\nln -sf "%s/none" "%s/prof-journal"\n' "$T" "$T" > "$T/command"
	chmod +x "$T/command"
	expect_status 1 "$PROSPECT" record -o "$T/prof" "$T/command"
	expect_line "a symbolic link blocks its journal $T/prof-journal: remove it"
	[ ! -e "$T/none" ] || fail "the link was followed"
}

# The report of what there is comes all the same, and it is the last profile.
test_full_disk_of_the_state_folder() {
	need_root
	local status=0
	mkdir "$T/small"
	mount -t tmpfs -o size=4m none "$T/small" 2> /dev/null || skip "no tmpfs may be mounted"
	trap 'umount "$T/small"' EXIT
	write_fill_disk
	export XDG_STATE_HOME=$T/small
	"$PROSPECT" -V2 -M 20 -f "$T/report" sh -c \
		"'$T/work_until_kept' '$T'/small/prospect/recording-*.prof; exec '$T/fill_disk' '$T/small'" \
		2> "$T/stderr" || status=$?
	rm -f "$T/small/fill"
	[ $status = 1 ] || fail "exit status $status instead of 1"
	expect_line "full|no space.*recorded before is in $T/small/prospect/last.prof"
	grep -q 'cut short' "$T/report" || fail "no report that says it is not whole"
	grep -q '^Samples ' "$T/report" || fail "no report"
	[ "$(rows "$T/small/prospect/last.prof" program --select program=loop | sum 3)" -ge 100 ] ||
		fail "what was written before is not to be read"
}

test_home_folder_is_not_made() {
	mkdir "$T/tmp"
	run_astray() {
		env -u XDG_STATE_HOME HOME="$T/none" TMPDIR="$T/tmp" "$PROSPECT" "$@"
	}
	expect_status 1 run_astray record true
	expect_line "home folder $T/none"
	expect_status 0 run_astray -f "$T/report" true
	expect_line "will not be kept.*home folder $T/none"
	grep -q '^Quality ' "$T/report" || fail "no report"
	[ ! -e "$T/none" ] || fail "it was made"
}

# HOME as su -m leaves it.
test_home_folder_of_somebody_else() {
	need_root
	need unshare
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	local variable
	mkdir "$T/user" "$T/root"
	chown 65534:65534 "$T/user"
	sed "s,^\\(root:[^:]*:0:0:[^:]*\\):[^:]*:,\\1:$T/root:," /etc/passwd > "$T/passwd"
	grep -q "^root:.*:$T/root:" "$T/passwd" || skip "/etc/passwd has no root"
	for variable in HOME="$T/user" XDG_STATE_HOME="$T/user/state"; do
		# shellcheck disable=SC2016 # the words are for sh
		expect_status 0 env -u XDG_STATE_HOME HOME="$T/root" "$variable" \
			unshare -m sh -c 'mount --bind "$0" /etc/passwd && exec "$@"' \
			"$T/passwd" "$PROSPECT" record true
		[ -z "$(ls -A "$T/user")" ] || fail "$variable: a user has $(find "$T/user")"
		[ -f "$T/root/.local/state/prospect/last.prof" ] || fail "$variable: root has no profile"
		rm -r "$T/root/.local"
	done
}

# Which CPUs are online is known without /sys; the BPF programs that need the kernel's types are not
# to be had, and the line says why.
test_without_sys() {
	need_root
	need unshare
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	local command
	in_the_dark() {
		# shellcheck disable=SC2016 # the words are for sh
		expect_status 0 unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$@"
	}
	in_the_dark "$PROSPECT" record -o "$T/prof" "$BIN/loop" 0.3
	[ "$(rows "$T/prof" program --select program=loop | sum 3)" -ge 10 ] || fail "no samples"
	[ "$(header "$T/prof" cpus)" = "$(getconf _NPROCESSORS_ONLN)" ] ||
		fail "$(header "$T/prof" cpus) CPUs of $(getconf _NPROCESSORS_ONLN)"
	for command in 'count -e task-clock' 'count -a -e task-clock'; do
		# shellcheck disable=SC2086 # words
		in_the_dark "$PROSPECT" $command --format csv -f "$T/counts" -- "$BIN/loop" 0.1
		awk -F, '/^task-clock/ && $2 > 0.05e9 { found = 1 } END { exit !found }' "$T/counts" ||
			fail "$command:" "$(cat "$T/counts")"
	done
	unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' sh \
		"$PROSPECT" count -a --by process -e task-clock true 2> "$T/stderr" ||
		expect_line '/sys is not mounted'
}

# Nothing can be recorded without /proc: the line says so, and nothing was begun. A profile can still
# be looked at.
test_without_proc() {
	need_root
	need unshare
	unshare -m true 2> /dev/null || skip "mount namespaces are not allowed here"
	local command
	# shellcheck disable=SC2016 # the words are for sh
	local hide='mount -t tmpfs none /proc && exec "$@"'
	expect_status 0 "$PROSPECT" record -o "$T/prof" "$BIN/loop" 0.1
	for command in run record count 'watch libc:malloc --' "archive -o $T/tar $T/prof" \
		"recover -o $T/new $T/prof" check; do
		# shellcheck disable=SC2086 # words
		expect_status 1 unshare -m sh -c "$hide" sh "$PROSPECT" $command touch "$T/mark"
		expect_line '/proc is not mounted.*mount -t proc'
	done
	[ ! -e "$T/mark" ] && [ ! -e "$T/tar" ] && [ ! -e "$T/new" ] || fail "something was begun"
	expect_status 0 unshare -m sh -c "$hide" sh "$PROSPECT" report "$T/prof"
}

# with_files COUNT COMMAND...
with_files() {
	# shellcheck disable=SC2016 # the words are for sh
	sh -c 'ulimit -n "$0" && exec "$@"' "$@"
}

# Where too few files may be open, the line says what to raise to how much, and then it works; whatever
# fails for want of one, it is not called anything else.
test_few_open_files() {
	need_root
	local command few needed
	for command in "record -o $T/prof" "record --off-cpu -e page-faults -o $T/prof" \
		"count -e task-clock,page-faults" "count -a --by process -e task-clock" \
		"watch -i 0 $BIN/loop:main --"; do
		for few in 8 16; do
			rm -f "$T/mark"
			# shellcheck disable=SC2086 # words
			expect_status 1 with_files $few "$PROSPECT" $command touch "$T/mark"
			expect_line "needs about [0-9]+ open files, but the limit is $few: raise"
			[ ! -e "$T/mark" ] || fail "$command: the command ran"
		done
		needed=$(sed -n "s/.*'ulimit -n \([0-9]*\)'.*/\1/p" "$T/stderr")
		# Kernels differ in what can be watched at all.
		# shellcheck disable=SC2086 # words
		with_files "$needed" "$PROSPECT" $command true > "$T/stdout" 2> "$T/stderr" ||
			! grep -qi 'open files\|invalid argument' "$T/stderr" ||
			fail "$command does not work with $needed files:" "$(cat "$T/stderr")"
	done
}

# However many programs run, their files leave the recorder some for its own: it writes the profile at the end.
test_few_open_files_are_not_all_of_images() {
	need_root
	local needed held
	cd "$T" || fail "no folder"
	with_files 8 "$PROSPECT" record -o "$T/prof" true 2> "$T/stderr"
	needed=$(sed -n "s/.*'ulimit -n \([0-9]*\)'.*/\1/p" "$T/stderr")
	# shellcheck disable=SC2016 # for the other shell
	expect_status 0 with_files "$needed" "$PROSPECT" record -q -o "$T/prof" -- sh -c '
		for name in awk cat cut date dd find grep head ls mkdir mv nproc od ps rm sed seq sort stat tail touch tr; do
			$name --version
			ls /proc/$PPID/fd > fds.$name
		done > versions
		sleep 1
		ls /proc/$PPID/fd > fds.end'
	held=$(wc -l fds.* | sed '$d' | awk '$1 > most { most = $1 } END { print most }')
	[ "$held" -gt 10 ] || fail "the recorder is not the parent: $held files"
	[ $((held + 8)) -le "$needed" ] || fail "$held of $needed files are open"
}

# Reading, too: files that could not be opened would be missing without a word.
test_few_open_files_for_reading() {
	local command few needed
	# Only its own files: those of tests beside it may go between the two lists.
	record_running "$BIN/loop" 600
	for command in 'report --by line' 'annotate spin' "archive -o $T/tar" 'export --format pprof'; do
		for few in 5 8 31; do
			# shellcheck disable=SC2086 # words
			expect_status 1 with_files $few "$PROSPECT" $command "$T/prof"
			expect_line "needs about 32 open files, but the limit is $few: raise"
		done
	done
	[ ! -e "$T/tar" ] || fail "an archive was begun"
	# An archive needs one for each file that it packs.
	expect_status 0 "$PROSPECT" archive --list "$T/prof" > "$T/all"
	expect_status 1 with_files 32 "$PROSPECT" archive --list "$T/prof"
	expect_line "packing .* needs about [0-9]+ open files, but the limit is 32: raise"
	needed=$(sed -n "s/.*'ulimit -n \([0-9]*\)'.*/\1/p" "$T/stderr")
	expect_status 0 with_files "$needed" "$PROSPECT" archive --list "$T/prof" > "$T/some"
	[ -s "$T/all" ] && diff "$T/all" "$T/some" || fail "$needed open files are too few"
}

# What is looked at thread by thread needs a file for each of its events.
test_few_open_files_for_many_processes() {
	need_root
	local command needed pids=''
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		sleep 600 &
		pids=$pids${pids:+,}$!
	done
	# shellcheck disable=SC2064 # these processes
	trap "kill ${pids//,/ }" EXIT
	for command in "record -o $T/prof" "count -e task-clock,page-faults,context-switches,cpu-migrations"
	do
		# shellcheck disable=SC2086 # words
		expect_status 1 with_files 100 "$PROSPECT" $command -p "$pids" --duration 0.1
		expect_line "needs about [0-9]+ open files, but the limit is 100: raise"
		needed=$(sed -n "s/.*'ulimit -n \([0-9]*\)'.*/\1/p" "$T/stderr")
		# shellcheck disable=SC2086 # words
		expect_status 0 with_files "$needed" "$PROSPECT" $command -p "$pids" --duration 0.1
	done
}

# Without a home folder there is a report, and nothing stays: not when it went well, and not when the
# command could not be run.
test_no_home_folder() {
	mkdir "$T/tmp"
	run_homeless() {
		env -u XDG_STATE_HOME HOME=/dev/null TMPDIR="$T/tmp" "$PROSPECT" -f "$T/report" "$@"
	}
	expect_status 0 run_homeless sh -c "stat -c %a '$T'/tmp/prospect-*/ > '$T/mode'; '$BIN/loop' 0.2"
	expect_line 'will not be kept'
	[ "$(cat "$T/mode")" = 700 ] || fail "mode of the folder: $(cat "$T/mode")"
	grep -q '^Quality ' "$T/report" || fail "no report"
	[ -z "$(ls -A "$T/tmp")" ] || fail "left behind: $(ls -A "$T/tmp")"
	expect_status 127 run_homeless /no/such/command
	[ -z "$(ls -A "$T/tmp")" ] || fail "left behind without a command: $(ls -A "$T/tmp")"
	expect_status 1 env -u XDG_STATE_HOME HOME=/dev/null TMPDIR="$T/none" "$PROSPECT" touch "$T/mark"
	expect_line "$T/none.*-o"
	[ ! -e "$T/mark" ] || fail "the command ran"
}

# Told before the command runs, not after it.
test_output_that_cannot_be_made() {
	expect_status 1 "$PROSPECT" record -o "$T/no/such/folder/prof" touch "$T/mark"
	expect_line "$T/no/such/folder"
	expect_status 1 "$PROSPECT" record -o "$T" touch "$T/mark"
	expect_line "$T"
	echo 'my thesis' > "$T/thesis.txt"
	expect_status 1 "$PROSPECT" record -o "$T/thesis.txt" touch "$T/mark"
	grep -q 'my thesis' "$T/thesis.txt" || fail "a file that is no profile was overwritten"
	expect_status 1 "$PROSPECT" -f "$T/no/such/folder/report" touch "$T/mark"
	expect_line "$T/no/such/folder"
	[ ! -e "$T/mark" ] || fail "the command ran"
}

test_files_that_are_no_profiles() {
	record "$T/prof" -- "$BIN/short" 300
	expect_status 1 "$PROSPECT" report "$T/none"
	expect_line "$T/none"
	echo 'some text' > "$T/text"
	expect_status 1 "$PROSPECT" report "$T/text"
	expect_line "$T/text"
	: > "$T/empty"
	expect_status 1 "$PROSPECT" report "$T/empty"
	expect_line "$T/empty"
	head -c $(($(stat -c %s "$T/prof") / 2)) "$T/prof" > "$T/half"
	expect_status 1 "$PROSPECT" report "$T/half"
	expect_line "$T/half"
	expect_status 1 "$PROSPECT" report "$T"
	expect_line "$T"
}

test_foreign_and_newer_databases() {
	need sqlite3
	record "$T/prof" -- "$BIN/short" 300
	sqlite3 "$T/foreign" 'create table t(x); insert into t values (1);'
	expect_status 1 "$PROSPECT" report "$T/foreign"
	expect_line "$T/foreign"
	cp "$T/prof" "$T/newer"
	sqlite3 "$T/newer" 'pragma user_version = 1000;'
	expect_status 1 "$PROSPECT" report "$T/newer"
	expect_line 'newer'
}

# Bytes overwritten in the middle: an answer or one line, never a crash.
test_damaged_profiles() {
	local i size status
	record "$T/prof" -- "$BIN/short" 300
	size=$(stat -c %s "$T/prof")
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cp "$T/prof" "$T/damaged"
		head -c 64 /dev/zero | tr '\0' "\\$(printf %o $((i * 20 + 7)))" |
			dd of="$T/damaged" bs=1 seek=$((size * i / 13)) conv=notrunc 2> /dev/null
		status=0
		"$PROSPECT" report "$T/damaged" -V4 > /dev/null 2> "$T/stderr" || status=$?
		[ $status -le 1 ] || fail "exit status $status with byte $((size * i / 13)) damaged"
		[ $status = 0 ] || expect_line "$T/damaged"
	done
}

# A heat map goes by the totals and then by the samples: they must be of the same stacks.
test_samples_that_totals_lack() {
	need sqlite3
	record "$T/prof" -- "$BIN/short" 300
	sqlite3 "$T/prof" 'UPDATE OR IGNORE total SET stack = 0'
	expect_status 1 "$PROSPECT" heatmap -o "$T/page" "$T/prof"
	expect_line 'damaged: its totals lack some samples'
	[ ! -e "$T/page" ] || fail "there is a page of a damaged profile"
}

test_two_at_once() {
	local pid status=0
	cp "$BIN/shares" "$T/shares-$$" # a name that nobody else runs meanwhile
	"$PROSPECT" record -o "$T/one" "${MEASURING[@]}" "$T/shares-$$" 1 > "$T/one.out" 2> "$T/stderr" &
	pid=$!
	record "$T/two" -- "$BIN/loop" 1
	wait $pid || status=$?
	[ $status = 0 ] || fail "the first ended with $status" "$(cat "$T/stderr")"
	LOST=$(lost_samples "$T/one")
	rows "$T/one" mode --select program=shares-$$ > "$T/rows"
	check_time shares "$(rusage "$T/one.out")" "$(sum 4 < "$T/rows")" "$(sum 3 < "$T/rows")"
	rows "$T/two" program > "$T/rows"
	[ "$(grep '^loop' "$T/rows" | sum 3)" -ge 100 ] || fail "the second lacks its command"
	[ "$(id -u)" != 0 ] || grep -q '^shares' "$T/rows" ||
		fail "the second does not see the first's command"
}

# sqlite3 on anybody's machine reads it: whole, and with names in the views.
test_plain_sqlite_reads_it() {
	need sqlite3
	record "$T/prof" -- "$BIN/loop" 0.3
	[ "$(sqlite3 "$T/prof" 'pragma integrity_check')" = ok ] || fail "it is damaged"
	[ "$(sqlite3 "$T/prof" 'pragma journal_mode')" = delete ] || fail "it has no rollback journal"
	[ ! -e "$T/prof-journal" ] || fail "a journal was left behind"
}

# stripped_apart FOLDER: the program shares without symbols is $T/program; these are in the folder, by
# build id.
stripped_apart() {
	local id
	id=$(readelf -n "$BIN/shares" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "programs have no build ids here"
	mkdir -p "$1/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$BIN/shares" "$1/.build-id/${id:0:2}/${id:2}.debug"
	strip -o "$T/program" "$BIN/shares"
}

test_symbols_from_a_folder_of_debug_files() {
	need readelf
	need objcopy
	stripped_apart "$T/debug"
	record "$T/without.prof" -- "$T/program" 0.3
	rows "$T/without.prof" symbol --select process=program | grep -q '^burn_' && fail "the program has its symbols"
	record "$T/with.prof" --debug-dir "$T/debug" -- "$T/program" 0.3
	rows "$T/with.prof" symbol --select process=program | grep -q '^burn_' || fail "record found no symbols"
	expect_status 0 "$PROSPECT" -o "$T/run.prof" --debug-dir "$T/debug" "$T/program" 0.3
	rows "$T/run.prof" symbol --select process=program | grep -q '^burn_' || fail "run found no symbols"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Damaged profiles: what the commands say of them, and what can be saved. The truth is what SQLite itself reads
# of the recording before it was damaged.

# pages FILE TABLE: the numbers of the pages that have its rows, those of long rows too.
pages() {
	sqlite3 "$1" "SELECT pageno FROM dbstat WHERE name = '$2' AND pagetype <> 'internal'"
}

# wipe FILE PAGE: what a disk leaves of a page that it lost.
wipe() {
	dd if=/dev/zero of="$1" bs=4096 count=1 seek=$(($2 - 1)) conv=notrunc 2> /dev/null
}

samples_in() {
	sqlite3 "$1" 'SELECT coalesce(sum(samples), 0) FROM block'
}

# lost_as_damaged FILE: as the report has it.
lost_as_damaged() {
	header "$1" damaged
}

# The line that names the new profile commands no terminal, and is one line.
test_recover_hostile_path() {
	local name=$'n\e[31m\xc2\x9b\n\xe2\x80\xae'
	record "$T/prof" -- true
	expect_status 0 "$PROSPECT" recover "$T/prof" -o "$T/$name" > "$T/said"
	[ -s "$T/$name" ] || fail "no profile"
	tail -n 1 "$T/said" > "$T/last"
	printf "'prospect report %s' shows it\n" \
		"$T/n\\x1b[31m\\xc2\\x9b\\x0a\\xe2\\x80\\xae" | diff - "$T/last" > "$T/diff" ||
		fail "printed as it is:" "$(cat -v "$T/diff")"
}

# Pages of the blocks, one at a time: what is saved and what is missing add up, and the report says so.
test_recover_blocks() {
	local page all saved some=0
	need sqlite3
	record "$T/prof" -- "$BIN/loop" 2
	all=$(samples_in "$T/prof")
	for page in $(pages "$T/prof" block | head -n 8); do
		rm -f "$T"/new.prof
		cp "$T/prof" "$T/damaged"
		wipe "$T/damaged" "$page"
		cp "$T/damaged" "$T/before"
		expect_status 0 "$PROSPECT" recover "$T/damaged" -o "$T/new.prof" > "$T/said"
		cmp "$T/damaged" "$T/before" || fail "the damaged file was written to"
		saved=$(samples_in "$T/new.prof")
		[ "$saved" -lt "$all" ] || fail "page $page is lost and nothing is missing"
		[ $((saved + $(lost_as_damaged "$T/new.prof"))) = "$all" ] ||
			fail "of $all samples $saved are saved and $(lost_as_damaged "$T/new.prof") lost"
		[ "$(header "$T/new.prof" samples)" = "$saved" ] || fail "the report has other samples"
		grep -q "^samples  *$saved  *$((all - saved))  *0$" "$T/said" ||
			fail "it says something else:" "$(cat "$T/said")"
		[ "$saved" = 0 ] || some=1
	done
	[ $some = 1 ] || skip "all samples were in one page"
}

# The first and the last page of the names: the report fails with the hint, and what the hint says helps.
test_recover_names() {
	local page all rows table
	need sqlite3
	record "$T/prof" -- "$BIN/loop" 1
	all=$(samples_in "$T/prof")
	for table in symbol frame stack process; do
		for page in $(pages "$T/prof" $table | sed -n '1p;$p'); do
			rm -f "$T/damaged.recovered.prof"
			cp "$T/prof" "$T/damaged"
			wipe "$T/damaged" "$page"
			expect_status 1 "$PROSPECT" report "$T/damaged"
			expect_line "prospect recover $T/damaged"
			expect_status 0 "$PROSPECT" recover "$T/damaged" > "$T/said"
			grep -q "^table $table " "$T/said" || fail "no word of table $table:" "$(cat "$T/said")"
			expect_status 0 "$PROSPECT" report "$T/damaged.recovered.prof" > "$T/report"
			grep -q 'damaged parts' "$T/report" || fail "the report does not tell"
			[ "$(samples_in "$T/damaged.recovered.prof")" = "$all" ] || fail "samples are missing"
			# Rows that are not the original's are called so.
			rows=$(sqlite3 "$T/damaged.recovered.prof" "ATTACH '$T/prof' AS old;
				SELECT count(*) FROM (SELECT name FROM symbol WHERE name <> '[damaged]'
				EXCEPT SELECT name FROM old.symbol)")
			[ "$rows" = 0 ] || fail "there are $rows names that were not recorded"
		done
	done
}

# The first page, which says what and where everything is; and a file that ends in the middle.
test_recover_first_page_and_half() {
	local all half
	need sqlite3
	record "$T/prof" -- "$BIN/loop" 1
	all=$(samples_in "$T/prof")
	cp "$T/prof" "$T/damaged"
	wipe "$T/damaged" 1
	expect_status 1 "$PROSPECT" report "$T/damaged"
	expect_line "prospect recover $T/damaged"
	expect_status 0 "$PROSPECT" recover "$T/damaged" > "$T/said"
	[ "$(samples_in "$T/damaged.recovered.prof")" = "$all" ] || fail "samples are missing"
	rows "$T/prof" program,mode > "$T/rows"
	rows "$T/damaged.recovered.prof" program,mode | cmp - "$T/rows" || fail "the report is another"
	half=$(($(stat -c %s "$T/prof") / 2))
	head -c $half "$T/prof" > "$T/half"
	expect_status 1 "$PROSPECT" report "$T/half"
	expect_line "prospect recover $T/half"
	"$PROSPECT" recover "$T/half" > "$T/said" 2> "$T/stderr" || expect_line "no part of a prospect profile"
}

# A recorder that is killed while it writes leaves a journal; what damages that must not stop us.
test_recover_damaged_journal() {
	need sqlite3
	record "$T/prof" -- "$BIN/loop" 1
	head -c 9000 /dev/urandom > "$T/prof-journal"
	cp "$T/prof" "$T/before"
	cp "$T/prof-journal" "$T/before-journal"
	expect_status 0 "$PROSPECT" recover "$T/prof" -o "$T/new.prof" > "$T/said"
	grep -q 'the journal is damaged' "$T/said" || fail "no word of the journal"
	cmp "$T/prof" "$T/before" && cmp "$T/prof-journal" "$T/before-journal" || fail "a file was changed"
	[ "$(samples_in "$T/new.prof")" = "$(samples_in "$T/before")" ] || fail "samples are missing"
}

# When it cannot be written nothing is left, and a file that is being recorded is left alone.
test_recover_leaves_nothing() {
	local pid
	record "$T/prof" -- "$BIN/loop" 0.5
	(ulimit -f 8 && trap '' XFSZ && "$PROSPECT" recover "$T/prof" -o "$T/new.prof") > "$T/stdout" 2> "$T/stderr" &&
		fail "it went well without room"
	expect_line 'ulimit|large'
	[ ! -e "$T/new.prof" ] && [ ! -e "$T/new.prof-journal" ] || fail "a file was left"
	"$PROSPECT" record -o "$T/live" -- sleep 120 > /dev/null 2>&1 &
	pid=$!
	until_true test -s "$T/live"
	expect_status 1 "$PROSPECT" recover "$T/live" -o "$T/new.prof"
	expect_line 'is being recorded'
	kill -INT $pid
	wait $pid
	[ ! -e "$T/new.prof" ] || fail "there is a file"
}

# Under sudo it reads what the user may read, and the new file is the user's.
test_recover_rights() {
	need_root
	record "$T/prof" -- "$BIN/loop" 0.3
	mkdir -m 755 "$T/user"
	chmod 755 "$T"
	chown 65534:65534 "$T/user"
	cp "$T/prof" "$T/user/secret"
	chmod 600 "$T/user/secret"
	expect_status 1 env SUDO_UID=65534 SUDO_GID=65534 "$PROSPECT" recover "$T/user/secret"
	expect_line 'has no read permission'
	[ ! -e "$T/user/secret.recovered.prof" ] || fail "a file of root's was read for the user"
	chown 65534:65534 "$T/user/secret"
	expect_status 0 env SUDO_UID=65534 SUDO_GID=65534 "$PROSPECT" recover "$T/user/secret" > "$T/said"
	[ "$(stat -c '%u %g %a' "$T/user/secret.recovered.prof")" = '65534 65534 600' ] ||
		fail "it is another's: $(stat -c '%u %g %a' "$T/user/secret.recovered.prof")"
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# prospect debug: unwind rows for people.

# debug WANTED WORD...: its stdout goes to $T/text.
debug() {
	local wanted=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	T_TEXT=$T/text expect_status "$wanted" sh -c 'exec "$@" > "$T_TEXT"' - "$PROSPECT" debug "$@"
}

# The lines of rows: "FROM TO CFA FP RA".
unwind_rows() {
	awk 'NR > 3 { print $1, $2, $3, $4, $5 }' "$T/text"
}

test_debug_rows() {
	debug 0 rows "$BIN/loop"
	grep -Eq "^$BIN/loop: (x86-64|arm64), [0-9]+ rows, [0-9]+ rules, [0-9]+ pages, [0-9]+ bytes$" \
		"$T/text" || fail "no line of facts:" "$(head -n 1 "$T/text")"
	[ "$(unwind_rows | wc -l)" -gt 5 ] || fail "too few rows:" "$(cat "$T/text")"
	# Ranges ascend, and neighbours differ.
	unwind_rows | awk '
	{
		while (length($1) < 16) $1 = "0" $1
		while (length($2) < 16) $2 = "0" $2
		if ($1 >= $2 || $1 < end || ($1 == end && $3 " " $4 " " $5 == before)) exit 1
		end = $2
		before = $3 " " $4 " " $5
	}' || fail "the rows are not in order:" "$(cat "$T/text")"
	# _start is the outermost frame.
	unwind_rows | grep -q ' - undefined undefined$' || fail "no end of stacks:" "$(cat "$T/text")"
}

# One address gets the row that the list has.
test_debug_rows_at_an_address() {
	local from to line
	debug 0 rows "$BIN/loop"
	unwind_rows | sed -n 3,6p > "$T/some"
	while read -r line; do
		read -r from to _ <<< "$line"
		debug 0 rows "$BIN/loop" "$(printf '0x%x' $((0x$to - 1)))"
		[ "$(awk 'NR == 2 { print $1, $2, $3, $4, $5 }' "$T/text")" = "$line" ] ||
			fail "another row at the end of $line:" "$(cat "$T/text")"
		debug 0 rows "$BIN/loop" "$from"
		[ "$(awk 'NR == 2 { print $1 }' "$T/text")" = "$from" ] || fail "no row at $from"
	done < "$T/some"
	debug 1 rows "$BIN/loop" ffffffffffff
	expect_line 'no row covers 0xffffffffffff'
}

test_debug_rows_of_the_vdso() {
	grep -q '\[vdso\]' /proc/self/maps || skip "this kernel has no vdso"
	debug 0 rows '[vdso]'
	[ "$(unwind_rows | wc -l)" -ge 1 ] || fail "too few rows:" "$(cat "$T/text")"
}

test_debug_wrong() {
	debug 2
	expect_line 'rows FILE'
	debug 2 row "$BIN/loop"
	expect_line "did you mean 'rows'"
	debug 2 rows
	expect_line 'needs a FILE'
	debug 2 rows "$BIN/loop" 12g
	expect_line "invalid address '12g'"
	debug 2 rows "$BIN/loop" 12 13
	expect_line "unexpected argument '13'"
	debug 1 rows "$T/nothing"
	expect_line 'nothing: cannot open it: No such file'
	debug 1 rows /etc/passwd
	expect_line '/etc/passwd: not an ELF file'
	debug 1 rows "$T"
	expect_line "$T: "
}

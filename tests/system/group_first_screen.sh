# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What "prospect CMD" prints: the answer of one command, as a new user sees it.

# first_screen COMMAND...: its screen goes to $T/screen, its output to $T/stdout.
first_screen() {
	local status=0
	XDG_STATE_HOME=$T "$PROSPECT" "$@" > "$T/stdout" 2> "$T/screen" || status=$?
	[ -s "$T/screen" ] || fail "no screen, exit status $status: $*"
	LOST=$(lost_samples "$T/prospect/last.prof")
	return $status
}

# has PATTERN: the screen, its lines joined, has it.
has() {
	tr -s '\n ' ' ' < "$T/screen" | grep -Eq -- "$1" || fail "no '$1':" "$(cat "$T/screen")"
}

lacks() {
	! grep -Eq -- "$1" "$T/screen" || fail "'$1':" "$(cat "$T/screen")"
}

# The functions of the table, as: self total function file
functions() {
	awk '$1 == "self" && $2 == "total" { on = 1; next } on && !NF { exit }
		on { print $1, $3, $5, $NF }' "$T/screen"
}

# own_share PATTERN: percent of the time that the functions of the table took themselves whose rows match.
own_share() {
	awk -v pattern="$1" '$1 == "self" && $2 == "total" { on = 1; next } on && !NF { exit }
		on && $0 ~ pattern { sum += $1 } END { print sum + 0 }' "$T/screen"
}

# check_screen_shares PATTERN: what the command says of its functions (share NAME FRACTION) is on the
# screen. A row that matches PATTERN, with the name for NAME, is of that function.
check_screen_shares() {
	local name truth whole=0 samples
	awk -F '\t' '$1 == "share" { print $2 "\t" $3 }' "$T/stdout" > "$T/truth"
	[ "$(wc -l < "$T/truth")" -ge 2 ] || fail "the command says no shares:" "$(cat "$T/stdout")"
	samples=$("$PROSPECT" report --command --by mode --format csv "$T/prospect/last.prof" |
		csv_to_tabs | sum 3)
	while IFS=$'\t' read -r name truth; do
		holds "$(own_share "${1//NAME/$name}") > 0" ||
			fail "$name is not on the screen:" "$(cat "$T/screen")"
		whole=$(calc "$whole + $(own_share "${1//NAME/$name}")")
	done < "$T/truth"
	while IFS=$'\t' read -r name truth; do
		check_share "$name" "$truth" "$(own_share "${1//NAME/$name}")" "$whole" "$samples"
	done < "$T/truth"
}

# The functions of the command come first, with their true shares, whatever else runs.
test_first_screen_names_the_functions() {
	local other
	"$BIN/loop" 60 &
	other=$!
	first_screen "$BIN/shares" 4
	kill $other
	check_screen_shares ' NAME +shares( |$)'
	[ "$(functions | head -n 3 | awk '{ print $3 }')" = "$(sort -t '	' -k 2nr "$T/truth" |
		cut -f 1)" ] || fail "not in the order of their shares:" "$(cat "$T/screen")"
	lacks '^ *[0-9].* loop$'
}

# Each program once, with its runs: of the shell one, and of the children that it forks none.
test_first_screen_counts_runs() {
	need_root
	cp "$BIN/loop" "$T/shortlived"
	first_screen sh -c "for i in \$(seq 60); do $T/shortlived 0.01; done; exec $BIN/loop 0.2"
	knows_every_process "$T/prospect/last.prof"
	has ', 62 processes;' # that of seq, too
	has 'Programs .*shortlived [0-9]+ % \(60 runs\)'
	has 'Programs .*loop [0-9]+ %(,| )'
}

test_first_screen_shows_other_events() {
	first_screen -e page-faults sh -c "for i in \$(seq 200); do /bin/true; done; exec $BIN/loop 0.3"
	grep -Eq '^ *self +total +page-faults +function' "$T/screen" ||
		fail "no column for page faults:" "$(cat "$T/screen")"
}

# Of a stripped program the screen names functions by where they start. These names can be typed again.
test_first_screen_names_can_be_typed_again() {
	local name
	need strip
	cp "$BIN/shares" "$T/bare"
	strip "$T/bare"
	first_screen "$T/bare" 1
	name=$(functions | awk '$3 ~ /^bare\+0x[0-9a-f]+$/ { print $3; exit }')
	[ -n "$name" ] || fail "no function of the stripped program:" "$(cat "$T/screen")"
	has '! +[0-9]+ % of the samples have no function name: bare is stripped; do not strip it'
	"$PROSPECT" report --by start --no-header --select "function=$name" \
		"$T/prospect/last.prof" > "$T/rows" || fail "--select does not know $name"
	grep -q "^ *100.00 .* ${name#*+}\$" "$T/rows" || fail "--select has another:" "$(cat "$T/rows")"
	"$PROSPECT" annotate --asm "$name" "$T/prospect/last.prof" > "$T/code" ||
		fail "annotate does not know $name"
	grep -q "@${name#*+}\$" "$T/code" || fail "annotate shows another:" "$(head -n 15 "$T/code")"
}

# Instances of programs appear with --by process only.
test_first_screen_has_no_instances() {
	need_root
	first_screen --off-cpu sh -c "for i in 1 2 3; do sleep 0.1; $BIN/loop 0.1; done"
	lacks '#[0-9]'
	"$PROSPECT" graph "$T/prospect/last.prof" > "$T/screen"
	lacks 'loop#[0-9]|sleep#[0-9]'
	"$PROSPECT" report --by process --no-header --command "$T/prospect/last.prof" > "$T/screen"
	has 'loop#3'
}

# sized LINES COLUMNS: prints the last screen on a terminal of that size to $T/screen.
sized() {
	script -qec "stty rows $1 cols $2; TERM=xterm XDG_STATE_HOME='$T' '$PROSPECT' report" \
		/dev/null < /dev/null 2>&1 | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' > "$T/screen"
}

# fits LINES COLUMNS: with a line for the prompt.
fits() {
	[ "$(wc -l < "$T/screen")" -lt "$1" ] || fail "more than $1 lines:" "$(cat "$T/screen")"
	[ "$(LC_ALL=C.UTF-8 wc -L < "$T/screen")" -le "$2" ] ||
		fail "wider than $2 columns:" "$(cat "$T/screen")"
}

# A profile of -a is about all programs, and has no command to repeat.
test_first_screen_of_the_machine() {
	local beside
	need_root
	"$BIN/loop" 600 &
	beside=$!
	record "$T/prof" -a --duration 1
	kill $beside
	"$PROSPECT" report "$T/prof" > "$T/screen"
	has 'Machine [0-9]+ CPUs?, (idle: )?[0-9]+ % busy '
	has 'Programs [^ ]+ [0-9]+ %'
	lacks 'this command|--off-cpu|NAME'
}

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What changed between real runs: effects of more than ten deviations, so that no chance is in it.

# diff_rows OLD NEW [OPTION...]: symbol, verdict, old and new samples; tabs between.
diff_rows() {
	[[ " $* " = *" --by "* ]] || set -- "$@" --by symbol
	"$PROSPECT" diff "$@" --format csv > "$T/.csv" 2> "$T/stderr" ||
		fail "diff $*:" "$(cat "$T/stderr")"
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $1 "\t" $column["verdict"] "\t" $column["old_samples"] "\t" \
			$column["new_samples"] }' "$T/.csv"
}

# Two versions of a program, built into files of different names: in the second one function does
# six times the work, one is called differently and one is new.
compile_versions() {
	cat > "$T/version.c" << 'EOF'
static volatile unsigned long sink;
#define WORK(name) \
	__attribute__((noinline)) void name(long n) { for (long i = 0; i < n; i++) sink += i; }
WORK(parse)
WORK(lex)
WORK(render)
#ifdef SECOND
WORK(extra)
#endif
/* @mean on average: turns of one length could be in step with the sampling. */
static long about(long mean)
{
	static unsigned state = 12345;
	state = state * 1103515245 + 12345;
	return mean / 2 + (long)((double)mean * (state >> 8) / (1 << 24));
}
int main(void)
{
	for (int i = 0; i < 200; i++) {
		parse(SCALE * about(1000000));
		lex(about(1000000));
		render(about(500000));
#ifdef SECOND
		extra(about(1000000));
#endif
	}
	return 0;
}
EOF
	if ! ${CC:-cc} -O1 -o "$T/version-1" -DSCALE=1 "$T/version.c" ||
		! ${CC:-cc} -O1 -o "$T/version-2" -DSCALE=6 -DSECOND \
			-Dlex=lex_renamed_by_nobody_but_us "$T/version.c"; then
		fail "cannot build the two versions"
	fi
}

test_diff_finds_what_changed() {
	compile_versions
	record "$T/old.prof" -- "$T/version-1"
	record "$T/new.prof" -- "$T/version-2"
	diff_rows "$T/old.prof" "$T/new.prof" --select mode=user > "$T/rows"
	grep -q "^parse	more	" "$T/rows" || fail "parse is not more:" "$(cat "$T/rows")"
	grep -q "^extra	new	0	" "$T/rows" || fail "extra is not new:" "$(cat "$T/rows")"
	grep -q "^lex	gone	[0-9]*	0$" "$T/rows" || fail "lex is not gone:" "$(cat "$T/rows")"
	grep -q "^render	less	" "$T/rows" || fail "render is not less:" "$(cat "$T/rows")"
	# The programs are one, whatever they are called.
	[ "$("$PROSPECT" diff "$T/old.prof" "$T/new.prof" --select symbol=parse --by program --all \
		--format csv | wc -l)" = 2 ] || fail "the two programs are not compared with each other"
	expect_status 3 "$PROSPECT" diff "$T/old.prof" "$T/new.prof" \
		--fail-if 'surely time(parse) > 1.5x and share(parse) > +2%' > "$T/stdout"
	expect_line 'fail-if holds: surely time\(parse\) > 1.5x: .* became'
	expect_status 0 "$PROSPECT" diff "$T/old.prof" "$T/new.prof" \
		--fail-if 'share(render) > +2%' --fail-if 'time(parse) > 30x' > "$T/stdout"
	grep -q '^ok  *share(render)' "$T/stdout" || fail "what was asked is not told"
}

# The same file on both sides: nothing changed, whatever is asked.
test_diff_with_itself_is_nothing() {
	record "$T/prof" -- "$BIN/shares" 0.5
	for by in symbol process,mode function,image stack line address; do
		[ -z "$(diff_rows "$T/prof" "$T/prof" --by $by)" ] || fail "by $by something changed"
	done
	"$PROSPECT" diff "$T/prof" "$T/prof" -a > "$T/stdout" || fail "diff -a"
	grep -q 'Nothing changed beyond noise' "$T/stdout" || fail "it does not say so"
	cp "$T/prof" "$T/other"
	"$PROSPECT" diff "$T/prof" "$T/other" -- "$T/other" "$T/prof" > "$T/stdout" || fail "several"
	grep -q 'variation of 2 and 2 runs' "$T/stdout" || fail "several runs are not told"
	ln -s prof "$T/link"
	expect_status 2 "$PROSPECT" diff "$T/prof" "$T/prof" "$T/link"
	expect_line "is given twice on one side"
}

# Older versions named programs by their executables, and did not store these.
test_diff_with_an_older_profile() {
	need sqlite3
	local key
	cp "$BIN/shares" "$T/given-name"
	ln -s given-name "$T/nickname"
	# not the command itself, which has another name in each profile without being another
	# shellcheck disable=SC2016
	record "$T/prof" -- bash -c '"$0" 0.4; true' "$T/nickname"
	cp "$T/prof" "$T/older"
	sqlite3 "$T/older" "DROP TABLE executable; DROP TABLE checksum;
		UPDATE process SET program = 'given-name' WHERE program = 'nickname'" || fail "sqlite3"
	for key in program exe; do
		"$PROSPECT" diff "$T/older" "$T/prof" --all --by $key --format csv > "$T/csv" 2> "$T/stderr" ||
			fail "diff" "$(cat "$T/stderr")"
		! grep -E 'appeared|gone' "$T/csv" || fail "$key is not paired"
	done
	"$PROSPECT" query "SELECT count(exe) FROM processes" "$T/older" --format csv > "$T/csv" || fail "query"
	grep -qx 0 "$T/csv" || fail "there are executables:" "$(cat "$T/csv")"
	[ "$(rows "$T/older" exe --select exe=given-name | sum 3)" -ge 100 ] || fail "no key exe"
}

test_diff_of_the_last_two_and_of_one() {
	export XDG_STATE_HOME=$T/state
	expect_status 1 "$PROSPECT" diff
	expect_line "no profile yet"
	"$PROSPECT" -f "$T/report" "$BIN/shares" 0.1 > /dev/null || fail "first run"
	expect_status 1 "$PROSPECT" diff
	expect_line "previous.prof"
	"$PROSPECT" -f "$T/report" "$BIN/shares" 0.1 > /dev/null || fail "second run"
	expect_status 0 "$PROSPECT" diff > "$T/stdout"
	grep -q '^Old .*previous.prof' "$T/stdout" || fail "old is not the previous one"
	grep -q '^New .*last.prof' "$T/stdout" || fail "new is not the last one"
	expect_status 0 "$PROSPECT" flame --diff -o "$T/page.html"
	[ -s "$T/page.html" ] || fail "there is no page"
	expect_status 1 "$PROSPECT" diff > /dev/full
	expect_told "No space left"
	"$PROSPECT" diff --all | head -n 1 > /dev/null
	[ "${PIPESTATUS[0]}" -le 141 ] || fail "a closed pipe"
}

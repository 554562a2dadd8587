# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# annotate: lines and instructions with their hits, against addr2line and objdump on the same file.

annotated_program() {
	cat > "$T/hot.h" <<- 'END'
		static inline unsigned long mix(unsigned long x)
		{
			x *= 0x9E3779B97F4A7C15ul;
			return x ^ x >> 7;
		}
	END
	cat > "$T/hot.c" <<- 'END'
		#include <stdlib.h>
		#include "hot.h"

		__attribute__((noipa)) unsigned long hot_loop(const unsigned *v, int n)
		{
			unsigned long s = 0;
			for (int i = 0; i < n; i++) {
				if (v[i] & 1)
					s += mix(v[i]);
				else
					s ^= v[i] / 7;
			}
			return s;
		}

		int main(void)
		{
			static unsigned v[4096];
			unsigned long s = 0;
			for (int i = 0; i < 4096; i++)
				v[i] = (unsigned)rand();
			for (int i = 0; i < 50000; i++)
				s += hot_loop(v, 4096);
			return s == 1;
		}
	END
	${CC:-cc} -g -O2 -o "$T/hot" "$T/hot.c" || fail "could not build it"
	touch "$T/hot"
	record "$T/prof" -H 4000 -- "$T/hot"
	# ADDRESS<tab>SAMPLES of the function
	own_rows "$T/prof" address --select 'program=hot symbol=hot_loop' | cut -f 1,3 > "$T/hits"
	[ "$(wc -l < "$T/hits")" -ge 3 ] || fail "only $(wc -l < "$T/hits") addresses were hit"
}

annotate() {
	"$PROSPECT" annotate "$@" > "$T/out" 2> "$T/stderr" ||
		fail "annotate $*:" "$(cat "$T/stderr")"
}

# The output without the hottest lines, which stand in it a second time.
listing() {
	sed '/^Hottest /,/^$/d' "$T/out"
}

# Hits per line, "LINE<tab>SAMPLES", from rows of source on stdin.
source_hits() {
	sed -nE 's/^ *[0-9.]+ +([0-9]+) +[0-9.]+ +([0-9]+) \|.*/\2\t\1/p' | sort -n
}

# The same of $T/hits by addr2line; its argument picks the innermost or the outermost line.
line_hits() {
	while IFS=$'\t' read -r address samples; do
		printf '%s\t%s\n' "$(addr2line -ie "$T/hot" "$address" | "$1" -n 1 |
			sed 's/ (.*//; s|.*/||')" "$samples"
	done < "$T/hits" | awk -F '\t' '{ n[$1] += $2 } END { for (l in n) print l "\t" n[l] }'
}

test_annotate_source() {
	need addr2line
	annotated_program
	annotate --source hot_loop "$T/prof"
	source_hits < "$T/out" > "$T/ours"
	line_hits tail | sed -n 's/^hot.c://p' | sort -n > "$T/theirs"
	cmp -s "$T/ours" "$T/theirs" || fail "not what addr2line says:" "$(diff "$T/ours" "$T/theirs")"
	# from the function's first line to its last
	grep -Eq '(^| )4 \| .*hot_loop\(const' "$T/out" || fail "the first line is missing" "$(cat "$T/out")"
	grep -Eq '(^| )14 \| }' "$T/out" || fail "the last line is missing" "$(cat "$T/out")"
	grep -q "^All of $T/hot.c: " "$T/out" || fail "no total of the file"
}

test_annotate_instructions() {
	need objdump
	annotated_program
	annotate --asm hot_loop "$T/prof"
	# address and text, without the arrows
	sed -nE 's/^( *[0-9.]+ +[0-9]+ +[0-9.]+)? +([0-9a-f]+)   [-|+\/\\> o]*([a-z(].*)$/\2 \3/p' \
		"$T/out" > "$T/ours"
	objdump -d --no-show-raw-insn --disassemble=hot_loop "$T/hot" |
		sed -nE 's/^ *([0-9a-f]+):\t(.*)$/\1 \2/p' | sed 's/ *$//' > "$T/theirs"
	cmp -s "$T/ours" "$T/theirs" || fail "not what objdump says:" "$(diff "$T/ours" "$T/theirs")"
	listing | sed -nE 's/^ *[0-9.]+ +([0-9]+) +[0-9.]+ +([0-9a-f]+)   .*/0x\2\t\1/p' |
		sort > "$T/ours"
	sort "$T/hits" > "$T/theirs"
	cmp -s "$T/ours" "$T/theirs" || fail "not what was hit:" "$(diff "$T/ours" "$T/theirs")"
	grep -q '>' "$T/out" || fail "no jumps are drawn"
}

# The bytes of what is hot are in the profile.
test_annotate_file_that_is_gone() {
	annotated_program
	annotate --asm hot_loop "$T/prof"
	sed -nE 's/^( *[0-9.]+ +[0-9]+ +[0-9.]+)? +([0-9a-f]+)   [-|+\/\\> o]*([a-z(].*)$/\2 \3/p' \
		"$T/out" > "$T/before"
	rm "$T/hot"
	annotate --asm hot_loop "$T/prof"
	sed -nE 's/^( *[0-9.]+ +[0-9]+ +[0-9.]+)? +([0-9a-f]+)   [-|+\/\\> o]*([a-z(].*)$/\2 \3/p' \
		"$T/out" > "$T/after"
	[ "$(wc -l < "$T/after")" -ge 10 ] || fail "no instructions" "$(cat "$T/out")"
	# after the function's last byte the file has padding
	head -n "$(wc -l < "$T/after")" "$T/before" | cmp -s - "$T/after" ||
		fail "others than before:" "$(diff "$T/before" "$T/after")"
}

test_annotate_mixed() {
	annotated_program
	annotate hot_loop "$T/prof"
	grep -q "hot.h, inlined: mix" "$T/out" || fail "the inlined function is not named" "$(cat "$T/out")"
	grep -q '| .*x \*= 0x9E' "$T/out" || fail "its source is missing"
	# hits of instructions alone add up to the function
	[ "$(sed -nE 's/^ *[0-9.]+ +([0-9]+) +[0-9.]+ +[0-9a-f]+   .*/\1/p' "$T/out" | awk '{ n += $1 } END { print n }')" = \
		"$(awk '{ n += $2 } END { print n }' "$T/hits")" ] || fail "hits are lost"
}

test_annotate_files() {
	need addr2line
	annotated_program
	annotate --all -o "$T/out.d" --include hot.c --include hot.h --select program=hot "$T/prof"
	local file=$T/out.d$T/hot.c
	[ -s "$file" ] || fail "no file was written" "$(cat "$T/out")"
	# line numbers stay: the n-th line ends as the n-th line of the source does
	awk -v source="$T/hot.c" '{ line = $0
		if ((getline text < source) <= 0) exit
		if (text != "" && substr(line, length(line) - length(text) + 1) != text) {
			print "# line " NR ": " line; bad = 1 } }
		END { exit bad }' "$file" || fail "lines have moved"
	line_hits head | sed -n 's/^hot.h://p' | sort -n > "$T/theirs"
	if [ -s "$T/theirs" ]; then
		awk '$4 == "|" { print NR "\t" $2 }' "$T/out.d$T/hot.h" > "$T/ours"
		cmp -s "$T/ours" "$T/theirs" || fail "hot.h:" "$(diff "$T/ours" "$T/theirs")"
	fi
	grep -q 'samples\? of cpu-clock' "$file" || fail "no total at the foot"
}

test_annotate_source_elsewhere() {
	annotated_program
	mkdir "$T/moved"
	mv "$T/hot.c" "$T/hot.h" "$T/moved"
	annotate hot_loop "$T/prof"
	grep -q "$T/hot.c does not exist: give its place with --source-path" "$T/out" || fail "it does not say so" "$(cat "$T/out")"
	annotate --source --source-path "$T=$T/moved" hot_loop "$T/prof"
	grep -q '| .*s += mix' "$T/out" || fail "FROM=TO does not find it"
	annotate --source --source-path "$T/moved" hot_loop "$T/prof"
	grep -q '| .*s += mix' "$T/out" || fail "DIR does not find it"
	touch -d tomorrow "$T/moved/hot.c"
	annotate --source-path "$T/moved" hot_loop "$T/prof"
	grep -q 'hot.c is newer than the program' "$T/out" || fail "its age is not told"
	annotate --source-path "$T/moved" --exclude moved --exclude 'hot.*' hot_loop "$T/prof"
	! grep -q '| .*s += mix' "$T/out" || fail "--exclude does nothing"
}

test_annotate_without_lines() {
	# another file than any whose lines may be known already
	${CC:-cc} -O2 -DLOOP="$$" -Wl,--build-id=uuid -o "$T/loop" "$HERE/programs/loop.c" ||
		fail "could not build it"
	record "$T/prof" -H 4000 -- "$T/loop" 0.3
	annotate main "$T/prof" --select program=loop
	grep -q '^No source lines: ' "$T/out" || fail "nothing is said" "$(cat "$T/out")"
	grep -q 'compile with -g' "$T/out" || fail "no advice"
	grep -Eq '^ *[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9a-f]+   ' "$T/out" || fail "no instructions"
}

# shows_code: what could not be read of the kernel's code is not the kernel's fault.
shows_code() {
	head -c 1 /proc/kcore > "$T/kcore" 2>&1 || skip "this kernel shows nobody its code"
}

test_annotate_kernel() {
	need_root
	record "$T/prof" -H 4000 -- "$BIN/systime" 0.5
	local symbol
	symbol=$(rows "$T/prof" symbol --select 'mode=kernel image=[kernel]' | grep -v '^\[' | head -n 1 | cut -f 1)
	[ -n "$symbol" ] || skip "the kernel hides its addresses"
	annotate --asm "$symbol" "$T/prof"
	! grep -q "(no code: cannot read the kernel's code" "$T/out" || shows_code
	grep -Eq '^ *[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9a-f]+   ' "$T/out" ||
		fail "no instruction of $symbol was hit" "$(cat "$T/out")"
}

# NUMBER<tab>HITS of the n-th of two events, from rows with both on stdin; blank where there are none.
hits_of_column() {
	awk -v begin="$(($1 * 15 - 7))" 'substr($0, 31) ~ /^ +[0-9a-f]+ [ |]/ {
		hits = substr($0, begin, 8)
		if (hits + 0) { split(substr($0, 31), word); print word[1] "\t" hits + 0 } }' | sort
}

test_annotate_events() {
	cat > "$T/both.c" <<- 'END'
		#include <sys/mman.h>
		#include <time.h>
		#include <unistd.h>
		#define SIZE (500ul * 4096)

		__attribute__((noipa)) unsigned long both(unsigned long n)
		{
			volatile char *p = mmap(0, SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise((void *)p, SIZE, MADV_NOHUGEPAGE);
			for (unsigned long i = 0; i < SIZE; i += 4096)
				p[i] = 1;
			munmap((void *)p, SIZE);
			for (unsigned long i = 0; i < 300000; i++)
				n = n * 6364136223846793005ul + i;
			return n;
		}

		int main(void)
		{
			unsigned long n = 0;
			while (clock() < CLOCKS_PER_SEC / 2)
				n = both(n);
			return n == 1;
		}
	END
	${CC:-cc} -g -O2 -o "$T/both" "$T/both.c" || fail "could not build it"
	touch "$T/both"
	record "$T/prof" -H 1000 -e page-faults@50 -- "$T/both"
	local way event at
	for way in --asm --source; do
		annotate $way -e page-faults,cpu-clock both "$T/prof"
		grep -q '^ *page-faults@50  *cpu-clock$' "$T/out" || fail "no titles" "$(cat "$T/out")"
		at=1
		for event in page-faults@50 cpu-clock; do
			listing | hits_of_column $at > "$T/column$at"
			[ -s "$T/column$at" ] || fail "$event was never hit" "$(cat "$T/out")"
			at=$((at + 1))
		done
		cp "$T/out" "$T/both.out"
		at=1
		for event in page-faults@50 cpu-clock; do
			annotate $way -e "$event" both "$T/prof"
			listing | awk '/^ *[0-9.]+ +[0-9]+ +[0-9.,]+ +[0-9a-f]+ [ |]/ {
				print $4 "\t" $2 }' | sort > "$T/alone"
			cmp -s "$T/column$at" "$T/alone" || fail "$way: $event is another alone:" \
				"$(diff "$T/column$at" "$T/alone")" "$(cat "$T/both.out")"
			at=$((at + 1))
		done
	done
	# the line that touches pages has all their faults, and nothing else has half as many
	annotate --source --columns event both "$T/prof"
	grep -q "| *p\[i\] = 1;" "$T/out" || fail "the line is missing" "$(cat "$T/out")"
	sort -k 2,2nr "$T/column1" | head -n 1 | grep -q '^12\b' ||
		fail "most faults are not in line 12" "$(cat "$T/column1")"
	annotate --all -o "$T/out.d" --include both.c --columns event "$T/prof"
	grep -q '^% of cpu-clock, page-faults@50$' "$T/out" || fail "no titles" "$(cat "$T/out")"
	sed -n 12p "$T/out.d$T/both.c" | grep -Eq '^[ 0-9.]{15} +100\.00 +[0-9]+ \| ' ||
		fail "the line in the file:" "$(cat "$T/out.d$T/both.c")"
}

test_annotate_refusals() {
	record "$T/prof" -- "$BIN/loop" 0.1
	expect_status 2 "$PROSPECT" annotate
	expect_line 'missing SYMBOL'
	expect_status 2 "$PROSPECT" annotate --asm --mixed main "$T/prof"
	expect_line 'cannot be used together'
	expect_status 2 "$PROSPECT" annotate -o "$T/d" main "$T/prof"
	expect_line 'needs --all'
	expect_status 2 "$PROSPECT" annotate --source-path = main "$T/prof"
	expect_line 'source-path'
	expect_status 2 "$PROSPECT" annotate main "$T/prof" "$T/prof"
	expect_line 'unexpected argument'
	expect_status 1 "$PROSPECT" annotate no_such_function "$T/prof"
	expect_line "no function named 'no_such_function' has samples"
	expect_status 1 "$PROSPECT" annotate -e no-such-event main "$T/prof"
	expect_line "no event 'no-such-event'"
}

# Each name that a report prints is a name for annotate, also of what has no symbol: alone, and beside
# its file.
test_annotate_printed_names() {
	local keys name
	cp "$BIN/shares" "$T/unnamed"
	strip "$T/unnamed"
	record "$T/prof" "$T/unnamed" 0.3
	for keys in function image,function; do
		"$PROSPECT" report --by $keys --select image=unnamed --format csv "$T/prof" > "$T/csv"
		grep -o '\[unknown\][^,]*' "$T/csv" | sort > "$T/names"
		[ -s "$T/names" ] || fail "nothing without a name:" "$(cat "$T/csv")"
		[ -z "$(uniq -d "$T/names")" ] || fail "several have one name:" "$(cat "$T/csv")"
		while read -r name; do
			"$PROSPECT" annotate "$name" "$T/prof" > "$T/out" 2>&1 ||
				fail "by $keys, $name:" "$(cat "$T/out")"
			grep -qF unnamed "$T/out" || fail "not of the file:" "$(cat "$T/out")"
		done < "$T/names"
	done
}

# Its samples are inside its callers, and the hottest line comes first.
test_annotate_inlined_functions() {
	local name
	compile_inlined
	record "$T/prof" -H 2000 -- "$T/inlined"
	for name in innermost 'inner...' between outermost; do
		"$PROSPECT" annotate "$name" "$T/prof" > "$T/out" 2> "$T/stderr" ||
			fail "$name:" "$(cat "$T/stderr")"
		grep -q '^Hottest lines' "$T/out" || fail "$name has no hottest lines" "$(cat "$T/out")"
	done
	"$PROSPECT" annotate innermost "$T/prof" > "$T/out"
	grep -q '^innermost, inlined$' "$T/out" || fail "it is not called inlined" "$(cat "$T/out")"
	grep -q '^Inlined into outermost' "$T/out" || fail "no caller" "$(cat "$T/out")"
	awk '/^Hottest/ { getline; getline; print $NF, $0; exit }' "$T/out" > "$T/first"
	grep -q 'inlined.c:[0-9]*  sum += x' "$T/first" || fail "the hottest line:" "$(cat "$T/first")"
	expect_status 1 "$PROSPECT" annotate no_such_function "$T/prof"
	expect_line "no function named 'no_such_function'"
}

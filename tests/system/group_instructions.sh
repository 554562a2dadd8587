# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# -d: the instructions that were hit, against objdump on the same files.

# instructions FILE SELECTION [REPORT OPTION...]: image, address, samples and instruction of every
# user address or kernel offset that was hit, tabs between, to $T/rows. As with rows(), a selection
# that nothing matches gives no rows.
instructions() {
	local file=$1 selection=$2
	shift 2
	"$PROSPECT" report "$file" -d --by image,address --select "$selection" --format csv "$@" \
		> "$T/csv" 2> "$T/csv.err" || grep -q 'no samples match' "$T/csv.err" ||
		fail "report -d:" "$(cat "$T/csv.err")"
	csv_to_tabs < "$T/csv" | awk -F '\t' -v OFS='\t' '{ print $1, $2, $4, $9 }' > "$T/rows"
}

# Where objdump begins anew in a file: its sections and functions, in 16 digits.
objdump_starts() {
	{ nm "$1"; nm -D "$1"; } 2> /dev/null | awk '$2 ~ /^[tTwWi]$/ { print $1 }'
	objdump -h "$1" | awk '$1 ~ /^[0-9]+$/ { print $4 }'
}

# The ranges of a file, as lines of BEGIN END, from the starts before the addresses in $T/rows to those
# addresses; those in the same 64 KiB are one range.
hit_ranges() {
	{
		objdump_starts "$1"
		awk -F '\t' -v image="$1" '$1 == image {
			digits = substr($2, 3)
			print substr("0000000000000000", 1, 16 - length(digits)) digits, "hit"
		}' "$T/rows"
	} | sort | awk '
		{ $1 = "x" $1 } # 0e10 would be a number
		!$2 { start = $1; next }
		begin && start > last && substr(start, 1, 13) != substr(last, 1, 13) {
			print substr(begin, 2), substr(last, 2)
			begin = ""
		}
		{ last = $1 }
		!begin { begin = start }
		END { if (begin) print substr(begin, 2), substr(last, 2) }'
}

# What objdump has at the addresses of a file in $T/rows, as lines of ADDRESS<tab>TEXT, to $T/objdump. No
# instruction is longer than 15 bytes.
dump() {
	local begin end
	while read -r begin end; do
		objdump -d --no-show-raw-insn --start-address=$((0x$begin)) --stop-address=$((0x$end + 16)) "$1"
	done < <(hit_ranges "$1") | awk -F '\t' '
		FNR == NR { hit[substr($2, 3) ":"] = $2; next }
		{ address = $1; sub(/^ */, "", address) }
		address in hit {
			sub(/^[^\t]*\t/, "")
			gsub(/\t/, " ")
			print hit[address] "\t" $0
		}' "$T/rows" - > "$T/objdump"
}

# compare_with_objdump LEAST: every address in $T/rows, at least so many of them.
compare_with_objdump() {
	local image compared=0
	while read -r image; do
		dump "$image"
		awk -F '\t' -v image="$image" '
			FILENAME ~ "/objdump$" { text[$1] = $2; next }
			$1 == image && text[$2] != $4 {
				print "# " image " " $2 ": \"" $4 "\", objdump: \"" text[$2] "\""
				bad = 1
			}
			END { exit bad }' "$T/objdump" "$T/rows" || fail "not what objdump says"
		compared=$((compared + $(awk -F '\t' -v image="$image" '$1 == image' "$T/rows" | wc -l)))
	done < <(cut -f 1 "$T/rows" | grep '^/' | sort -u)
	[ "$compared" -ge "$1" ] || fail "only $compared addresses were hit"
}

test_instructions_of_programs() {
	need objdump
	local name names=(loop call btree shares-nopie shares-static-pie)
	# shellcheck disable=SC2016 # for the inner shell
	record "$T/prof" -H 4000 -- sh -c 'for program; do "$program" 0.4; done' - "${names[@]/#/$BIN/}"
	for name in "${names[@]}"; do
		instructions "$T/prof" "program=$name mode=user image=/*"
		compare_with_objdump 2 # a loop has few instructions, and not each is hit
	done
}

# Whatever runs when a compiler does, in large libraries with and without symbols.
test_instructions_of_a_compiler() {
	need objdump
	# shellcheck disable=SC2086 # a compiler may be several words; it is to run, whatever is cached
	CCACHE_DISABLE=1 record "$T/prof" -H 4000 -- ${CC:-cc} -O2 -D_GNU_SOURCE -c -o "$T/o" \
		"$HERE/programs/btree.c"
	instructions "$T/prof" 'program=cc1,as mode=user image=/*'
	compare_with_objdump 100
}

test_instructions_of_a_stripped_library() {
	need objdump
	record "$T/prof" -- "$BIN/loader" 0.6 "$BIN/libstripped.so" '*library_hidden'
	instructions "$T/prof" 'program=loader image=*libstripped.so'
	compare_with_objdump 1
}

test_instructions_with_one_file_open() {
	record "$T/prof" -H 4000 -- sh -c 'ls -lR /usr/lib > /dev/null'
	instructions "$T/prof" 'mode=user program=ls'
	mv "$T/rows" "$T/all"
	instructions "$T/prof" 'mode=user program=ls' -g 1
	cmp -s "$T/all" "$T/rows" || fail "-g 1 tells others:" "$(diff "$T/all" "$T/rows" | head -n 4)"
	[ "$(cut -f 1 "$T/rows" | sort -u | wc -l)" -ge 2 ] || fail "only one file was hit"
}

# Every operand that is printed by name is where /proc/kallsyms has that name.
test_instructions_of_the_kernel() {
	need_root
	# shellcheck disable=SC2016 # for the inner shell
	record "$T/prof" -H 4000 -- sh -c '"$0" 0.3; ls -lR /usr/lib > /dev/null' "$BIN/systime"
	instructions "$T/prof" 'mode=kernel image=[kernel]'
	[ "$(wc -l < "$T/rows")" -ge 30 ] || fail "only $(wc -l < "$T/rows") addresses were hit"
	! grep -q "(no code: cannot read the kernel's code" "$T/rows" || shows_code
	! awk -F '\t' '$4 ~ /^\(no code/ || $4 == ""' "$T/rows" | grep . || fail "without an instruction"
	# Some code changes itself while it runs.
	awk -F '\t' '$4 ~ /^\(/' "$T/rows" > "$T/elsewhere"
	[ $(($(wc -l < "$T/elsewhere") * 20)) -le "$(wc -l < "$T/rows")" ] || fail "not at instructions:" \
		"$(head -n 4 "$T/elsewhere")"
	grep -oE '[0-9a-f]{16} <[A-Za-z_][A-Za-z0-9_.]*\+0x[0-9a-f]+>' "$T/rows" |
		tr -d '<>' | tr + ' ' > "$T/inside"
	awk '{ print $1, $3 }' /proc/kallsyms | sort -u > "$T/kallsyms"
	grep -oE '[0-9a-f]{16} <[A-Za-z_][A-Za-z0-9_.]*>' "$T/rows" | tr -d '<>' | sort -u > "$T/starts"
	[ "$(wc -l < "$T/starts")" -ge 1 ] || [ -s "$T/inside" ] || fail "no operand has a name"
	comm -23 "$T/starts" "$T/kallsyms" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "not where kallsyms has it:" "$(cat "$T/wrong")"
	while read -r address name distance; do
		printf '%x %s\n' $((0x$address - distance)) "$name"
	done < "$T/inside" | sort -u | comm -23 - "$T/kallsyms" > "$T/wrong"
	[ ! -s "$T/wrong" ] || fail "not where kallsyms has it:" "$(cat "$T/wrong")"
}

test_instructions_of_the_vdso() {
	# shellcheck disable=SC2016
	record "$T/prof" -H 4000 -- bash -c 'for ((i = 0; i < 300000; i++)); do : $EPOCHREALTIME; done'
	instructions "$T/prof" 'image=[vdso] program=bash'
	[ -s "$T/rows" ] || skip "the vdso was not hit"
	! awk -F '\t' '$4 ~ /^\(/' "$T/rows" | grep . || fail "no instruction there"
}

# Of a file that is not the one that ran, nothing is shown.
# of_the_file_that_ran WHAT REASON: what is in $T/rows now is what $T/first had, from the bytes the
# profile kept, or says that there is no code and why; never the code of the file that is there now.
of_the_file_that_ran() {
	awk -F '\t' -v reason="$2" 'NR == FNR { code[$2] = $4; next }
		$4 == code[$2] { kept++; next }
		$4 != "(no code: " reason ")" { print "# " $0; wrong = 1 }
		END { exit wrong || !kept }' "$T/first" "$T/rows" || fail "$1:" "$(cat "$T/rows")"
}

test_instructions_of_another_file() {
	cp "$BIN/shares" "$T/swap"
	record "$T/prof" -- "$T/swap" 0.3
	instructions "$T/prof" "image=$T/swap"
	! grep -q "$(printf '\t')(no code" "$T/rows" || fail "of its own file:" "$(cat "$T/rows")"
	cp "$T/rows" "$T/first"
	cp "$BIN/other" "$T/swap.new"
	mv "$T/swap.new" "$T/swap"
	instructions "$T/prof" "image=$T/swap"
	of_the_file_that_ran "of another file" "the file was replaced"
	rm "$T/swap"
	instructions "$T/prof" "image=$T/swap"
	of_the_file_that_ran "of no file" "the file no longer exists"
}

# A file without a build id that is written anew in its place has the inode it had.
test_instructions_of_a_rewritten_file() {
	compile plain loop.c -Wl,--build-id=none
	record "$T/prof" -- "$BIN/plain" 0.3
	instructions "$T/prof" 'image=*/plain'
	[ -s "$T/rows" ] || fail "it was not hit"
	! grep -q "$(printf '\t')(no code" "$T/rows" || fail "of its own file:" "$(cat "$T/rows")"
	cp "$T/rows" "$T/first"
	cat "$BIN/btree" > "$BIN/plain"
	instructions "$T/prof" 'image=*/plain'
	of_the_file_that_ran "of a file written anew" "the file was replaced"
}

test_instructions_below_routines() {
	record "$T/prof" -- "$BIN/loop" 0.5
	"$PROSPECT" report "$T/prof" -d -V2 > "$T/text" || fail "report -d -V2"
	# hits of the routine below it come to its own
	awk '/^Details/ { on = 1 }
		/KERNEL portion/ { on = 0 }
		on && $2 ~ /^[0-9]+$/ && NF == 4 { if (n && sum != n) exit 1; n = $2; sum = 0; seen++ }
		on && /^ +[0-9]+ +[0-9.]+  (<|0x)/ { sum += $1; lines++ }
		END { exit !(seen && lines && sum == n) }' "$T/text" ||
		fail "hits do not add up:" "$(sed -n '/^Details/,$p' "$T/text" | head -n 20)"
	expect_status 0 "$PROSPECT" -d -f "$T/text" "$BIN/loop" 0.3
	grep -q '^ *[0-9]* *[0-9.]*  <.*>: ' "$T/text" || fail "no instruction on the screen"
}

# Somebody without rights sees the programs' code, and reads why not the kernel's.
test_instructions_without_rights() {
	need_root
	need setpriv
	# a kernel without BPF has no such file
	[ "$(cat /proc/sys/kernel/kptr_restrict)" != 0 ] ||
		[ "$(cat /proc/sys/kernel/unprivileged_bpf_disabled 2> /dev/null)" != 0 ] || skip "everybody may"
	user_folder
	record "$T/prof" -- "$BIN/systime" 0.4
	chmod 644 "$T/prof"
	as_plain_user head -c 1 /proc/kcore > "$T/kcore" 2>&1 && skip "everybody may"
	expect_status 0 as_plain_user "$PROSPECT" report "$T/prof" -d -V2 > "$T/text"
	grep -q '(no code: cannot read the kernel' "$T/text" || fail "no reason in place of the instruction"
	grep -q '^Note: .*-L' "$T/text" || fail "no word on the fix:" "$(tail -n 3 "$T/text")"
}

# The disassembler's library is large: a view that shows no instructions does not load it.
test_instructions_are_loaded_on_demand() {
	record "$T/prof" "$BIN/loop" 0.5
	LD_DEBUG=files "$PROSPECT" report -f "$T/text" "$T/prof" 2> "$T/loaded"
	! grep -q opcodes "$T/loaded" || fail "it was loaded without -d"
	LD_DEBUG=files "$PROSPECT" -d -f "$T/text" "$BIN/loop" 0.5 2> "$T/loaded"
	grep -q opcodes "$T/loaded" || fail "it was not loaded with -d"
}

test_instructions_options() {
	expect_status 2 "$PROSPECT" -d -g "$BIN/loop" 1
	expect_line '^prospect: -g: .*how many images -d keeps open'
	expect_status 2 "$PROSPECT" report -g
	expect_line 'how many images'
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Instructions against objdump -d. Usage: disassembly.sh PROSPECT [NAME...]; the helpers are looked for
# in the build of that PROSPECT. Prints "ok NAME", "not ok NAME" (with lines of "# reason" before it),
# "skip NAME: reason" and, last, "N passed, N failed, N skipped"; lines of "# " also say how much was
# compared.
set -u
export LC_ALL=C
[ $# -ge 1 ] || { echo "usage: $0 PROSPECT [NAME...]" >&2; exit 2; }
HELPERS=$(cd "$(dirname "$1")" && pwd)/tests/oracle
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift
for helper in list_code list_kernel; do
	[ -x "$HELPERS/$helper" ] || { echo "$HELPERS/$helper is not built" >&2; exit 2; }
done
T=$(mktemp -d /tmp/prospect-oracle.XXXXXX)
trap 'rm -rf "$T"' EXIT

# shellcheck source-path=SCRIPTDIR source=files.sh
. "$HERE/files.sh"

fail() {
	printf '%s\n' "$@" | sed 's/^/# /'
	exit 1
}

skip() {
	printf '%s\n' "$1" > "$T/.skip"
	exit 77
}

library() {
	local path
	path=$(${CC:-cc} -print-file-name="$1")
	[ -e "$path" ] || skip "needs $1"
	printf '%s\n' "$path"
}

# "ADDRESS:<tab>TEXT" and "...", without the columns.
objdump_lines() {
	"${OBJDUMP:-objdump}" -d --no-show-raw-insn "$1" |
		sed -nE 's/^ *([0-9a-f]+:\t)/\1/p; s/^\t\.\.\./\t.../p'
}

# The whole file, line by line.
compare_sections() {
	objdump_lines "$1" > "$T/theirs"
	[ -s "$T/theirs" ] || fail "objdump has no lines of $1"
	"$HELPERS/list_code" "$1" > "$T/ours" 2> "$T/stderr" || fail "$1: $(cat "$T/stderr")"
	diff "$T/theirs" "$T/ours" > "$T/diff" ||
		fail "$1: $(grep -c '^[<>]' "$T/diff") lines differ" "$(head -n 10 "$T/diff")"
	echo "# $1: $(wc -l < "$T/ours") lines are equal"
}

# Each function alone, from its start for its size, as a report shows it.
compare_functions() {
	"${READELF:-readelf}" -sW "$1" |
		awk '($4 == "FUNC" || $4 == "IFUNC") && $3 != 0 && $7 != "UND" { print $2, $3 }' |
		sort -u > "$T/sizes"
	# readelf has sizes in decimal, long ones in hexadecimal
	while read -r start size; do
		printf '%s %x\n' "$start" "$size"
	done < "$T/sizes" > "$T/functions"
	[ -s "$T/functions" ] || fail "readelf knows no function of $1"
	"$HELPERS/list_code" "$1" - < "$T/functions" > "$T/ours" 2> "$T/stderr" ||
		fail "$1: $(cat "$T/stderr")"
	awk -F '\t' '
	FNR == NR { if ($1 != "") theirs[$1] = $0; next }
	$1 == "" { next }
	theirs[$1] != $0 { if (++wrong <= 5) print "# " $0 "\n# objdump: " theirs[$1] }
	{ lines++ }
	END { printf "%d %d\n", lines, wrong }' "$T/theirs" "$T/ours" > "$T/result"
	read -r lines wrong < <(tail -n 1 "$T/result")
	if [ "$wrong" != 0 ] || [ "$lines" = 0 ]; then
		fail "$1: $wrong of $lines lines of functions differ" "$(head -n 10 "$T/result")"
	fi
	echo "# $1: $(wc -l < "$T/functions") functions, $lines lines are equal"
}

compare() {
	compare_sections "$1"
	compare_functions "$1"
}

test_libc() {
	compare "$(library libc.so.6)"
}

test_libcrypto() {
	compare "$(library libcrypto.so.3)"
}

test_bash() {
	compare "$(command -v bash)"
}

test_cxx_library() {
	compare "$(library libstdc++.so.6)"
}

# Symbols of its own, locals and sections included.
test_with_symbols() {
	compare "$HELPERS/list_code"
}

build_vectors() {
	cat > "$T/vectors.c" <<'END'
#include <stddef.h>
void scale(float *restrict a, const float *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = a[i] * b[i] + (b[i] > 1 ? a[i] : 2);
}
int dot(const signed char *restrict a, const unsigned char *restrict b, size_t n)
{
	int sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}
int bits(const unsigned *a, size_t n)
{
	int sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += __builtin_popcount(a[i]);
	return sum;
}
_Float16 halves(const _Float16 *a, size_t n)
{
	_Float16 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * a[i];
	return sum;
}
int main(void)
{
	return 0;
}
END
	${CC:-cc} -O3 -ffast-math -march=sapphirerapids -mprefer-vector-width=512 \
		-o "$T/vectors" "$T/vectors.c" 2> "$T/stderr" || skip "the compiler knows no AVX-512"
}

test_avx512() {
	build_vectors
	objdump -d "$T/vectors" | grep -q '%zmm' || fail "no AVX-512 instruction was made"
	compare "$T/vectors"
}

# Programs and libraries of the machine, as many as come in some seconds.
test_many_files() {
	local file count=0 lines=0
	find /usr/bin "/usr/lib/$(${CC:-cc} -print-multiarch)" -maxdepth 1 -type f -size -300000c \
		\( -path '/usr/bin/*' -o -name '*.so.*' \) | sort > "$T/files"
	while read -r file; do
		[ $count -lt 60 ] || break
		is_elf "$file" || continue
		compare_sections "$file" > "$T/said" || { cat "$T/said"; exit 1; }
		count=$((count + 1))
		lines=$((lines + $(wc -l < "$T/ours")))
	done < "$T/files"
	echo "# $count files, $lines lines are equal"
}

# What is read is code: it decodes, and calls lead to functions. Text that is patched (alternatives,
# tracing) and data between functions leave a few lines that are none.
test_live_kernel() {
	local status=0
	"$HELPERS/list_kernel" > "$T/kernel" 2> "$T/stderr" || status=$?
	[ $status = 77 ] && skip "$(cat "$T/kernel")"
	[ $status = 0 ] || fail "$(cat "$T/stderr")"
	sed 's/^/# /' "$T/kernel"
	awk '{ exit !($2 > 1000 && $4 > 100000 && $6 < $4 / 10000 && $10 > $8 * 0.995) }' \
		"$T/kernel" || fail "that is no kernel code"
}

passed=0 failed=0 skipped=0
run_test() {
	local status=0
	rm -f "$T/.skip"
	( "test_$1" ) > "$T/output" 2>&1 < /dev/null || status=$?
	grep '^#' "$T/output"
	if [ $status = 77 ] && [ -e "$T/.skip" ]; then
		echo "skip $1: $(cat "$T/.skip")"
		skipped=$((skipped + 1))
	elif [ $status = 0 ]; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		grep -v '^#' "$T/output" | sed 's/^/# /'
		echo "not ok $1"
		failed=$((failed + 1))
	fi
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
	mapfile -t names < <(sed -n 's/^test_\([a-z0-9_]*\)() .*/\1/p' "$HERE/disassembly.sh")
fi
for name in "${names[@]}"; do
	run_test "$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]

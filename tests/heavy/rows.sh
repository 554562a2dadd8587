#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/rows.sh PROSPECT: unwind rows of every program and library of the machine, and of those
# for arm64 where they are installed, as readelf -wF has them. Prints how much was compared.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/tools/build" build-check all || exit 1
compare=$top/build-check/tests/oracle/compare_rows
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=../oracle/files.sh
. "$top/tests/oracle/files.sh"

elf_files() {
	find "$@" -type f -size +0 2>/dev/null | while read -r file; do
		is_elf "$file" && printf '%s\n' "$file"
	done
}

# Files of the other class, without code or without descriptions are none of ours; hard links once.
compare_all() {
	local name=$1 files
	shift
	elf_files "$@" | xargs -r -d '\n' stat -c '%i %n' | sort -u -k 1,1 | cut -d ' ' -f 2- \
		> "$scratch/files"
	xargs -r -d '\n' "$compare" < "$scratch/files" > "$scratch/out" 2>&1
	files=$(grep -c ' places compared ' "$scratch/out")
	if [ "$files" = 0 ]; then
		echo "skip rows_of_$name: no such files"
		return
	fi
	awk '/ places compared / {
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^rows/) rows += $(i - 1)
			if ($i == "places") places += $(i - 1)
			if ($i ~ /^inexpressible/) none += $(i - 1)
			if ($i ~ /^different/) different += $(i - 1)
		}
		files++
	}
	END { printf "# %d files, %d rows, %d places, %d without a rule, %d different\n", files, rows,
		places, none, different }' "$scratch/out"
	if grep -q '^# ' "$scratch/out"; then
		grep '^# ' "$scratch/out" | head -n 20
		echo "not ok rows_of_$name"
	else
		echo "ok rows_of_$name"
	fi
}

compare_all system /usr/lib /usr/bin /usr/sbin /usr/libexec /opt
compare_all arm64 /usr/aarch64-linux-gnu/lib

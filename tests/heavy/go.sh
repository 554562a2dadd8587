#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/go.sh PROSPECT: names in Go programs that were linked without symbol tables, beside
# what nm says of the same programs with them.
set -u
prospect=$(realpath "$1")
scratch=$(mktemp -d /tmp/prospect-go.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
command -v go > /dev/null || { echo "skip names_of_go: needs go" && exit 0; }
cd "$scratch" || exit 2
export HOME=$scratch GOCACHE=$scratch/cache GO111MODULE=off

cat > hello.go << 'GO'
package main

import (
	"fmt"
	"sort"
	"strings"
)

type walker struct{ n int }

func (w *walker) walk(f func(int) int) (sum int) {
	for i := 0; i < w.n; i++ {
		sum += f(i)
	}
	return
}

func main() {
	words := []string{"b", "a"}
	sort.Strings(words)
	w := &walker{1000}
	fmt.Println(w.walk(func(i int) int { return i * i }), strings.Join(words, ","))
}
GO

# compare MODE: every function, at its first and its last byte. Two ABIs share a name in the table
# of the run time, and types are not told there.
compare() {
	if ! go build -buildmode="$1" -o whole hello.go ||
		! go build -buildmode="$1" -ldflags="-s -w" -o stripped hello.go; then
		echo "not ok names_of_go_$1"
		return
	fi
	nm -S --defined-only whole | awk '
		NF == 4 && $3 ~ /[tT]/ && $4 !~ /^type\.\.|^runtime\.e?text$/ {
			sub(/\.abi0$/, "", $4); sub(/\[.*/, "", $4)
			print "0x" $1, $2, $4
		}' | sort -u > functions
	while read -r start size name; do
		printf '%#x %s\n%#x %s\n' "$start" "$name" $((start + 0x$size - 1)) "$name"
	done < functions > wanted
	cut -d ' ' -f 1 wanted | "$prospect" symbolize -e stripped --demangle none 2> said |
		sed -n 's/^  //p' > answers
	if awk 'NR == FNR { name[FNR] = $2; next } {
		n++
		if (index($0, name[FNR]) != 1 && wrong++ < 5) print $0 ", not " name[FNR]
	} END { printf "%d names, %d wrong\n", n, wrong; exit n < 1000 || wrong > 0 }' \
		wanted answers; then
		echo "ok names_of_go_$1"
	else
		echo "not ok names_of_go_$1"
	fi
}

compare exe
compare pie

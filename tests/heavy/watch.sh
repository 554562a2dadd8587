#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/watch.sh PROSPECT: what watch says of functions of Go programs, which count their calls
# themselves.
set -u
export LC_ALL=C
prospect=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d /tmp/prospect-watch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

skip() {
	echo "skip watch: $1"
	exit 0
}

command -v go > /dev/null || skip "needs go"
[ "$(id -u)" = 0 ] || skip "needs root"

# check_growing MODE: of a program that was linked so.
check_growing() {
	local wanted got
	GO111MODULE=off HOME=$scratch GOCACHE=$scratch/cache \
		go build -buildmode="$1" -o growing "$here/watch/growing.go" || return
	wanted=$(./growing)
	"$prospect" watch -i 0 --budget 0 -m entries --format csv -f csv ./growing:main.deep \
		-- ./growing > out 2> errors || return
	got=$(awk -F , '$1 == "total" { print $5 }' csv)
	[ "$got" = "$wanted" ] && return
	echo "# $wanted calls, and entries: '$got'"
	cat csv errors
	return 1
}

for mode in exe pie; do
	if check_growing $mode; then
		echo "ok watch counts calls that begin anew, $mode"
	else
		echo "not ok watch counts calls that begin anew, $mode"
		status=1
	fi
done
exit $status

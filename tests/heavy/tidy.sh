#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/tidy.sh K N: what clang-tidy says of the K-th of N shares of the tree, and with the first one
# cppcheck of all of it.
cd "$(dirname "$0")/../.." || exit 1
tools/build build-check all || exit 1
judge() {
	check=$1
	shift
	if "tools/$check" "$@"; then
		echo "ok $check"
	else
		echo "not ok $check"
	fi
}
[ "$2" != 1 ] || judge check-cppcheck . build-check
judge check-tidy . build-check "$2" "$3"

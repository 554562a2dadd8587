#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/tidy.sh: what clang-tidy and cppcheck say of the whole tree.
cd "$(dirname "$0")/../.." || exit 1
tools/build build-check all || exit 1
for check in check-cppcheck check-tidy; do
	if tools/$check . build-check; then
		echo "ok $check"
	else
		echo "not ok $check"
	fi
done

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/lines.sh PROSPECT: lines and inlined functions of programs built in every way, as three
# other tools have them.
top=$(cd "$(dirname "$0")/../.." && pwd)
if "$top/tests/oracle/lines.sh" "$1" full; then
	echo "ok lines_of_every_build"
else
	echo "not ok lines_of_every_build"
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/disassembly.sh PROSPECT: every instruction of large files as objdump -d has it. The helpers
# are in the build with the tests.
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/tools/build" build-check all || exit 1
exec "$top/tests/oracle/disassembly.sh" "$top/build-check/prospect"

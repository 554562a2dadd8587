#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/system.sh PROSPECT PART: the system tests of one part of tests/system/not_in_check.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "$top/tests/system/run.sh" "$1" --only <(awk -v part="$2" '$2 == part' "$top/tests/system/not_in_check")

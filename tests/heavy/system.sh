#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/system.sh PROSPECT: the system tests in tests/system/not_in_check, but for those of
# jobs.sh, which measure.
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "$top/tests/system/run.sh" "$1" --only <(grep -v '^job_' "$top/tests/system/not_in_check")

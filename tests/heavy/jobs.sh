#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/jobs.sh PROSPECT: the everyday jobs of tests/system/group_jobs.sh that run compilers,
# interpreters and servers.
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "$top/tests/system/run.sh" "$1" --only <(grep '^job_' "$top/tests/system/not_in_check")

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A second in user mode, in known shares, and some time in the kernel.
/tmp/bin/shares 1
dd if=/dev/zero of=/dev/null bs=1M count=200 2> /dev/null

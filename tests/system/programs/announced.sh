#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# announced.sh FILE COMMAND...: becomes the command, whose number is in FILE from then on.
echo $$ > "$1.new"
mv "$1.new" "$1"
shift
exec "$@"

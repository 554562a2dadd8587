#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/heavy/completion.sh PROSPECT: what the shells offer that not everybody has.
exec "$(dirname "$0")/../system/run.sh" "$1" completion_in_zsh completion_in_fish

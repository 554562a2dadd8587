# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What each shell offers for what was typed so far, asked of the shell itself.
SOURCES=$(cd "$HERE/../../completions" && pwd)

# How each shell comes by the completions: from the sources, or where "make install" has put them.
LOAD_BASH=". '$SOURCES/prospect.bash'"
LOAD_ZSH="fpath=('$SOURCES' \$fpath)"
LOAD_FISH="source '$SOURCES/prospect.fish'"

# offered_by_SHELL LINE: what may take the place of the last word of LINE, one a line.

offered_by_bash() {
	# shellcheck disable=SC2016 # for the inner shell
	bash --norc -c "$LOAD_BASH"'
		COMP_LINE=$1 COMP_POINT=${#1}
		# As readline splits it: "=" is a word of its own.
		read -ra COMP_WORDS <<< "${1//=/ = }"
		[[ $1 != *\  ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_prospect
		printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}

offered_by_fish() {
	HOME=$T env -u XDG_DATA_DIRS fish -c "$LOAD_FISH; complete -C '$1'" | cut -f 1
}

# The line is typed into an interactive shell, which tells what the completion adds. Such a shell sends
# SIGCONT to what it starts. That takes back the SIGSTOP with which the leak sanitizer stops a program,
# and the sanitizer would wait forever.
offered_by_zsh() {
	cat > "$T/zshrc" <<- END
		export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
		$LOAD_ZSH
		autoload -U compinit && compinit -C -d '$T/zcompdump'
		zstyle ':completion:*' list-prompt ''
		compadd() {
			local -a hits
			[[ \${@[1,(i)(-|--)]} == *-[ODA]* ]] || {
				builtin compadd -A hits "\$@"
				print -rl -- \$IPREFIX\$^hits >> '$T/offered'
			}
			builtin compadd "\$@"
		}
		finished() { print end >> '$T/offered' }
		zle -N finished
		bindkey '^T' finished # begins no other key, which would be waited for
		print ready >> '$T/offered'
	END
	: > "$T/offered"
	zsh -f -c '
		zmodload zsh/zpty
		zpty shell "cd $1 && exec zsh -f -i"
		zpty -w shell "PS1= ; source $2"
		until_said() {
			until grep -q "$1" "$2"; do
				((SECONDS < 120)) || { print "the shell never said $1" >&2; exit 1 }
				zpty -r -t shell
				sleep 0.01
			done
		}
		until_said ready "$3"
		zpty -w -n shell "$4"$'\''\t\024'\''
		until_said end "$3"
		zpty -d shell' - "$PWD" "$T/zshrc" "$T/offered" "$1" > /dev/null
	grep -v '^ready$\|^end$' "$T/offered"
}

# expect_offered SHELL LINE WORD...: these are offered, those after "not" are not.
expect_offered() {
	local shell=$1 line=$2 word wanted=1
	shift 2
	"offered_by_$shell" "$line" | sed 's/ *$//; s/^--format=//' > "$T/.words"
	for word; do
		if [ "$word" = not ]; then
			wanted=0
		elif [ $wanted = 1 ]; then
			grep -qx -- "$word" "$T/.words" || fail "$shell: '$line' does not offer $word but:" \
				"$(head -n 20 "$T/.words" | tr '\n' ' ')"
		elif grep -qx -- "$word" "$T/.words"; then
			fail "$shell: '$line' offers $word"
		fi
	done
}

completes() {
	local shell=$1
	need "$shell"
	export PATH=$BIN:$PATH
	mkdir "$T/here"
	cd "$T/here" || exit 1
	: > some.prof
	expect_offered "$shell" 'prospect rep' report not record
	expect_offered "$shell" 'prospect report --fo' --format not --file
	expect_offered "$shell" 'prospect record --du' --duration not --by
	expect_offered "$shell" 'prospect --as' --as-user
	expect_offered "$shell" 'prospect report --by pro' process program not pid
	expect_offered "$shell" 'prospect report --by process,sym' process,symbol not process,stack
	expect_offered "$shell" 'prospect report --format=c' csv not text
	expect_offered "$shell" 'prospect report --select im' image= not mode=
	expect_offered "$shell" 'prospect report --format ' text csv json not some.prof
	expect_offered "$shell" 'prospect status --format ' text json openmetrics not csv
	expect_offered "$shell" 'prospect status --format=o' openmetrics not json
	expect_offered "$shell" 'prospect check --format ' text json not csv
	expect_offered "$shell" 'prospect diff --sort ' effect ratio not some.prof
	expect_offered "$shell" 'prospect report --color ' auto always never not some.prof
	expect_offered "$shell" 'prospect report -V ' 1 4 not 5
	expect_offered "$shell" 'prospect report so' some.prof
	expect_offered "$shell" 'prospect report --file so' some.prof
	expect_offered "$shell" 'prospect record -p ' $$
	expect_offered "$shell" 'prospect -p ' $$
	"$BIN/loop" 60 &
	until_true runs $! "$BIN/loop"
	expect_offered "$shell" 'prospect record -p lo' loop
	kill $!
	expect_offered "$shell" 'prospect record tru' true
	expect_offered "$shell" 'prospect help rep' report not record
}

# Each shell finds them where they were installed, of itself.
installed_completes() {
	local shell=$1
	need "$shell"
	need_root
	if [ -z "${began_anew:-}" ]; then
		unshare -m true 2> /dev/null || skip "needs a mount namespace"
		make_install
		mkdir -p "$T/root/etc/fish"
		begin_anew "mount --bind '$T/root/usr/local' /usr/local &&
			{ [ ! -d /etc/fish ] || mount --bind '$T/root/etc/fish' /etc/fish; }"
	fi
	export PATH=/usr/local/bin:$PATH
	expect_offered "$shell" 'prospect rep' report not record
	expect_offered "$shell" 'prospect report --fo' --format not --file
}

test_installed_completion_in_bash() {
	local script=/usr/share/bash-completion/bash_completion
	[ -f $script ] || skip "needs bash-completion"
	LOAD_BASH=". $script; _completion_loader prospect"
	installed_completes bash
}

test_installed_completion_in_zsh() {
	LOAD_ZSH=:
	installed_completes zsh
}

test_installed_completion_in_fish() {
	LOAD_FISH=true
	installed_completes fish
}

test_completion_in_bash() { completes bash; }
test_completion_in_zsh() { completes zsh; }
test_completion_in_fish() { completes fish; }

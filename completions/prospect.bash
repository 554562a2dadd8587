# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of prospect(1). The program itself says which subcommands and options it has.

# The options of a subcommand, as they are typed.
_prospect_options() {
	"$1" help --options "$2" 2>/dev/null | while IFS=$'\t' read -r letter name _; do
		[ "$letter" = - ] || printf -- '-%s\n' "$letter"
		[ "$name" = - ] || printf -- '--%s\n' "$name"
	done
}

# Does this option of the subcommand take a value? Prints the value's name, or nothing.
_prospect_value() {
	"$1" help --options "$2" 2>/dev/null | awk -F '\t' -v word="$3" \
		'word == "-" $1 || word == "--" $2 { if ($3 != "-") print $3 }'
}

# The words that the value of this option is one of, if it is.
_prospect_words() {
	"$1" help --options "$2" 2>/dev/null | awk -F '\t' -v word="$3" \
		'(word == "-" $1 || word == "--" $2) && $4 != "-" { print $4 }'
}

# The processes that run, by id and by name.
_prospect_processes() {
	(cd /proc && printf '%s\n' [0-9]* && cat [0-9]*/comm 2>/dev/null) | grep -v ' ' | sort -u
}

# _prospect_complete_value PROGRAM VALUE WORD: what an option's value of this name may be. Of a list
# with commas the last one is completed.
_prospect_complete_value() {
	local program=$1 keys before=
	shift
	case $1 in
	KEYS)
		keys=$("$program" help --keys 2>/dev/null | awk '{ print $1 }')
		[[ $2 != *,* ]] || before=${2%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$keys" -- "${2##*,}")
		;;
	K=V)
		keys=$("$program" help --keys 2>/dev/null | awk '{ print $1 }')
		mapfile -t COMPREPLY < <(compgen -S = -W "$keys" -- "$2")
		compopt -o nospace 2>/dev/null
		;;
	PID,...) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$2") ;;
	'PID|NAME,...')
		[[ $2 != *,* ]] || before=${2%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(_prospect_processes)" -- "${2##*,}")
		;;
	FILE) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	*) COMPREPLY=() ;;
	esac
}

_prospect() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} subcommand=run first=1 i value words
	local commands option=${COMP_WORDS[COMP_CWORD - 1]}
	# "--by=key" is three words here.
	if [ "$word" = = ]; then
		word=
	elif [ "$option" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	commands=$("$program" help --commands 2>/dev/null)

	# The first word that is no option, nor an option's value, is a subcommand or a command.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) first=0 && break ;;
		-*)
			[ -z "$(_prospect_value "$program" "$subcommand" "${COMP_WORDS[i]}")" ] || i=$((i + 1))
			[ "${COMP_WORDS[i]}" != = ] || i=$((i + 1))
			;;
		*)
			if grep -qx -- "${COMP_WORDS[i]}" <<<"$commands" && [ "$first" = 1 ] &&
				[ "$subcommand" = run ]; then
				subcommand=${COMP_WORDS[i]}
				[ "$subcommand" != run ] || first=0
			else
				first=0
				[[ $subcommand =~ ^(run|record|count)$ ]] && break
			fi
			;;
		esac
	done

	# Behind the profiled command everything is that command's own.
	if [ "$first" = 0 ] && [ "$i" -lt "$COMP_CWORD" ] && declare -F _command_offset >/dev/null; then
		_command_offset "$i"
		return
	fi
	value=$(_prospect_value "$program" "$subcommand" "$option")
	words=$(_prospect_words "$program" "$subcommand" "$option")
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	elif [ -n "$value" ]; then
		_prospect_complete_value "$program" "$value" "$word"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_prospect_options "$program" "$subcommand")" -- "$word")
	else
		case $subcommand in
		run) mapfile -t COMPREPLY < <(
			compgen -W "$commands" -- "$word"
			compgen -c -- "$word"
		) ;;
		record | count) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
		help) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
		esac
	fi
}

complete -o filenames -F _prospect prospect

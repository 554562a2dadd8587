# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion of prospect(1). The program itself says which subcommands and options it has.

# The subcommand that is typed; "run" when none is.
function __prospect_subcommand
    set -l words (commandline -opc)
    set -l commands (prospect help --commands 2>/dev/null)
    if set -q words[2]; and contains -- $words[2] $commands
        echo $words[2]
    else
        echo run
    end
end

# The option and "=" where that is in one word with the value that is typed.
function __prospect_joined
    string match -r -- '^--[^=]+=' (commandline -ct)
end

# The name of the value that is to be typed, and the words it is one of (-: anything else): of the option
# before the cursor, or nothing.
function __prospect_value_and_words
    set -l words (commandline -opc)
    set -l before $words[-1]
    set -l joined (__prospect_joined); and set before (string trim -r -c = -- $joined)
    string match -q -- '-*' "$before"; or return 1
    prospect help --options (__prospect_subcommand) 2>/dev/null | while read -l -d \t letter name value words
        if test "$value" != -; and contains -- "$before" -$letter --$name
            printf '%s\n' $value $words
            return 0
        end
    end
    return 1
end

function __prospect_value
    set -l both (__prospect_value_and_words); or return 1
    echo $both[1]
end

function __prospect_keys
    prospect help --keys 2>/dev/null | string trim | string replace -r ' .*' ''
end

# What a value may be, as far as it was typed; nothing for those that are anybody's guess.
function __prospect_values_of -a typed
    set -l both (__prospect_value_and_words)
    if test "$both[2]" != -
        string split ' ' -- $both[2]
        return
    end
    switch $both[1]
        case 'PID,...'
            __fish_complete_pids
        case 'PID|NAME,...'
            __fish_complete_pids
            cat /proc/*/comm 2>/dev/null | sort -u
        case K=V
            printf '%s=\n' (__prospect_keys)
        case KEYS
            # Of a list with commas the last one is completed.
            set -l before (string match -r -- '.*,' $typed)
            printf "$before%s\n" (__prospect_keys)
        case FILE
            __fish_complete_path $typed
    end
end

function __prospect_values
    set -l joined (__prospect_joined)
    set -l typed (string replace -- "$joined" '' (commandline -ct))
    __prospect_values_of "$typed" | while read -l value
        echo "$joined$value"
    end
end

function __prospect_options
    prospect help --options (__prospect_subcommand) 2>/dev/null | while read -l -d \t letter name value rest
        test "$letter" = -; or printf '%s\t%s\n' -$letter $value
        test "$name" = -; or printf '%s\t%s\n' --$name $value
    end
end

# Is a command of the user's to be completed: behind "run", "record", "count" or no subcommand?
function __prospect_wants_command
    __prospect_value >/dev/null; and return 1
    contains (__prospect_subcommand) run record count
end

function __prospect_first_word
    test (count (commandline -opc)) -eq 1
end

# The options that take a value: letters first, for a long name there would be taken for another's.
function __prospect_options_with_values
    for form in 1 2
        prospect help --options (__prospect_subcommand) 2>/dev/null | while read -l -d \t letter name value rest
            test "$value" = -; and continue
            test $form = 1 -a "$letter" != -; and echo -- -$letter
            test $form = 2 -a "$name" != -; and echo -- --$name
        end
    end
end

# The user's command, behind the name of the subcommand where there is one.
function __prospect_command
    set -l words (commandline -opc)
    set -l before 1
    contains -- "$words[2]" run record count; and set before 2
    __fish_complete_subcommand --fcs-skip=$before (__prospect_options_with_values)
end

complete -c prospect -f
complete -c prospect -n __prospect_first_word -a '(prospect help --commands 2>/dev/null)'
complete -c prospect -n '__prospect_value >/dev/null' -a '(__prospect_values)'
complete -c prospect -n 'string match -q -- "-*" (commandline -ct)' -a '(__prospect_options)'
complete -c prospect -n __prospect_wants_command -a '(__prospect_command)'
complete -c prospect -n 'test (__prospect_subcommand) = help' -a '(prospect help --commands 2>/dev/null)'
complete -c prospect -n 'not __prospect_wants_command; and not __prospect_value >/dev/null' \
    -a '(__fish_complete_path (commandline -ct))'

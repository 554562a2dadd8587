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

function __prospect_options
    prospect help --options (__prospect_subcommand) 2>/dev/null | while read -l -d \t letter name value
        test "$letter" = -; or printf -- '-%s\t%s\n' $letter $value
        test "$name" = -; or printf -- '--%s\t%s\n' $name $value
    end
end

function __prospect_first_word
    test (count (commandline -opc)) -eq 1
end

complete -c prospect -f -n __prospect_first_word -a '(prospect help --commands 2>/dev/null)'
complete -c prospect -n 'string match -q -- "-*" (commandline -ct)' -a '(__prospect_options)'
complete -c prospect -n 'test (__prospect_subcommand) = run; or test (__prospect_subcommand) = record' \
    -a '(__fish_complete_subcommand --fcs-skip=1)'

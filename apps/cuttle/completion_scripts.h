#pragma once

namespace cuttle {

// What `cuttle completion SHELL` prints. The scripts know nothing of commands and options: they hand the words of the
// command line to `cuttle complete SHELL WORD..`, whose last word is the one at the cursor, and show what it answers.

inline constexpr const char* k_bash_completion = R"script(# Completion of cuttle for bash
_cuttle() {
  local current=${COMP_WORDS[COMP_CWORD]} line file extension
  [[ $current == [=:] ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files '* ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do
        if [[ -d ${file/#\~/$HOME} ]]; then
          COMPREPLY+=("$file")
          continue
        fi
        for extension in ${line#:files }; do
          [[ $file == *."$extension" ]] && COMPREPLY+=("$file")
        done
      done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${1/#\~/$HOME}" complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} == *[.=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _cuttle cuttle
)script";

inline constexpr const char* k_zsh_completion = R"script(#compdef cuttle
# Completion of cuttle for zsh
_cuttle() {
  local line
  local -a open closed extensions
  for line in "${(@f)$("${(Q)words[1]}" complete zsh "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      ':files '*) extensions=(${=line#:files }); _files -g "*.(${(j:|:)extensions})" ;;
      *[.=]) open+=("$line") ;;
      ?*) closed+=("${line/$'\t'/:}") ;;
    esac
  done
  (( $#open )) && compadd -S '' -- "${open[@]}"
  (( $#closed )) && _describe -t values cuttle closed
}
if [ "${funcstack[1]}" = _cuttle ]; then
  _cuttle "$@"
else
  compdef _cuttle cuttle
fi
)script";

inline constexpr const char* k_fish_completion = R"script(# Completion of cuttle for fish
function __cuttle_complete
    set -l words (commandline -opc)
    for line in ($words[1] complete fish $words[2..-1] (commandline -ct) 2>/dev/null)
        if string match -q ':files *' -- $line
            for extension in (string split ' ' -- (string replace ':files ' '' -- $line))
                __fish_complete_suffix .$extension
            end
        else
            echo $line
        end
    end
end
complete -c cuttle -f -a '(__cuttle_complete)'
)script";

}  // namespace cuttle

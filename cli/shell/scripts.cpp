// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/scripts.h"

namespace quantlens::cli {
namespace {

// The program on PATH is asked, not the one in the line: a file of that name in the current folder
// would be started by a tab.

constexpr std::string_view kBash = R"script(# bash completion for quantlens
# The answer: what bash adds by itself; the last word as far as it is typed; the ways to go on.
_quantlens() {
  local -a answer=()
  mapfile -t answer < <(command quantlens complete bash -- "${COMP_LINE:0:COMP_POINT}" \
    "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null </dev/null)
  COMPREPLY=("${answer[@]:2}")
  local paths
  local -a otherwise
  case ${answer[0]-} in
    *files*) paths=-f otherwise=(-o bashdefault -o default) ;;
    *folders*) paths=-d otherwise=(-o dirnames) ;;
    *) return 0 ;;
  esac
  if ((${#COMPREPLY[@]} == 0)); then
    compopt "${otherwise[@]}" 2>/dev/null
    return 0
  fi
  local -a found=()
  mapfile -t found < <(compgen "$paths" -- "${answer[1]-}")
  COMPREPLY+=("${found[@]}")
  compopt -o filenames 2>/dev/null
  return 0
}
complete -F _quantlens quantlens neural_insights
)script";

constexpr std::string_view kZsh = R"script(#compdef quantlens neural_insights
# zsh completion for quantlens
# The answer: what zsh adds by itself, then the ways to go on.
_quantlens() {
  local -a answer ways
  local kinds code=1
  answer=("${(@f)$(command quantlens complete zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" \
    2>/dev/null </dev/null)}")
  kinds=$answer[1]
  ways=("${(@)answer[2,-1]}")
  [[ $kinds == value* ]] && compset -P 1 '*='
  if (($#ways)); then
    _describe -V quantlens ways && code=0
  fi
  if [[ $kinds == *files* ]]; then
    _files && code=0
  elif [[ $kinds == *folders* ]]; then
    _files -/ && code=0
  fi
  return code
}
if [[ $funcstack[1] == _quantlens ]]; then
  _quantlens "$@"
else
  compdef _quantlens quantlens neural_insights
fi
)script";

constexpr std::string_view kFish = R"script(# fish completion for quantlens
# The answer: what fish adds by itself, then the ways to go on.
function __quantlens_answer
    command -q quantlens; or return
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    command quantlens complete fish -- $words "$current" 2>/dev/null </dev/null
end
function __quantlens_ways
    set -l answer (__quantlens_answer)
    string join \n -- $answer[2..-1]
    if string match -q '*folders*' -- $answer[1]
        set -l current (commandline -ct)
        if string match -q 'value*' -- $answer[1]
            set -l parts (string split -m 1 = -- "$current")
            for folder in (__fish_complete_directories "$parts[2]" '')
                echo "$parts[1]=$folder"
            end
        else
            __fish_complete_directories "$current" ''
        end
    end
end
function __quantlens_takes_files
    set -l answer (__quantlens_answer)
    string match -q '*files*' -- $answer[1]
end
for name in quantlens neural_insights
    complete -c $name -f -k -a '(__quantlens_ways)'
    complete -c $name -n __quantlens_takes_files -F
end
)script";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return {};
}

}  // namespace quantlens::cli

// The scripts ask `tenon completion next` for the words, so that a new version needs no new scripts. After `--` comes the command of a
// server, which the shell completes like any other command.

/** The separator between a word and its description. */
export const SEPARATOR = '\t';

const BASH = [
  '# Completion of tenon for bash. In ~/.bashrc: eval "$(tenon completion bash)"',
  '_tenon_completion() {',
  '  local word meaning',
  '  local -i dash=1',
  '  COMPREPLY=()',
  '  while (( dash < COMP_CWORD )) && [[ ${COMP_WORDS[dash]} != -- ]]; do dash+=1; done',
  '  if (( dash < COMP_CWORD )); then',
  '    if declare -F _command_offset >/dev/null; then',
  '      _command_offset $((dash + 1))',
  '    elif (( dash + 1 == COMP_CWORD )); then',
  '      while read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")',
  '    fi',
  '    return',
  '  fi',
  "  while IFS=$'\\t' read -r word meaning; do",
  '    COMPREPLY+=("$word")',
  '  done < <(command tenon completion next -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)',
  '}',
  'complete -o default -F _tenon_completion tenon',
];

const ZSH = [
  '#compdef tenon',
  '# Completion of tenon for zsh. In ~/.zshrc, after compinit: eval "$(tenon completion zsh)"',
  '_tenon() {',
  '  local word meaning',
  '  local -a found',
  '  local -i dash=${words[(ie)--]}',
  '  if (( dash < CURRENT )); then',
  '    words=("${(@)words[dash + 1,-1]}")',
  '    (( CURRENT -= dash ))',
  '    _normal',
  '    return',
  '  fi',
  "  while IFS=$'\\t' read -r word meaning; do",
  '    found+=("$word:$meaning")',
  '  done < <(command tenon completion next -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)',
  '  if (( ${#found} )); then',
  '    _describe tenon found',
  '  else',
  "    compset -P '--*=' || compset -P '*:='",
  "    compset -P '@'",
  '    _files',
  '  fi',
  '}',
  'if [[ ${funcstack[1]-} == _tenon ]]; then',
  '  _tenon "$@"',
  'else',
  '  compdef _tenon tenon',
  'fi',
];

const FISH = [
  '# Completion of tenon for fish. In ~/.config/fish/config.fish: tenon completion fish | source',
  'function __tenon_completion',
  '    set -l words (commandline -opc)',
  '    set -e words[1]',
  '    set -l current (commandline -ct)',
  '    if set -l dash (contains -i -- -- $words)',
  '        complete -C (string join \' \' -- (string escape -- $words[(math $dash + 1)..-1]) "$current")',
  '        return',
  '    end',
  '    set -l found (command tenon completion next -- $words "$current" 2>/dev/null </dev/null)',
  '    if test (count $found) -eq 0',
  '        set -l before (string match -r -- \'^(?:--[a-z-]+=|[^=]+:=)?@?\' "$current")',
  '        set -l path (string replace -- "$before" \'\' "$current")',
  '        set found "$before"(__fish_complete_path "$path")',
  '    end',
  '    if test (count $found) -gt 0',
  "        printf '%s\\n' $found",
  '    end',
  'end',
  "complete -c tenon -f -a '(__tenon_completion)'",
];

/** The scripts by shell. They run `tenon` from the PATH, never a file of that name in the current folder. */
export const SCRIPTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ bash: BASH, zsh: ZSH, fish: FISH }).map(([shell, lines]) => [shell, `${lines.join('\n')}\n`]),
);

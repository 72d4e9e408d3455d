// The scripts ask `tenon completion next` for the words, so that they need not be printed again with a new version.

/** What a word and its meaning are separated by. */
export const SEPARATOR = '\t';

const BASH = [
  '# Completion of tenon for bash. In ~/.bashrc: eval "$(tenon completion bash)"',
  '_tenon_completion() {',
  '  local word meaning',
  '  COMPREPLY=()',
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
  "  while IFS=$'\\t' read -r word meaning; do",
  '    found+=("$word:$meaning")',
  '  done < <(command tenon completion next -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)',
  '  if (( ${#found} )); then',
  '    _describe tenon found',
  '  else',
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
  '    set -l found (command tenon completion next -- $words "$current" 2>/dev/null </dev/null)',
  '    if test (count $found) -gt 0',
  "        printf '%s\\n' $found",
  '    else',
  '        __fish_complete_path "$current"',
  '    end',
  'end',
  "complete -c tenon -f -a '(__tenon_completion)'",
];

/** The scripts by shell. They run the `tenon` of the PATH, and never a file of that name in the folder. */
export const SCRIPTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ bash: BASH, zsh: ZSH, fish: FISH }).map(([shell, lines]) => [shell, `${lines.join('\n')}\n`]),
);

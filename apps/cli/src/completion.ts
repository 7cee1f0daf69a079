import { type Command, kebab, type Option, sharedOptions } from './command.ts';
import { groups } from './commands/groups.ts';

/** A possible next word, with a short description. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/**
 * Candidates for the last word, which may be empty or incomplete.
 *
 * @param words the command line without the program's name
 */
export function complete(commands: readonly Command[], words: readonly string[]): Candidate[] {
  const begun = words.at(-1) ?? '';
  const { path, option } = walk(commands, words.slice(0, -1));
  const command = commands.find(({ name }) => name === path.join(' '));
  return candidates().filter(({ word }) => word.startsWith(begun));

  function candidates(): Candidate[] {
    if (option !== undefined) return (option.values ?? []).map((word) => ({ word, about: option.about }));
    if (begun.startsWith('-')) return optionsOf(command).map(([word, { about }]) => ({ word, about }));
    if (command === undefined) return following(commands, path);
    const [first] = Object.values(command.arguments);
    return (first?.values ?? []).map((word) => ({ word, about: first?.about ?? '' }));
  }
}

/** Extracts the command words, and the option whose value comes next. */
function walk(
  commands: readonly Command[],
  before: readonly string[],
): { path: string[]; option: Option | undefined } {
  const path: string[] = [];
  let option: Option | undefined;
  for (const word of before) {
    if (option !== undefined) {
      option = undefined;
    } else if (word.startsWith('--')) {
      const known = commands.find(({ name }) => name === path.join(' '));
      const [, found] = optionsOf(known).find(([name]) => name === word) ?? [];
      option = found?.value === undefined ? undefined : found;
    } else if (following(commands, path).some((next) => next.word === word)) {
      path.push(word);
    }
  }
  return { path, option };
}

function optionsOf(command: Command | undefined): [name: string, option: Option][] {
  return Object.entries({ ...command?.options, ...sharedOptions(command ?? {}) }).map(([name, option]) => [
    `--${kebab(name)}`,
    option,
  ]);
}

/** Possible next words after these command words. */
function following(commands: readonly Command[], path: readonly string[]): Candidate[] {
  const found = new Map<string, string>();
  for (const { name, about, isInternal } of commands) {
    if (isInternal) continue;
    const words = name.split(' ');
    const next = words[path.length];
    if (next === undefined || path.some((word, index) => word !== words[index])) continue;
    const isWhole = words.length === path.length + 1;
    const group = Object.entries(groups).find(([key]) => key === [...path, next].join(' '))?.[1];
    found.set(next, isWhole ? about : (group ?? found.get(next) ?? ''));
  }
  return [...found].map(([word, about]) => ({ word, about }));
}

/**
 * Shell scripts that call `ledger-ops complete`. If it prints no candidates, the shell offers files. A tab
 * separates each candidate from its description.
 */
export const completionScripts = {
  bash: `_ledger_ops() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do COMPREPLY+=("$word"); done \\
    < <(ledger-ops complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ledger_ops ledger-ops
`,
  zsh: `#compdef ledger-ops
_ledger_ops() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do found+=("\${word//:/\\\\:}:$about"); done \\
    < <(ledger-ops complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe ledger-ops found; else _files; fi
}
compdef _ledger_ops ledger-ops
`,
  fish: `function __ledger_ops
    set -l before (commandline -opc)
    set -l begun (commandline -ct)
    set -l found (ledger-ops complete -- $before[2..] "$begun" 2>/dev/null)
    if test (count $found) -gt 0
        string join \\n -- $found
    else
        __fish_complete_path "$begun"
    end
end
complete -c ledger-ops -f -a '(__ledger_ops)'
`,
} as const;

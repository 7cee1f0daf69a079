import { command } from '../command.ts';
import { complete, completionScripts } from '../completion.ts';
import { CliError } from '../errors.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion = [
  command({
    name: 'completion',
    about: 'Prints a script by which a shell completes command lines.',
    more: `In ~/.bashrc:  eval "$(ledger-ops completion bash)"
In ~/.zshrc, behind compinit:  eval "$(ledger-ops completion zsh)"
Of fish:  ledger-ops completion fish > ~/.config/fish/completions/ledger-ops.fish`,
    arguments: { shell: { about: 'The shell.', values: shells } },
    async run({ output }, { shell }) {
      const script = Object.entries(completionScripts).find(([name]) => name === shell)?.[1];
      if (script === undefined) throw new CliError('usage', `There is no script for ${shell}.`);
      output.said(script.trimEnd(), { shell, script });
    },
  }),
  command({
    name: 'complete',
    about: 'Tells what may stand next on a command line: for the scripts of completion.',
    arguments: { words: { form: 'rest', about: 'Behind --; the last one may be empty, or begun.' } },
    async run({ output, commands }, { words }) {
      const found = complete(commands, words);
      if (output.isJson) return output.said('', found);
      for (const one of found) output.said(`${one.word}\t${one.about}`, one);
    },
  }),
];

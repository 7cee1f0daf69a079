import { command } from '../command.ts';
import { complete, completionScripts } from '../completion.ts';
import { CliError } from '../errors.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion = [
  command({
    name: 'completion',
    about: 'Prints a shell script that completes command lines.',
    more: `In ~/.bashrc:  eval "$(ledger-ops completion bash)"
In ~/.zshrc, after compinit:  eval "$(ledger-ops completion zsh)"
For fish:  ledger-ops completion fish > ~/.config/fish/completions/ledger-ops.fish`,
    arguments: { shell: { about: 'The shell.', values: shells } },
    async run({ output }, { shell }) {
      const script = Object.entries(completionScripts).find(([name]) => name === shell)?.[1];
      if (script === undefined) throw new CliError('usage', `There is no completion script for ${shell}.`);
      output.said(script.trimEnd(), { shell, script });
    },
  }),
  command({
    name: 'complete',
    isInternal: true,
    about: 'Prints possible next words of a command line, for completion scripts.',
    arguments: {
      words: {
        form: 'rest',
        about: 'The words typed so far, after --. The last word can be empty or incomplete.',
      },
    },
    async run({ output, commands }, { words }) {
      const found = complete(commands, words);
      if (output.isJson) return output.said('', found);
      for (const one of found) output.said(`${one.word}\t${one.about}`, one);
    },
  }),
];

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandReference } from '../scripts/docs-text.ts';
import { commands } from '../src/commands/index.ts';
import { profileVariables } from '../src/profiles.ts';

test('the command reference has a section for each command', () => {
  const headings = [...commandReference().matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  const documented = commands.filter(({ isInternal }) => !isInternal);
  expect(headings).toEqual(documented.map(({ name }) => name));
});

test('docs/cli.md names every variable of a profile', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  for (const name of Object.values(profileVariables)) expect(page).toContain(`\`${name}\``);
});

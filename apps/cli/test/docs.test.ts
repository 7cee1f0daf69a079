import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliPage } from '../scripts/docs-text.ts';

test('docs/cli.md tells the commands as they are', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  expect(page, 'run `pnpm --filter @ledger-ops/cli generate`').toBe(cliPage());
});

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sourceArguments } from '../../../../testing/children.ts';

test('a process that uses the embedded PostgreSQL exits with its own exit code', () => {
  const module = new URL('./embedded-postgres.ts', import.meta.url).href;
  const program = `await import(${JSON.stringify(module)}); process.exitCode = 3;`;
  const { status } = spawnSync(process.execPath, [
    ...sourceArguments,
    '--input-type=module',
    '--eval',
    program,
  ]);
  expect(status).toBe(3);
});

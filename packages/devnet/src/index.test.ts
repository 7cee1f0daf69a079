import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('importing the package does not load grpc, protocol buffers or a database', () => {
  const script = `
    await import('@ledger-ops/devnet');
    const { createRequire } = await import('node:module');
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log(JSON.stringify(loaded.filter((path) => /grpc|protobuf|fabric|better-sqlite3/.test(path))));
  `;
  const printed = execFileSync(
    process.execPath,
    ['--conditions=@ledger-ops/source', '--input-type=module', '-e', script],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  );
  expect(JSON.parse(printed)).toEqual([]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('a warning of a quiet server is written while it runs', async () => {
  const module = JSON.stringify(new URL('../src/logger.ts', import.meta.url).href);
  const program = `
    const { createLog } = await import(${module});
    createLog('info').log('warn', 'chain.reorganised', { ledgerId: 'dev-ethereum', height: 7 });
    process.stdin.resume();
  `;
  const child = spawn(
    process.execPath,
    ['--conditions=@ledger-ops/source', '--no-warnings', '--input-type=module', '--eval', program],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  try {
    const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(15_000) });
    expect(JSON.parse(String(line))).toMatchObject({
      level: 'warn',
      msg: 'chain.reorganised',
      ledgerId: 'dev-ethereum',
      height: 7,
    });
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill();
    await exited;
  }
}, 20_000);

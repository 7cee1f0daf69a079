import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'vitest';

test('leaves a process running', async () => {
  const args = ['-e', 'setTimeout(() => undefined, 600_000); // left behind on purpose'];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
  child.unref();
  await once(child, 'spawn');
});

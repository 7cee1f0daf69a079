import { once } from 'node:events';
import { createServer } from 'node:http';
import { ConfigError } from '@ledger-ops/server';
import { expect, test } from 'vitest';
import { openFolder } from '../../../testing/folder.ts';
import { freePort, lockDataDir } from '../src/settings.ts';

test('replaces a default port that is taken by a free port, and reports it', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const lines: string[] = [];
    const show = (line: string) => void lines.push(line);
    const chosen = await freePort({ setting: 'PORT', port, isGiven: false }, show);
    expect(chosen).not.toBe(port);
    expect(lines).toEqual([`Port ${port} is in use by another program, so PORT is ${chosen}.`]);
    await expect(freePort({ setting: 'PORT', port, isGiven: true }, show)).rejects.toThrow(
      `PORT: port ${port} is in use by another program. Set PORT to another port.`,
    );
  } finally {
    other.close();
  }
  expect(await freePort({ setting: 'PORT', port, isGiven: true }, () => undefined)).toBe(port);
});

test('refuses a data folder that another development server uses', async () => {
  const { path, remove } = await openFolder();
  const lock = lockDataDir(path);
  expect(() => lockDataDir(path)).toThrow(ConfigError);
  lock.release();
  lockDataDir(path).release();
  await remove();
});

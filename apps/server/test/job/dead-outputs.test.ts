import { closeSync, openSync } from 'node:fs';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { openPipe } from '../http/pipe.ts';
import { freshAddress } from './chain.ts';
import { createProduct, transferTo } from './product.ts';

let anvil: Anvil;
let folder: Awaited<ReturnType<typeof openFolder>>;

beforeAll(async () => {
  anvil = await startAnvil();
});
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder.remove());
afterAll(() => anvil.stop());

/** Opens an output that accepts nothing once `die` was called. */
function openOutput(how: string): { fd: number; started(): void; die(): void; close(): void } {
  if (how === 'on a full disk') {
    const fd = openSync('/dev/full', 'w');
    return { fd, started: () => closeSync(fd), die: () => undefined, close: () => undefined };
  }
  const pipe = openPipe(folder.path);
  const { end: fd, started, close } = pipe;
  if (how === 'closed') return { fd, started, die: close, close: () => undefined };
  return { fd, started, die: pipe.fill, close };
}

test.each(selectCases(['closed', 'not read', 'on a full disk'], (how) => how === 'not read'))(
  'a server whose standard output is %s completes actions, and exits on SIGTERM',
  async (how) => {
    const output = openOutput(how);
    const product = createProduct({ rpcUrl: () => anvil.url, standardOutput: output.fd });
    try {
      await product.start();
      output.started();
      const wallet = await product.wallet();
      output.die();
      const ids = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const body = transferTo(wallet, freshAddress(), 1);
          const sent = await product.call('POST', '/v1/ledger-ops/send', body);
          expect(sent.status).toBe(201);
          return String(sent.body.actionId);
        }),
      );
      const ends = await product.ended(ids);
      expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
    } finally {
      await product.stop();
      output.close();
    }
  },
  300_000,
);

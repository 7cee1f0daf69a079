import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { problemOf } from './problem-of.ts';
import { serveMemory, transferGlo } from './served-memory.ts';

const secret = 'a secret of thirty-two characters';

test('what is signed is given up for another chain when every node shows that one, and nothing is signed before', async () => {
  const ledger = harnessLedger({ autoMine: false });
  const served = await serveMemory({}, ledger);
  onTestFinished(() => served.close());
  const open = async () =>
    (await remoteAdapter(createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 }))).open(
      'memory',
    );
  const remote = await open();
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 9n);
  const request = (actionId: string) => ({ actionId, walletId: 'w', secret, glo: transferGlo('5') });
  const { txId } = await remote.send(request('a'));

  ledger.reset();
  ledger.unsure = 'node p1 is silent';
  await served.restart();
  const again = await open();
  expect(await problemOf(again.send(request('b')))).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('node p1 is silent'),
  });
  expect(await again.status([txId])).toMatchObject([{ status: 'PROCESSING' }]);

  ledger.unsure = undefined;
  let [status] = await again.status([txId]);
  while (status?.status === 'PROCESSING') [status] = await again.status([txId]);
  expect(status).toMatchObject({
    status: 'FAILED',
    problem: { detail: expect.stringContaining('reset') },
  });
});

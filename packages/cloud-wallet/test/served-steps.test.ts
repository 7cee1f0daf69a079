import type { MemoryLedgerOptions } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { config, serveMemory, transferGlo } from './served-memory.ts';

const secret = 'a secret of thirty-two characters';

async function setUp(options: MemoryLedgerOptions = {}, retries = 2) {
  const ledger = harnessLedger({ sequence: 'none', autoMine: false, ...options });
  const ledgers = [{ ...config, properties: { retries } }];
  const served = await serveMemory({ ledgers, timing: { resend: 20 } }, ledger);
  onTestFinished(() => served.close());
  const open = async () => {
    const client = createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 });
    return (await remoteAdapter(client)).open('memory');
  };
  const { address } = await (await open()).createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 9n);
  const send = async () => {
    const glo = transferGlo('5');
    return (await open()).send({ actionId: 'a', walletId: 'w', secret, glo });
  };
  const end = async (txId: string) => {
    const remote = await open();
    for (;;) {
      const [status] = await remote.status([txId]);
      if (status !== undefined && status.status !== 'PROCESSING') return status;
    }
  };
  return { ledger, served, address, send, end };
}

test('what the ledger took as invalid is signed and sent again, also by a plugin that was ended meanwhile', async () => {
  const { ledger, served, address, send, end } = await setUp();
  ledger.script({ kind: 'invalidate', times: 2 });
  const { txId } = await send();
  await served.restart();
  ledger.autoMine = true;
  const status = await end(txId);
  expect(status).toMatchObject({ status: 'SUCCEEDED' });
  expect(status.locator).not.toBe(txId);
  expect(ledger.transaction(status.locator ?? '')?.execution.status).toBe('succeeded');
  expect(ledger.executions({ from: address })).toBe(1);
});

test('an action ends when its transactions were taken as invalid too often', async () => {
  const { ledger, address, send, end } = await setUp({ autoMine: true });
  ledger.script({ kind: 'invalidate', times: 3 });
  const { txId } = await send();
  expect(await end(txId)).toMatchObject({ status: 'FAILED', problem: { code: 'invalidated' } });
  expect(ledger.executions({ from: address })).toBe(0);
});

test('a transaction that was certainly never taken ends its action, and is sent no more', async () => {
  const { ledger, send, end } = await setUp({ autoMine: true });
  ledger.script({ kind: 'rejectForCertain' });
  const { txId } = await send();
  expect(await end(txId)).toMatchObject({ status: 'FAILED', problem: { code: 'refused' } });
  expect(ledger.submissions).toHaveLength(0);
});

test("the ledger's own id of a transaction outlives the plugin, and is its locator", async () => {
  const { ledger, served, send, end } = await setUp({ ownIds: true });
  const { txId } = await send();
  expect(ledger.submissions).toHaveLength(1);
  await served.restart();
  ledger.autoMine = true;
  expect(await end(txId)).toMatchObject({ status: 'SUCCEEDED', locator: expect.stringMatching(/^own:/) });
  expect(ledger.submissions).toHaveLength(1);
});

test('what expired is signed and sent again by the same plan, also by a plugin that was ended meanwhile', async () => {
  const { ledger, served, address, send, end } = await setUp({ expiry: 2 });
  const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
  const { txId } = await send();
  await served.restart();
  ledger.mine(3);
  script.clear();
  ledger.autoMine = true;
  const status = await end(txId);
  expect(status).toMatchObject({ status: 'SUCCEEDED' });
  expect(status.locator).not.toBe(txId);
  expect(ledger.executions({ from: address })).toBe(1);
});

test('an expiry that cannot be decides nothing', async () => {
  const { ledger, send, end } = await setUp({ expiry: 20 });
  const script = ledger.script({ kind: 'expireEarly', times: Number.POSITIVE_INFINITY });
  const { txId } = await send();
  await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), { timeout: 30_000 });
  ledger.autoMine = true;
  expect(await end(txId)).toMatchObject({ status: 'SUCCEEDED', locator: txId });
});

test('an action that is to have ever more transactions ends after a hundred', async () => {
  const { ledger, send, end } = await setUp({ autoMine: true }, 1_000);
  ledger.script({ kind: 'invalidate', times: Number.POSITIVE_INFINITY });
  const { txId } = await send();
  expect(await end(txId)).toMatchObject({
    status: 'FAILED',
    problem: { code: 'adapter-fault', detail: expect.stringContaining('100 transactions') },
  });
}, 180_000);

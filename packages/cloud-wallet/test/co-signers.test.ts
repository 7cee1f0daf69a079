// Operations that several wallets of one plugin sign, over the protocol.
import { harnessLedger } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, onTestFinished, test } from 'vitest';
import { config, serveMemory, transferGlo } from './served-memory.ts';

const secretOf = (walletId: string) => `the secret of ${walletId}, which is long`;
const other = (walletId: string, secret = secretOf(walletId)) => ({ walletId, secret });

async function setUp() {
  const ledger = harnessLedger({ sequence: 'none', autoMine: false, expiry: 2 });
  const served = await serveMemory({ ledgers: [config], timing: { resend: 20 } }, ledger);
  onTestFinished(() => served.close());
  const open = async () => {
    const client = createCloudWalletClient({ url: served.url, fetch, timeoutMs: 60_000 });
    return await remoteAdapter(client);
  };
  const remote = async () => (await open()).open('memory');
  const addresses = new Map<string, string>();
  for (const walletId of ['w', 'payer', 'second']) {
    const { address } = await (await remote()).createWallet(other(walletId));
    addresses.set(walletId, address);
    if (walletId !== 'second') ledger.fund(address, 10n ** 9n);
  }
  const addressOf = (walletId: string) => addresses.get(walletId) ?? '';
  const glo = {
    ...transferGlo('5'),
    meta: {
      ledger: {
        memory: {
          version: '1',
          native_transaction_content: { payer: addressOf('payer'), signers: [addressOf('second')] },
        },
      },
    },
  };
  const send = async (actionId: string, others: ReturnType<typeof other>[]) =>
    await (await remote()).send({ actionId, ...other('w'), others, glo });
  return { ledger, served, open, remote, glo, addressOf, send };
}

test('each wallet that is named signs, the payer pays, also by a plugin that was ended and what expired meanwhile', async () => {
  const { ledger, served, open, remote, glo, addressOf, send } = await setUp();
  expect((await open()).capabilities.coSigners).toBe(true);
  const others = ['payer', 'second'];
  const { cost, costs } = await (await remote()).check({ walletId: 'w', others, glo });
  const fee = 21_000n * ledger.gasPrice;
  expect([cost, costs]).toEqual([5n, [{ address: addressOf('payer'), amount: fee }]]);
  const [own, before] = ['w', 'payer'].map((one) => ledger.balanceOf(addressOf(one)));

  const lost = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
  const { txId } = await send(
    'a',
    others.map((one) => other(one)),
  );
  await served.restart();
  ledger.mine(3);
  lost.clear();
  ledger.autoMine = true;
  for (;;) {
    const [status] = await (await remote()).status([txId]);
    if (status?.status === 'PROCESSING') continue;
    expect(status).toMatchObject({ status: 'SUCCEEDED' });
    break;
  }
  expect(ledger.executions({ from: addressOf('w') })).toBe(1);
  expect(['w', 'payer'].map((one) => ledger.balanceOf(addressOf(one)))).toEqual([
    ...[(own ?? 0n) - 5n, (before ?? 0n) - fee],
  ]);
});

test('nothing is signed without each wallet, with its secret, once; and no secret is told', async () => {
  const { ledger, remote, glo, addressOf, send } = await setUp();
  ledger.autoMine = true;
  const wrong = 'some other secret, which is long';
  const cases: [ReturnType<typeof other>[], string][] = [
    [[], 'invalid-argument'],
    [[other('payer')], 'invalid-argument'],
    [[other('payer'), other('second', wrong)], 'refused'],
    [[other('payer'), other('second'), other('payer')], 'invalid-argument'],
    [[other('payer'), other('second'), other('w')], 'invalid-argument'],
    [[other('payer'), other('second'), other('nobody')], 'refused'],
  ];
  for (const [index, [others]] of cases.entries()) {
    const refusal: unknown = await send(`a${index}`, others).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    for (const secret of ['w', 'payer', 'second'].map(secretOf))
      expect(String(refusal)).not.toContain(secret);
  }
  ledger.script({ kind: 'askAnother', address: addressOf('second') });
  const plain = (await remote()).send({ actionId: 'b', ...other('w'), glo: transferGlo('5') });
  await expect(plain).rejects.toThrow(/signature of a wallet that the operation does not name|failed/);
  expect(glo.meta).toBeDefined();
  expect(ledger.submissions).toEqual([]);
});

import { randomBytes } from 'node:crypto';
import type { ResolvedOperation, WalletIdentity } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { createMasterKey } from '@ledger-ops/base';
import type {
  RemoteAdapterDefinition,
  RemoteLedger,
  RemoteSend,
  RemoteStatus,
} from '@ledger-ops/cloud-wallet';
import { expect, test, vi } from 'vitest';
import { createRemoteSession } from './remote-session.ts';
import { sealSecret } from './sealed-send.ts';

const price = Buffer.from('a confidential price').toString('base64');
const operation: ResolvedOperation = {
  type: 'contract_call',
  contract: { address: 'trade/goods' },
  method: { name: 'Put', args: [] },
  value: 0n,
  native: { technology: 'hyperledger-fabric', content: { transient: { price } }, version: '0.1.7' },
};

/** Creates a plugin that accepts everything, and a function that opens sessions with it at different URLs. */
function openPlugin() {
  const masterKey = createMasterKey(randomBytes(32));
  const send = vi.fn(async (_: RemoteSend) => ({ status: 'PROCESSING' as const, txId: 'theirs' }));
  const status = vi.fn(async (_: readonly string[]): Promise<RemoteStatus[]> => []);
  const requested = vi.fn();
  // A test double with only the methods that sending uses.
  const ledger: Pick<RemoteLedger, 'send' | 'status'> = { send, status };
  const remote: RemoteAdapterDefinition = {
    custody: 'remote',
    name: 'theirs',
    technology: 'hyperledger-fabric',
    version: '1.0.0',
    interfaceVersion: '0.1.0',
    capabilities: { operations: ['contract_call'], checks: false, emulations: false },
    open: () => ledger as RemoteLedger,
  };
  const sessionAt = (url: string) =>
    createRemoteSession({
      masterKey,
      url,
      remote,
      ledger: { ledgerId: 'ledger', technology: 'hyperledger-fabric', properties: {}, nodes: [] },
      host: { now: Date.now, log: () => undefined, signal: new AbortController().signal, requested },
    });
  const walletAt = (url: string, remoteWallet = 'w', secret = 'the secret of the wallet') => {
    const sealedSecret = sealSecret(masterKey, { remoteWallet, url }, secret);
    return { address: `address of ${remoteWallet}`, material: { remoteWallet, url, sealedSecret } };
  };
  return { send, status, requested, sessionAt, walletAt };
}

/** Plans and prepares an operation, and returns the request that `submit` would send. */
async function requestOf(
  session: ReturnType<ReturnType<typeof openPlugin>['sessionAt']>,
  wallet: ReturnType<ReturnType<typeof openPlugin>['walletAt']>,
  others: WalletIdentity[] = [],
) {
  const { plan, secret } = await session.check({ wallet, others, operation });
  expect(JSON.stringify(plan)).not.toContain(price);
  const [prepared] = await session.prepare([
    { actionId: 'action', wallet, others, plan, ...(secret === undefined ? {} : { secret }) },
  ]);
  const round = prepared?.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
  if (round?.done !== true) throw new Error('Expected the operation to be prepared in one round.');
  return round.result;
}

test('transient data reaches a remote plugin and is sealed in the stored request', async () => {
  const { send, sessionAt, walletAt } = openPlugin();
  const session = sessionAt('https://theirs.example');
  const { txId, bytes } = await requestOf(session, walletAt('https://theirs.example'));
  expect(Buffer.from(bytes).toString()).not.toContain(price);
  expect(await session.submit([{ txId, bytes }])).toMatchObject([{ status: 'accepted', note: 'theirs' }]);
  expect(send.mock.calls[0]?.[0].glo).toMatchObject({
    version: '0.1.0',
    meta: {
      ledger: {
        'hyperledger-fabric': { version: '0.1.7', native_transaction_content: { transient: { price } } },
      },
    },
  });
});

test('each co-signer uses its own secret, and only at the URL where it was created', async () => {
  const { send, sessionAt, walletAt } = openPlugin();
  const url = 'https://theirs.example';
  const session = sessionAt(url);
  const [wallet, other] = [walletAt(url), walletAt(url, 'v', 'the secret of the co-signer')];
  const elsewhere = walletAt('https://elsewhere.example', 'v');
  for (const foreign of [elsewhere, { address: 'b' }]) {
    const others = [foreign];
    await expect(session.check({ wallet, others, operation })).rejects.toMatchObject({
      code: 'unsupported-operation',
    });
    expect(await session.prepare([{ actionId: 'a', wallet, others, plan: {} }])).toMatchObject([
      { status: 'failed' },
    ]);
  }
  const request = await requestOf(session, wallet, [other]);
  const text = Buffer.from(request.bytes).toString();
  for (const secret of ['the secret of the wallet', 'the secret of the co-signer'])
    expect(text).not.toContain(secret);
  expect(await session.submit([request])).toMatchObject([{ status: 'accepted' }]);
  expect(send.mock.calls[0]?.[0]).toMatchObject({
    ...{ walletId: 'w', secret: 'the secret of the wallet' },
    others: [{ walletId: 'v', secret: 'the secret of the co-signer' }],
  });
});

test('a wallet secret is sent only to the URL where the wallet was created', async () => {
  const { send, sessionAt, walletAt } = openPlugin();
  const [theirs, elsewhere] = ['https://theirs.example/plugin', 'https://theirs.example/other'];
  const wallet = walletAt(theirs);
  const moved = sessionAt(elsewhere);
  await expect(moved.check({ wallet, operation })).rejects.toMatchObject({ code: 'unsupported-operation' });
  expect(await moved.prepare([{ actionId: 'action', wallet, plan: {} }])).toMatchObject([
    { status: 'failed' },
  ]);
  // A request for the previous URL is not sent to the new one, even if the wallet's stored URL was changed.
  const request = await requestOf(sessionAt(theirs), wallet);
  const forged = await requestOf(moved, { ...wallet, material: { ...wallet.material, url: elsewhere } });
  expect(await moved.submit([request, forged])).toMatchObject([
    { status: 'unavailable', problem: { detail: expect.stringContaining('a different URL') } },
    { status: 'unavailable' },
  ]);
  expect(send).not.toHaveBeenCalled();
  expect(await sessionAt(theirs).submit([request])).toMatchObject([{ status: 'accepted' }]);
});

test('gives up a request refused as too large only after the remote plugin confirms that it does not have it', async () => {
  const { send, status, sessionAt, walletAt } = openPlugin();
  const session = sessionAt('https://theirs.example');
  const request = await requestOf(session, walletAt('https://theirs.example'));
  send.mockImplementation(async () => {
    throw adapterError('refused', 'Too large.', { phase: 'submit', data: { status: 413 } });
  });
  expect(await session.submit([request])).toMatchObject([{ status: 'unavailable' }]);
  status.mockResolvedValue([{ txId: 'action', status: 'PROCESSING' }]);
  expect(await session.submit([request])).toMatchObject([{ status: 'accepted', note: 'action' }]);
  status.mockResolvedValue([{ txId: 'action', status: 'UNKNOWN' }]);
  expect(await session.submit([request])).toMatchObject([{ status: 'rejected' }]);
});

test('rejects an operation that is too large for the protocol at acceptance, and names the limit', async () => {
  const { sessionAt, walletAt } = openPlugin();
  const wallet = walletAt('https://theirs.example');
  const args = ['x'.repeat(17 * 1_048_576)];
  const large = { ...operation, method: { name: 'Put', args } };
  await expect(sessionAt('https://theirs.example').check({ wallet, operation: large })).rejects.toMatchObject(
    {
      code: 'invalid-argument',
      message: expect.stringMatching(/has 178\d{5} bytes, .* accepts at most 16760832/),
    },
  );
});

test('counts the requests to nodes that a remote plugin reports', async () => {
  const { status, requested, sessionAt } = openPlugin();
  status.mockResolvedValueOnce([
    {
      ...{ txId: 'theirs', status: 'PROCESSING' },
      requests: [
        { method: 'take', result: 'ok', milliseconds: 12.5 },
        { method: 'find', result: 'timeout', milliseconds: 5_000 },
      ],
    },
  ]);
  const pending = new Map([['a', { address: 'address of w', note: 'theirs' }]]);
  await sessionAt('https://plugin.example').confirm({ cursor: null, pending });
  expect(requested.mock.calls).toEqual([
    ['take', 'ok', 12.5],
    ['find', 'timeout', 5_000],
  ]);
});

test('an outcome contains only what the remote plugin reports about the transaction', async () => {
  const { status, sessionAt } = openPlugin();
  const pending = new Map([['a', { address: 'address of w', note: 'theirs' }]]);
  const outcomeOf = async (answer: Omit<RemoteStatus, 'txId'>) => {
    status.mockResolvedValueOnce([{ txId: 'theirs', ...answer }]);
    const { outcomes } = await sessionAt('https://plugin.example').confirm({ cursor: null, pending });
    return outcomes;
  };
  expect(await outcomeOf({ status: 'SUCCEEDED' })).toEqual([{ txId: 'a', status: 'succeeded' }]);
  const reported = { locator: '0xb', blockHeight: 0, blockTime: 5, fee: 0n, transactions: ['0xa', '0xb'] };
  const { blockHeight: height, transactions, ...same } = reported;
  expect(await outcomeOf({ status: 'SUCCEEDED', ...reported })).toEqual([
    { txId: 'a', status: 'succeeded', height, ...same, details: { transactions } },
  ]);
  const problem = { code: 'refused', phase: 'confirm', detail: 'no' } as const;
  expect(await outcomeOf({ status: 'FAILED', problem, fee: 7n })).toEqual([
    { txId: 'a', status: 'failed', problem, fee: 7n },
  ]);
});

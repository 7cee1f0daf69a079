import { randomBytes } from 'node:crypto';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import type { RemoteAdapterDefinition, RemoteLedger, RemoteSend } from '@ledger-ops/adapter/cloud-wallet';
import { createMasterKey } from '@ledger-ops/base';
import { expect, test, vi } from 'vitest';
import { createRemoteSession } from './remote-session.ts';
import { sealSecret } from './sealed-send.ts';

test('transient data reach the plugin, and stand sealed in what is stored', async () => {
  const masterKey = createMasterKey(randomBytes(32));
  const send = vi.fn(async (_: RemoteSend) => ({ status: 'PROCESSING' as const, txId: 'theirs' }));
  // What sending does not use is left out.
  const ledger: Pick<RemoteLedger, 'send'> = { send };
  const remote: RemoteAdapterDefinition = {
    custody: 'remote',
    name: 'theirs',
    technology: 'hyperledger-fabric',
    version: '1.0.0',
    interfaceVersion: '0.1.0',
    capabilities: { operations: ['contract_call'], checks: false, emulations: false },
    open: () => ledger as RemoteLedger,
  };
  const session = createRemoteSession({
    masterKey,
    remote,
    ledger: { ledgerId: 'ledger', technology: 'hyperledger-fabric', properties: {}, nodes: [] },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  const sealedSecret = sealSecret(masterKey, 'w', 'the secret of the wallet');
  const wallet = { address: 'a', material: { remoteWallet: 'w', sealedSecret } };
  const price = Buffer.from('a price that nobody may see').toString('base64');
  const operation: ResolvedOperation = {
    type: 'contract_call',
    contract: { address: 'trade/goods' },
    method: { name: 'Put', args: [] },
    value: 0n,
    native: { technology: 'hyperledger-fabric', transient: { price } },
  };
  const { plan, secret } = await session.check({ wallet, operation });
  expect(JSON.stringify(plan)).not.toContain(price);
  const [prepared] = await session.prepare([
    { actionId: 'action', wallet, plan, ...(secret === undefined ? {} : { secret }) },
  ]);
  const round = prepared?.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
  if (round?.done !== true) throw new Error('It is prepared in one round.');
  const { txId, bytes } = round.result;
  expect(Buffer.from(bytes).toString()).not.toContain(price);
  expect(await session.submit([{ txId, bytes }])).toMatchObject([{ status: 'accepted', note: 'theirs' }]);
  expect(JSON.stringify(send.mock.calls[0]?.[0].glo)).toContain(price);
});

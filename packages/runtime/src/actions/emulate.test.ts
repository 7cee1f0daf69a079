import { Secret } from '@ledger-ops/base';
import { parseGlo } from '@ledger-ops/glo-core';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createAuthority } from '../../test/enrolling-adapter.ts';
import { createKeysWorld, failure, password, secrets } from '../../test/keys-world.ts';
import { chainKey } from '../rows/chains/chain-key.ts';
import { createEmulator } from './emulate.ts';
import { createResolver } from './resolve.ts';

const pointers = {
  glo: '/glo',
  walletId: '/walletId',
  ledgerId: '/ledgerId',
  walletPassword: '/walletPassword',
};
const gloOf = (resource: string) =>
  parseGlo({
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: { type: 'ledger', value: 'hyperledger-fabric' }, resource },
      method_name: 'Read',
      args: [],
    },
  });
const glo = gloOf('channel/chaincode');

describeStores('dry runs', (open) => {
  async function createWorld(chainId = 'memory:1') {
    const authority = createAuthority();
    const world = await createKeysWorld(await open(), {}, [authority.adapter]);
    const { wallets, caller, auth, registry, ledgers, vault } = world;
    await world.addLedger({ ledgerId: 'fabric', technology: 'hyperledger-fabric' });
    const pluginParameters = secrets({ walletPassword: password, enrollmentId: 'alice' });
    await wallets.create(caller, { walletId: 'alice', ledgerId: 'fabric', pluginParameters });
    const resolver = createResolver({ auth, registry, wallets, deployments: async () => null });
    const chain = chainKey({ id: chainId, genesis: '0x00' }, 0);
    const engine = { open: async () => ({ chain, balance: async () => 0n, accept: async () => undefined }) };
    const emulate = createEmulator({ auth, registry, ledgers, wallets, vault, resolver, engine });
    return { ...world, emulate };
  }

  it('asks as the wallet when its password is given, else as the ledger does, and says who asked', async () => {
    const { emulate, caller, row } = await createWorld();
    const request = { glo, walletId: 'alice', pointers };
    expect(await emulate(caller, request)).toMatchObject({
      result: '42',
      figures: { identity: 'observer' },
      warnings: [expect.stringContaining('It ran as observer, not as the wallet alice')],
    });
    const signed = await emulate(caller, { ...request, walletPassword: new Secret(password) });
    const { publicKey } = await row('alice');
    expect(signed.figures).toEqual({ identity: Buffer.from(publicKey).toString('hex') });
    expect(signed.warnings).toEqual([]);
    const { walletId: _wallet, ...ofLedger } = { ...request, ledgerId: 'fabric' };
    expect((await emulate(caller, ofLedger)).warnings).toEqual([]);
  });

  it('names both chains where a recipient is a wallet of one that the ledger was before', async () => {
    const { emulate, caller } = await createWorld('memory:2');
    const recipient = { lookup_service: { type: 'service', value: 'service' }, resource: 'alice' };
    const transfer = parseGlo({ version: '0.1.0', type: 'transfer', options: { recipient, amount: '1' } });
    expect(await failure(emulate(caller, { glo: transfer, ledgerId: 'fabric', pointers }))).toMatchObject({
      problem: 'wrong-ledger',
      errors: [
        {
          pointer: '/glo/options/recipient/resource',
          detail:
            'was made on the chain memory:31337, but the ledger fabric is the chain memory:2 now, which has another first block',
        },
      ],
    });
  });

  it('needs the right password of a wallet that the caller may use', async () => {
    const { emulate, caller, addCaller } = await createWorld();
    const request = { glo, walletId: 'alice', walletPassword: new Secret(password), pointers };
    const wrong = emulate(caller, { ...request, walletPassword: new Secret('wrong') });
    expect(await failure(wrong)).toMatchObject({ problem: 'wrong-wallet-password' });
    const viewer = await addCaller('viewer');
    expect(await failure(emulate(viewer, request))).toMatchObject({ problem: 'not-permitted' });
    const { walletId: _walletId, ...noWallet } = { ...request, ledgerId: 'fabric' };
    expect(await failure(emulate(caller, noWallet))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: '/walletPassword' }],
    });
  });

  it('needs ledger:read held on the ledger or where it serves; that everybody sees it is too little', async () => {
    const { emulate, addCaller } = await createWorld();
    const request = { glo, ledgerId: 'fabric', pointers };
    expect(await failure(emulate(await addCaller(), request))).toMatchObject({
      problem: 'not-permitted',
      extensions: { missingResourcePermissions: ['ledger:read'], missingAppPermissions: [] },
    });
    expect(await emulate(await addCaller('viewer'), request)).toMatchObject({ result: '42' });
  });

  it('of contracts of the ledger itself needs ledger:inspect on the ledger, as whoever it is asked', async () => {
    const { emulate, caller, auth, store, registry } = await createWorld();
    const wallet = { walletId: 'alice' };
    const requests = [{ ledgerId: 'fabric' }, wallet, { ...wallet, walletPassword: new Secret(password) }];
    const ask = async (request: (typeof requests)[number]) =>
      await emulate(caller, { ...request, glo: gloOf('channel/system'), pointers });
    // The owner of a project has it there; the ledger serves other projects, too.
    for (const request of requests) {
      expect(await failure(ask(request))).toMatchObject({
        problem: 'not-permitted',
        extensions: { missingResourcePermissions: ['ledger:inspect'] },
      });
    }
    const { uid: resourceUid = '' } = (await registry.ledgerByLedgerId('fabric')) ?? {};
    await store.transaction(async (tx) => {
      await auth.assignRole(tx, { holder: { identity: caller.serviceId }, role: 'owner', resourceUid });
      await auth.assignRole(tx, { holder: { app: caller.appUid }, role: 'application', resourceUid });
    });
    for (const request of requests) expect(await ask(request)).toMatchObject({ result: '42' });
  });

  it('takes no password where the ledger asks for no signature', async () => {
    const { emulate, caller, wallet } = await createWorld();
    await wallet('bob');
    const request = { glo, walletId: 'bob', walletPassword: new Secret(password), pointers };
    expect(await failure(emulate(caller, request))).toMatchObject({
      problem: 'unsupported-operation',
      errors: [{ pointer: '/walletPassword' }],
    });
  });
});

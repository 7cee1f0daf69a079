import { type Emulated, longestDocument } from '@ledger-ops/adapter';
import { Secret } from '@ledger-ops/base';
import { parseGlo } from '@ledger-ops/glo-core';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it, vi } from 'vitest';
import { createAuthority } from '../../test/enrolling-adapter.ts';
import { createKeysWorld, failure, password, secrets } from '../../test/keys-world.ts';
import { OpenLedger } from '../open-ledger.ts';
import { chainKey } from '../rows/chains/chain-key.ts';
import { Emulator } from './emulate.ts';
import { Resolver } from './resolve.ts';

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
    const resolver = new Resolver({ auth, registry, wallets, deployments: async () => null });
    const chain = chainKey({ id: chainId, genesis: '0x00' }, 0);
    const engine = { chainOf: async () => chain };
    const emulator = new Emulator({ auth, registry, ledgers, wallets, vault, resolver, engine });
    return { ...world, emulator };
  }

  it("emulates as the wallet if the request has its password, and otherwise as the ledger's identity with a warning", async () => {
    const { emulator, caller, row } = await createWorld();
    const request = { glo, walletId: 'alice', pointers };
    expect(await emulator.emulate(caller, request)).toMatchObject({
      result: '42',
      figures: { identity: 'observer' },
      warnings: [expect.stringContaining('The call ran as observer, not as the wallet alice')],
    });
    const signed = await emulator.emulate(caller, { ...request, walletPassword: new Secret(password) });
    const { publicKey } = await row('alice');
    expect(signed.figures).toEqual({ identity: Buffer.from(publicKey).toString('hex') });
    expect(signed.warnings).toEqual([]);
    const { walletId: _wallet, ...ofLedger } = { ...request, ledgerId: 'fabric' };
    expect((await emulator.emulate(caller, ofLedger)).warnings).toEqual([]);
  });

  it('rejects a recipient wallet from an earlier chain of the ledger, and names both chains', async () => {
    const { emulator, caller } = await createWorld('memory:2');
    const recipient = { lookup_service: { type: 'service', value: 'service' }, resource: 'alice' };
    const transfer = parseGlo({ version: '0.1.0', type: 'transfer', options: { recipient, amount: '1' } });
    expect(
      await failure(emulator.emulate(caller, { glo: transfer, ledgerId: 'fabric', pointers })),
    ).toMatchObject({
      problem: 'wrong-ledger',
      errors: [
        {
          pointer: '/glo/options/recipient/resource',
          detail:
            'was created on the chain memory:31337, but the ledger fabric is now on the chain memory:2, which has a different first block',
        },
      ],
    });
  });

  it('signed emulation requires the right password of a wallet that the caller may use', async () => {
    const { emulator, caller, addCaller } = await createWorld();
    const request = { glo, walletId: 'alice', walletPassword: new Secret(password), pointers };
    const wrong = emulator.emulate(caller, { ...request, walletPassword: new Secret('wrong') });
    expect(await failure(wrong)).toMatchObject({ problem: 'wrong-wallet-password' });
    const viewer = await addCaller('viewer');
    expect(await failure(emulator.emulate(viewer, request))).toMatchObject({ problem: 'not-permitted' });
    const { walletId: _walletId, ...noWallet } = { ...request, ledgerId: 'fabric' };
    expect(await failure(emulator.emulate(caller, noWallet))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: '/walletPassword' }],
    });
  });

  it('emulation requires ledger:read on the ledger or its project, even if everybody can see the ledger', async () => {
    const { emulator, addCaller } = await createWorld();
    const request = { glo, ledgerId: 'fabric', pointers };
    expect(await failure(emulator.emulate(await addCaller(), request))).toMatchObject({
      problem: 'not-permitted',
      extensions: { missingResourcePermissions: ['ledger:read'], missingAppPermissions: [] },
    });
    expect(await emulator.emulate(await addCaller('viewer'), request)).toMatchObject({ result: '42' });
  });

  it('emulating a system contract requires ledger:inspect on the ledger, with and without a wallet', async () => {
    const { emulator, caller, auth, store, registry } = await createWorld();
    const wallet = { walletId: 'alice' };
    const requests = [{ ledgerId: 'fabric' }, wallet, { ...wallet, walletPassword: new Secret(password) }];
    const ask = async (request: (typeof requests)[number]) =>
      await emulator.emulate(caller, { ...request, glo: gloOf('channel/system'), pointers });
    // The project owner has the permission only on the project, not on the ledger, which also serves other projects.
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

  it('omits a result or figures of more than 4 MiB, and reports the omission', async () => {
    const { emulator, caller, ledgers } = await createWorld();
    const request = { glo, ledgerId: 'fabric', pointers };
    const open = ledgers.open.bind(ledgers);
    const answering = (emulated: Emulated) =>
      vi.spyOn(ledgers, 'open').mockImplementation(async (...args) => {
        const one = await open(...args);
        const session = { ...one.session, emulate: async () => emulated };
        return new OpenLedger({ ...one, session });
      });
    const long = 'x'.repeat(longestDocument);
    const warnings = [expect.stringContaining('The result is too long to be shown in full')];
    answering({ result: long, figures: { gas: 1 } });
    expect(await emulator.emulate(caller, request)).toEqual(
      expect.objectContaining({ result: { omitted: true }, figures: { gas: 1 }, warnings }),
    );
    answering({ result: '42', figures: { trace: long } });
    expect(await emulator.emulate(caller, request)).toEqual(
      expect.objectContaining({ result: '42', figures: { omitted: true }, warnings }),
    );
    answering({ result: '42' });
    expect((await emulator.emulate(caller, request)).warnings).toEqual([]);
  });

  it('rejects a wallet password if the ledger does not support signed emulation', async () => {
    const { emulator, caller, wallet } = await createWorld();
    await wallet('bob');
    const request = { glo, walletId: 'bob', walletPassword: new Secret(password), pointers };
    expect(await failure(emulator.emulate(caller, request))).toMatchObject({
      problem: 'unsupported-operation',
      errors: [{ pointer: '/walletPassword' }],
    });
  });
});

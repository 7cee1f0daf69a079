import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { address, reader } from '../../test/contract-reader.ts';
import { createWorld, failure, timelineOf } from '../../test/world.ts';
import { ContractRegistry } from './contract-registry.ts';

const firstPage = { page: 0, size: 20, sort: [] };

describeStores('the contract registry', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { store, auth, project, other } = world;
    let clock = 5_000;
    const now = () => {
      clock += 1;
      return clock;
    };
    const contracts = new ContractRegistry({ store, auth, now, reader });
    await world.ledger({ ledgerId: 'main' });
    const me = await world.callerIn(project);
    const { groupId } = await contracts.createGroup(me, { name: 'Group' });
    const input = {
      groupId,
      interface: ' [] ',
      ledgerReference: { ledgerId: 'main', nativeReference: address('AA') },
      name: null,
    };
    return {
      ...world,
      contracts,
      me,
      stranger: await world.callerIn(other),
      viewer: await world.callerIn(project, 'viewer'),
      groupId,
      input,
    };
  }

  it('registers the published interface if the request has none, and rejects a contract that does not exist on the ledger', async () => {
    const { store, auth, me, groupId, input } = await start();
    const { interface: _given, ...bare } = input;
    const missing = new Problem('unknown-contract', 'The chaincode does not exist.');
    const down = new Problem('ledger-unavailable', 'The ledger is down.');
    let told: string | null | undefined | Problem;
    const describe = async () => {
      if (told instanceof Problem) throw told;
      return told;
    };
    const contracts = new ContractRegistry({ store, auth, now: () => 1, reader: { ...reader, describe } });
    const register = (what: typeof bare & { interface?: string }) => contracts.createContract(me, what);
    told = '[ 1 ]';
    expect(await register(bare)).toMatchObject({ interface: '[ 1 ]', parsedInterface: '[1]', groupId });
    expect(await register(input)).toMatchObject({ interface: ' [] ' });
    told = null;
    expect(await register(bare)).toMatchObject({ interface: '', parsedInterface: '' });
    told = missing;
    for (const what of [bare, input]) {
      expect(await failure(register(what))).toMatchObject({ problem: 'unknown-contract' });
    }
    told = down;
    expect(await register(input)).toMatchObject({ interface: ' [] ' });
    expect(await failure(register(bare))).toMatchObject({ problem: 'ledger-unavailable' });
    told = undefined;
    expect(await failure(register(bare))).toMatchObject({ errors: [{ pointer: '/interface' }] });
  });

  it('registers contracts with the normalized data of the adapter', async () => {
    const { contracts, me, groupId, input } = await start();
    const made = await contracts.createContract(me, input);
    expect(made).toMatchObject({
      contractId: made.uid,
      name: made.uid,
      interface: ' [] ',
      parsedInterface: '[]',
      ledgerId: 'main',
      nativeReference: address('aa'),
    });
    expect(await contracts.contract(me, groupId, made.contractId)).toEqual(made);
    const refused: [object, string][] = [
      [{ interface: '[' }, '/interface'],
      [{ ledgerReference: { ledgerId: 'main', nativeReference: 'x' } }, '/ledgerReference/nativeReference'],
      [
        { ledgerReference: { ledgerId: 'none', nativeReference: address('aa') } },
        '/ledgerReference/ledgerId',
      ],
    ];
    for (const [change, pointer] of refused) {
      expect(await failure(contracts.createContract(me, { ...input, ...change }))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer }],
      });
    }
  });

  it('keeps chosen ids unique per project, even if two requests choose the same id at the same time', async () => {
    const { contracts, me, stranger, input, groupId, registry, project, other, ledger } = await start();
    await ledger({ ledgerId: 'main', projectUid: other.uid, parentResourceUid: other.uid });
    const theirs = await contracts.createGroup(stranger, { name: 'Theirs' });
    const chosen = { ...input, contractId: 'same' };
    const results = await Promise.allSettled([
      contracts.createContract(me, chosen),
      contracts.createContract(me, chosen),
      contracts.createContract(stranger, { ...chosen, groupId: theirs.groupId }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const mine = await contracts.contract(me, groupId, 'same');
    expect(mine.uid).not.toBe('same');
    expect((await registry.contract(project.uid, 'same'))?.uid).toBe(mine.uid);
    expect((await registry.contract(other.uid, 'same'))?.groupId).toBe(theirs.groupId);
    expect(await failure(contracts.contract(me, theirs.groupId, 'same'))).toMatchObject({
      problem: 'not-found',
    });
  });

  it('omits interfaces of a page beyond 32 MiB, and returns the next pages', async () => {
    const { contracts, me, input, groupId, project, store } = await start();
    for (let n = 0; n < 4; n += 1) await contracts.createContract(me, input);
    await store.transaction((tx) =>
      tx.run('UPDATE contract SET interface = $1', [`[]${' '.repeat(9 * 1_048_576)}`]),
    );
    const first = await contracts.listContracts(me, groupId, { page: 0, size: 3, sort: [] });
    expect(first.items).toHaveLength(3);
    for (const listing of [
      contracts.listContracts(me, groupId, firstPage),
      contracts.contractsOfProject(me, project.projectId, firstPage),
    ]) {
      const { items, total } = await listing;
      expect(total).toBe(4);
      expect(items.map((one) => [one.interface.length, one.interfaceOmitted])).toEqual([
        ...Array.from({ length: 3 }, () => [9 * 1_048_576 + 2, undefined]),
        [0, true],
      ]);
    }
    const next = await contracts.listContracts(me, groupId, { page: 1, size: 3, sort: [] });
    expect(next.items.map((one) => [one.interface.length, one.interfaceOmitted])).toEqual([
      [9 * 1_048_576 + 2, undefined],
    ]);
  });

  it('lists contracts that the caller may see, in pages', async () => {
    const { contracts, me, stranger, input, groupId, project, auth, store } = await start();
    const made = await contracts.createContract(me, { ...input, name: 'b' });
    await contracts.createContract(me, { ...input, name: 'a' });
    const sort = [{ key: 'name', direction: 'asc' as const }];
    const page = await contracts.listContracts(me, groupId, { page: 1, size: 1, sort });
    expect([page.items.map(({ name }) => name), page.total]).toEqual([['b'], 2]);
    expect((await contracts.listGroups(me, project.projectId, firstPage)).total).toBe(1);
    expect((await contracts.listGroups(stranger, project.projectId, firstPage)).total).toBe(0);
    expect((await contracts.listGroups(me, 'none', firstPage)).total).toBe(0);
    expect(await failure(contracts.listContracts(stranger, groupId, firstPage))).toMatchObject({
      problem: 'not-found',
    });
    await store.transaction((tx) =>
      auth.assignRole(tx, {
        holder: { app: stranger.appUid },
        role: 'application',
        resourceUid: made.uid,
      }),
    );
    expect(await failure(contracts.contract(stranger, groupId, made.contractId))).toMatchObject({
      problem: 'not-found',
    });
    await store.transaction((tx) =>
      auth.assignRole(tx, {
        holder: { identity: stranger.serviceId },
        role: 'viewer',
        resourceUid: made.uid,
      }),
    );
    expect((await contracts.contract(stranger, groupId, made.contractId)).name).toBe('b');
  });

  it('renames groups and contracts, replaces an interface, and deletes unused records', async () => {
    const { contracts, me, viewer, stranger, input, groupId, store, auth } = await start();
    const { contractId, uid } = await contracts.createContract(me, input);
    expect(await contracts.updateGroup(me, groupId, { name: 'New' })).toMatchObject({ name: 'New' });
    expect(
      await contracts.updateContract(me, groupId, contractId, { name: 'n', interface: ' [1] ' }),
    ).toMatchObject({ name: 'n', interface: ' [1] ', parsedInterface: '[1]' });
    expect(await contracts.updateContract(me, groupId, contractId, { name: null })).toMatchObject({
      name: contractId,
      parsedInterface: '[1]',
    });
    expect(
      await failure(contracts.updateContract(me, groupId, contractId, { interface: '[' })),
    ).toMatchObject({
      errors: [{ pointer: '/interface' }],
    });
    expect(await failure(contracts.updateGroup(me, groupId, { name: '' }))).toMatchObject({
      errors: [{ pointer: '/name' }],
    });
    for (const [caller, problem] of [
      [viewer, 'not-permitted'],
      [stranger, 'not-found'],
    ] as const) {
      for (const attempt of [
        () => contracts.updateGroup(caller, groupId, { name: 'x' }),
        () => contracts.deleteGroup(caller, groupId),
        () => contracts.updateContract(caller, groupId, contractId, {}),
        () => contracts.deleteContract(caller, groupId, contractId),
        () => contracts.createContract(caller, input),
      ]) {
        expect(await failure(attempt())).toMatchObject({ problem });
      }
    }
    expect(await failure(contracts.deleteGroup(me, groupId))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 contract'] },
    });
    await contracts.deleteContract(me, groupId, contractId);
    expect((await auth.decide(me, ['smart-contract-instance:read'], uid)).result).toBe(false);
    await contracts.deleteGroup(me, groupId);
    expect(await failure(contracts.group(me, groupId))).toMatchObject({ problem: 'not-found' });
    const timeline = timelineOf(store);
    const actions = async (id: string) => (await timeline.byResource(me, id)).map(({ action }) => action);
    expect(await actions(groupId)).toEqual(['create', 'update', 'delete']);
    expect(await actions(contractId)).toEqual(['create', 'update', 'update', 'delete']);
  });

  it('does not lose a contract whose group is deleted at the same time', async () => {
    const { contracts, me, input, groupId, store } = await start();
    const results = await Promise.allSettled([
      contracts.createContract(me, input),
      contracts.deleteGroup(me, groupId),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const groups = await store.read.db.select().from(store.read.t.contractGroup);
    const rows = await store.read.db.select().from(store.read.t.contract);
    expect(rows).toHaveLength(groups.length);
  });

  it('stores the response for an Idempotency-Key', async () => {
    const { contracts, me, input, store } = await start();
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const made = await contracts.createContract(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect(JSON.parse(row?.body ?? '')).toEqual(made);
    expect(await failure(contracts.createGroup(me, { name: 'x' }, claim))).toMatchObject({
      problem: 'conflict',
    });
  });
});

import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure, type World } from '../../test/world.ts';
import type { ContractRecord, NewContract } from '../types.ts';

describeStores('contract records', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { uid } = await world.ledger({ ledgerId: 'main' });
    const group = await world.group();
    return { ...world, ledgerUid: uid, groupId: group.groupId };
  }

  function register(
    { store, registry, ledgerUid, groupId }: World & { ledgerUid: string; groupId: string },
    input: Partial<NewContract> = {},
  ): Promise<ContractRecord> {
    return store.transaction((tx) =>
      registry.createContract(tx, {
        groupId,
        name: null,
        interface: ' [] ',
        parsedInterface: '[]',
        ledgerUid,
        nativeReference: '0x00000000000000000000000000000000000000aa',
        ...input,
      }),
    );
  }

  it('returns the registered contract, with the id as its name if none was given', async () => {
    const world = await start();
    const { registry, project, ledgerUid, groupId } = world;
    const contract = await register(world);
    expect(contract).toEqual({
      uid: contract.contractId,
      id: 1,
      contractId: contract.contractId,
      groupId,
      projectUid: project.uid,
      name: contract.contractId,
      interface: ' [] ',
      parsedInterface: '[]',
      ledgerUid,
      ledgerId: 'main',
      nativeReference: '0x00000000000000000000000000000000000000aa',
      createdAt: contract.createdAt,
    });
    expect(await registry.contract(project.uid, contract.contractId)).toEqual(contract);
    expect(await registry.group(groupId)).toMatchObject({ groupId, name: 'Group', projectUid: project.uid });
    expect(await registry.contract(project.uid, 'none')).toBeNull();
    expect(await registry.group('none')).toBeNull();
  });

  it('puts a contract under its group and its project in the resource tree', async () => {
    const world = await start();
    const { auth, store, caller, owner, groupId } = world;
    const { contractId } = await register(world);
    const may = async () => (await auth.decide(caller, ['smart-contract-instance:read'], contractId)).result;
    expect(await may()).toBe(false);
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { identity: owner }, role: 'viewer', resourceUid: groupId }),
    );
    expect(await may()).toBe(true);
  });

  it('accepts ledgers of the project and of the deployer only', async () => {
    const world = await start();
    const { ledger, other, systemUid } = world;
    const common = await ledger({ ledgerId: 'common', projectUid: null, parentResourceUid: systemUid });
    expect(await register(world, { ledgerUid: common.uid })).toMatchObject({ ledgerId: 'common' });
    const foreign = await ledger({ projectUid: other.uid, parentResourceUid: other.uid });
    for (const ledgerUid of [foreign.uid, 'none']) {
      expect(await failure(register(world, { ledgerUid }))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: '/ledgerReference/ledgerId' }],
      });
    }
  });

  it('rejects an existing id, an unknown group, and values out of bounds', async () => {
    const world = await start();
    await register(world, { contractId: 'one' });
    expect(await failure(register(world, { contractId: 'one' }))).toMatchObject({
      problem: 'already-exists',
    });
    expect(await failure(register(world, { groupId: 'none' }))).toMatchObject({ problem: 'not-found' });
    const invalid: [Partial<NewContract>, string][] = [
      [{ contractId: 'a/b' }, '/contractId'],
      [{ name: '' }, '/name'],
      [{ nativeReference: '' }, '/ledgerReference/nativeReference'],
      [{ interface: ' '.repeat(1_048_577) }, '/interface'],
    ];
    for (const [input, pointer] of invalid) {
      expect(await failure(register(world, input))).toMatchObject({ errors: [{ pointer }] });
    }
  });
});

import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld } from '../../test/world.ts';
import type { DeployedContract } from '../types.ts';

const actionId = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11';
const nativeReference = '0x00000000000000000000000000000000000000aa';

describeStores('contracts deployed by actions', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { store, registry, project, owner } = world;
    const { uid: ledgerUid } = await world.ledger({ ledgerId: 'main' });
    const template = await store.transaction(async (tx) => {
      const made = await registry.createTemplate(tx, {
        templateId: 'coin',
        projectUid: project.uid,
        name: 'Coin',
      });
      await registry.createSpecification(tx, {
        templateUid: made.uid,
        tag: '1',
        technology: 'ethereum',
        compilation: '{}',
        interface: '[]',
        code: '0x60',
      });
      return made;
    });
    const register = (change: Partial<DeployedContract> = {}) =>
      store.transaction((tx) =>
        registry.registerDeployed(tx, {
          actionId,
          contractId: actionId,
          name: null,
          projectUid: project.uid,
          templateId: 'coin',
          tag: '1',
          ledgerUid,
          nativeReference,
          deployedBy: { serviceId: owner, appId: 'app' },
          ...change,
        }),
      );
    return { ...world, template, register, ledgerUid };
  }

  it.each(['contracts', 'contract-groups', 'roles', 'document-bytes'])(
    'if the organization has reached its limit “%s”, the deployment completes without registering the contract',
    async (limit) => {
      const { store, registry, project, register } = await start();
      const setLimit = (most: number) =>
        store.transaction((tx) =>
          tx.run(
            `INSERT INTO storage_limit (scope, name, most, updated_by, updated_at) VALUES ($1, $2, $3, '', 0)
              ON CONFLICT (scope, name) DO UPDATE SET most = excluded.most`,
            [project.organizationUid, limit, most],
          ),
        );
      await setLimit(0);
      expect(await register()).toMatchObject({
        type: 'urn:ledger-ops:problem:storage-limit',
        limit,
        most: 0,
      });
      expect(await registry.contract(project.uid, actionId)).toBeNull();
      for (const table of ['contract', 'contract_group', 'contract_property']) {
        expect(await store.read.all(`SELECT * FROM ${table}`)).toEqual([]);
      }
      await setLimit(1_000_000);
      expect(await register()).toBeNull();
    },
  );

  it('puts deployed contracts into one group per template, and makes the caller of the deployment their owner', async () => {
    const { store, registry, project, template, register, owner } = await start();
    expect(await register({ name: 'My coin' })).toBeNull();
    expect(await register({ contractId: 'other' })).toBeNull();
    const groupId = `template-${template.uid}`;
    expect(await registry.group(groupId)).toMatchObject({ name: 'Coin', projectUid: project.uid });
    const contract = await registry.contract(project.uid, actionId);
    expect(contract).toMatchObject({
      contractId: actionId,
      groupId,
      name: 'My coin',
      nativeReference,
      ledgerId: 'main',
      interface: '[]',
      parsedInterface: '[]',
    });
    expect(
      await store.read.all('SELECT contract_id, name FROM contract WHERE group_id = $1 ORDER BY id', [
        groupId,
      ]),
    ).toEqual([
      { contract_id: actionId, name: 'My coin' },
      { contract_id: 'other', name: 'other' },
    ]);
    const roles = await store.read.all('SELECT holder FROM role_assignment WHERE resource_uid = $1', [
      contract?.uid ?? '',
    ]);
    expect(roles).toEqual([{ holder: `identity:${owner}` }]);
    const properties = await store.read.all('SELECT name, value FROM contract_property');
    expect(properties).toContainEqual({ name: 'address', value: JSON.stringify(nativeReference) });
    expect(
      await store.read.all(
        "SELECT action, identity, resource_id FROM timeline WHERE resource_type = 'smart-contract-instance' ORDER BY uid",
      ),
    ).toEqual([
      { action: 'create', identity: owner, resource_id: actionId },
      { action: 'create', identity: owner, resource_id: 'other' },
    ]);
  });

  it('a deployed contract does not replace a contract that was registered with the same id in the meantime', async () => {
    const { registry, project, register } = await start();
    expect(await register({ contractId: 'coin' })).toBeNull();
    const address = '0x00000000000000000000000000000000000000bb';
    expect(await register({ contractId: 'coin', nativeReference: address })).toBeNull();
    expect(await registry.contract(project.uid, 'coin')).toMatchObject({ nativeReference });
    expect(await registry.contract(project.uid, actionId)).toMatchObject({ nativeReference: address });
  });

  it('registers a contract without an owner, or returns a problem, if its owner, template or ledger was deleted', async () => {
    const { store, registry, project, register } = await start();
    expect(await register({ deployedBy: { serviceId: 'gone', appId: 'gone' } })).toBeNull();
    expect(await registry.contract(project.uid, actionId)).not.toBeNull();
    for (const change of [{ templateId: 'gone' }, { tag: 'gone' }]) {
      expect(await register({ contractId: 'x', ...change })).toMatchObject({ status: 404 });
    }
    expect(await register({ contractId: 'x', ledgerUid: 'gone' })).toMatchObject({ status: 400 });
    expect(await registry.contract(project.uid, 'x')).toBeNull();
    expect(await store.read.all('SELECT contract_id FROM contract')).toHaveLength(1);
  });
});

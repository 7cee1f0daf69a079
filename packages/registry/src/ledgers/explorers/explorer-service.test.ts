import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerGround, firstPage, property } from '../../../test/ledger-ground.ts';
import { failure } from '../../../test/world.ts';

describeStores('explorers', (open) => {
  it('answers explorers in the shape of the interface, with links that lead to transactions', async () => {
    const { explorers, me, stranger, admin, add, ledgers, input, project, other, ...world } =
      await createLedgerGround(await open());
    const { store, registry } = world;
    await ledgers.create(admin, { ...input, projectId: 'system' });
    const [ledger] = await store.read.db.select().from(store.read.t.ledger);
    const link = (projectUid: string) => registry.explorerLink(ledger?.uid ?? '', projectUid, '0xab/../c');
    expect(await link(project.uid)).toBeNull();
    const common = await explorers.create(admin, {
      explorerID: 'scan',
      ledgerID: 'main',
      name: 'Common',
      projectId: 'system',
      implementations: [
        {
          type: { name: 'cloud-explorer' },
          properties: [
            property('plugin', 'ethereum'),
            property('transaction_url', 'https://scan.example/tx/{locator}'),
          ],
        },
      ],
    });
    expect(common).toEqual({
      explorerID: 'scan',
      id: 1,
      implementations: [
        {
          id: 17,
          properties: [
            { id: 17 * 16 + 1, type: { id: 1, name: 'plugin' }, value: 'ethereum' },
            {
              id: 17 * 16 + 2,
              type: { id: 2, name: 'transaction_url' },
              value: 'https://scan.example/tx/{locator}',
            },
          ],
          type: { id: 1, name: 'cloud-explorer' },
        },
      ],
      ledgerID: 'main',
      name: 'Common',
      nodeID: null,
      resourceId: 'scan',
      projectId: 'system',
    });
    const own = await explorers.create(me, {
      explorerID: 'scan',
      ledgerID: 'main',
      name: 'Own',
      implementations: [
        { type: { name: 'external-explorer' } },
        {
          type: { name: 'external-explorer' },
          properties: [property('transaction_url', 'https://own.example/?t={locator}')],
        },
      ],
    });
    expect((await explorers.defaultOf(me, 'main')).name).toBe('Own');
    expect((await explorers.defaultOf(stranger, 'main')).name).toBe('Common');
    expect(await explorers.get(stranger, 'scan')).toEqual(common);
    expect(await explorers.get(me, 'scan')).toEqual(own);
    expect(await link(project.uid)).toBe('https://own.example/?t=0xab%2F..%2Fc');
    expect(await link(other.uid)).toBe('https://scan.example/tx/0xab%2F..%2Fc');
    expect((await explorers.list(me, firstPage)).items.map(({ name }) => name)).toEqual(['Common', 'Own']);
    expect(await explorers.update(me, 'scan', { name: 'New', implementations: [] })).toMatchObject({
      name: 'New',
      implementations: [],
    });
    expect(await failure(explorers.update(stranger, 'scan', { name: 'x' }))).toMatchObject({
      problem: 'not-permitted',
    });
    await add({ ledgerID: 'bare' });
    expect(await failure(explorers.defaultOf(me, 'bare'))).toMatchObject({ problem: 'not-found' });
    expect(
      await failure(explorers.create(me, { explorerID: 'scan', ledgerID: 'main', name: 'x' })),
    ).toMatchObject({ problem: 'already-exists', errors: [{ pointer: '/explorerID' }] });
    expect(
      await failure(explorers.create(me, { ledgerID: 'main', name: 'x', nodeID: 'none' })),
    ).toMatchObject({ problem: 'not-found', errors: [{ pointer: '/nodeID' }] });
  });

  it('refuses link templates that would lead elsewhere', async () => {
    const { explorers, me, add } = await createLedgerGround(await open());
    await add();
    for (const value of [
      'https://scan.example/tx/',
      'https://{locator}.example/',
      'https://{locator}',
      'https://scan.example/{locator}/{locator}',
      'https://scan.example/{address}/{locator}',
      'javascript:alert({locator})',
      'https://user:hunter2@scan.example/{locator}',
      'scan.example/{locator}',
      'https://scan.example\\{locator}',
      7,
    ]) {
      const implementations = [
        { type: { name: 'cloud-explorer' }, properties: [property('transaction_url', value)] },
      ];
      expect(
        await failure(explorers.create(me, { ledgerID: 'main', name: 'x', implementations })),
      ).toMatchObject({ errors: [{ pointer: '/implementations/0/properties/0/value' }] });
    }
  });
});

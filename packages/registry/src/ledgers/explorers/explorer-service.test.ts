import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerServices, firstPage } from '../../../test/ledger-services.ts';
import { failure } from '../../../test/world.ts';

describeStores('explorer records', (open) => {
  it('returns explorers with links to transactions', async () => {
    const { explorers, me, stranger, admin, add, ledgers, input, project, other, ...world } =
      await createLedgerServices(await open());
    const { store, registry } = world;
    await ledgers.create(admin, { ...input, projectId: 'system' });
    const [ledger] = await store.read.db.select().from(store.read.t.ledger);
    const link = (projectUid: string) => registry.explorerLink(ledger?.uid ?? '', projectUid, '0xab/../c');
    expect(await link(project.uid)).toBeNull();
    const common = await explorers.create(admin, {
      explorerId: 'scan',
      ledgerId: 'main',
      name: 'Common',
      projectId: 'system',
      implementations: [
        {
          type: 'cloud-explorer',
          properties: { plugin: 'ethereum', transaction_url: 'https://scan.example/tx/{locator}' },
        },
      ],
    });
    expect(common).toEqual({
      id: 1,
      explorerId: 'scan',
      ledgerId: 'main',
      nodeId: null,
      projectId: 'system',
      name: 'Common',
      implementations: [
        {
          type: 'cloud-explorer',
          properties: { plugin: 'ethereum', transaction_url: 'https://scan.example/tx/{locator}' },
        },
      ],
    });
    const own = await explorers.create(me, {
      explorerId: 'scan',
      ledgerId: 'main',
      name: 'Own',
      implementations: [
        { type: 'external-explorer' },
        {
          type: 'external-explorer',
          properties: { transaction_url: 'https://own.example/?t={locator}' },
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
    await add({ ledgerId: 'bare' });
    expect(await failure(explorers.defaultOf(me, 'bare'))).toMatchObject({ problem: 'not-found' });
    expect(
      await failure(explorers.create(me, { explorerId: 'scan', ledgerId: 'main', name: 'x' })),
    ).toMatchObject({ problem: 'already-exists', errors: [{ pointer: '/explorerId' }] });
    expect(
      await failure(explorers.create(me, { ledgerId: 'main', name: 'x', nodeId: 'none' })),
    ).toMatchObject({ problem: 'not-found', errors: [{ pointer: '/nodeId' }] });
  });

  it('rejects link templates that lead to another host', async () => {
    const { explorers, me, add } = await createLedgerServices(await open());
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
      const implementations = [{ type: 'cloud-explorer', properties: { transaction_url: value } }];
      expect(
        await failure(explorers.create(me, { ledgerId: 'main', name: 'x', implementations })),
      ).toMatchObject({ errors: [{ pointer: '/implementations/0/properties/transaction_url' }] });
    }
  });
});

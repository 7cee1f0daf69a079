import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerServices } from '../../test/ledger-services.ts';
import { failure, timelineOf } from '../../test/world.ts';

describeStores('ledgers, nodes and explorers', (open) => {
  it('refuses changes to ledgers, nodes and explorers without the permission', async () => {
    const { ledgers, nodes, explorers, me, stranger, viewer, add, input } = await createLedgerServices(
      await open(),
    );
    await add();
    expect(await failure(ledgers.create(viewer, input))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(ledgers.create(me, { ...input, projectId: 'system' }))).toMatchObject({
      problem: 'not-found',
    });
    expect(await failure(ledgers.get(stranger, 'main'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(ledgers.update(viewer, 'main', {}))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(ledgers.delete(viewer, 'main'))).toMatchObject({ problem: 'not-permitted' });
    const node = { ledgerId: 'main', uri: 'http://node' };
    expect(await failure(nodes.create(viewer, node))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(nodes.create(stranger, node))).toMatchObject({
      problem: 'not-found',
      errors: [{ pointer: '/ledgerId' }],
    });
    const explorer = { ledgerId: 'main', name: 'x' };
    expect(await failure(explorers.create(viewer, explorer))).toMatchObject({ problem: 'not-permitted' });
    const made = await nodes.create(me, node);
    expect(await failure(nodes.get(stranger, made.nodeId))).toMatchObject({ problem: 'not-found' });
    expect(await failure(nodes.update(viewer, made.nodeId, { name: 'n' }))).toMatchObject({
      problem: 'not-permitted',
    });
  });

  it('rejects the deletion of records in use, and lists the records that use them', async () => {
    const { ledgers, nodes, explorers, me, add, store, project, auth } = await createLedgerServices(
      await open(),
    );
    await add({ nodes: [{ nodeId: 'a', uri: 'http://a' }] });
    const { explorerId } = await explorers.create(me, { ledgerId: 'main', nodeId: 'a', name: 'x' });
    const [row] = await store.read.db.select().from(store.read.t.ledger);
    const ledgerUid = row?.uid ?? '';
    await store.transaction((tx) =>
      tx.db.insert(tx.t.wallet).values({
        uid: 'w',
        projectId: project.uid,
        walletId: 'w',
        ledgerUid,
        ledgerId: 'main',
        chainId: '1',
        address: '0x',
        material: null,
        keyType: 'secp256k1',
        publicKey: Buffer.of(1),
        kdf: '{}',
        sealedSecret: Buffer.of(1),
        sealedDataKey: Buffer.of(1),
        keyVersion: 1,
        createdBy: 'me',
        createdAt: 1,
        updatedAt: 1,
      }),
    );
    expect(await failure(ledgers.delete(me, 'main'))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 wallet', '1 explorer'] },
    });
    expect(await failure(nodes.delete(me, 'a'))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 explorer', '1 wallet of the ledger main, which has no other node'] },
    });
    await explorers.delete(me, explorerId);
    await nodes.create(me, { ledgerId: 'main', nodeId: 'b', uri: 'http://b' });
    await nodes.delete(me, 'a');
    expect((await nodes.defaultOf(me, 'main')).nodeId).toBe('b');
    await store.transaction((tx) => tx.db.delete(tx.t.wallet));
    await ledgers.delete(me, 'main');
    expect(await failure(ledgers.get(me, 'main'))).toMatchObject({ problem: 'not-found' });
    expect(await store.read.db.select().from(store.read.t.node)).toEqual([]);
    expect((await auth.decide(me, ['ledger:read'], ledgerUid)).result).toBe(false);
  });

  it('stores responses for Idempotency-Keys, and writes changes to the timeline', async () => {
    const { ledgers, nodes, me, input, store, add } = await createLedgerServices(await open());
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const made = await ledgers.create(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect(JSON.parse(row?.body ?? '')).toEqual(made);
    expect(await failure(ledgers.create(me, { ...input, ledgerId: 'two' }, claim))).toMatchObject({
      problem: 'conflict',
    });
    await nodes.create(me, { ledgerId: 'main', nodeId: 'n', uri: 'http://n' });
    await nodes.delete(me, 'n');
    await add({ ledgerId: 'other' });
    await ledgers.delete(me, 'main');
    const timeline = timelineOf(store);
    const of = async (id: string) => (await timeline.byResource(me, id)).map(({ action }) => action);
    expect(await of('main')).toEqual(['create', 'delete']);
    expect(await of('n')).toEqual(['create', 'delete']);
  });
});

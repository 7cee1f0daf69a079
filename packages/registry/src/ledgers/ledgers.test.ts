import type { Tx } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure } from '../../test/world.ts';

describeStores('ledger records', (open) => {
  it('returns a created ledger by both of its ids, with its nodes in order', async () => {
    const { registry, ledger } = await createWorld(await open());
    const record = await ledger({
      ledgerId: 'main',
      properties: { chain_id: 1337, confirmations: 3, plugin_tags: ['fast'], max_fee_cap: '1000' },
      nodes: [
        { nodeId: 'a', uri: 'http://a' },
        { nodeId: 'b', name: 'B', uri: 'ws://b', client: 'geth' },
      ],
    });
    expect(record).toMatchObject({
      ledgerId: 'main',
      active: true,
      properties: { chain_id: 1337, confirmations: 3, plugin_tags: ['fast'], max_fee_cap: '1000' },
      nodes: [
        { nodeId: 'a', name: 'a', uri: 'http://a', client: null },
        { nodeId: 'b', name: 'B', uri: 'ws://b', client: 'geth' },
      ],
    });
    expect(await registry.ledgerByUid(record.uid)).toEqual(record);
    expect(await registry.ledgerByLedgerId('main')).toEqual(record);
    expect(await registry.ledgerByUid('nothing')).toBeNull();
    expect(await registry.ledgerByLedgerId('nothing')).toBeNull();
  });

  it('ledgers and nodes are resources of their project, so roles on the project apply to them', async () => {
    const world = await createWorld(await open());
    const { auth, store, caller, project, owner } = world;
    const record = await world.ledger({ owner });
    const node = record.nodes[0]?.uid ?? '';
    expect((await auth.decide(caller, ['ledger:update'], record.uid)).result).toBe(true);
    const unowned = await world.ledger();
    expect((await auth.decide(caller, ['ledger:read'], unowned.uid)).result).toBe(false);
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { identity: owner }, role: 'viewer', resourceUid: project.uid }),
    );
    expect((await auth.decide(caller, ['ledger:read'], unowned.uid)).result).toBe(true);
    expect((await auth.decide(caller, ['node:read'], node)).result).toBe(true);
  });

  it('shows a project its own ledgers and those of the deployer, in order of creation', async () => {
    const { registry, ledger, project, other, systemUid } = await createWorld(await open());
    await ledger({ ledgerId: 'own' });
    await ledger({ ledgerId: 'deployer', projectUid: null, parentResourceUid: systemUid });
    await ledger({ ledgerId: 'others', projectUid: other.uid, parentResourceUid: other.uid });
    const ids = async (uid: string | null) =>
      (await registry.listLedgers(uid)).map(({ ledgerId }) => ledgerId);
    expect(await ids(project.uid)).toEqual(['own', 'deployer']);
    expect(await ids(other.uid)).toEqual(['deployer', 'others']);
    expect(await ids(null)).toEqual(['deployer']);
  });

  it('a change is visible on every server at the next call and increases the revision', async () => {
    const { registry, secondRegistry, store, ledger } = await createWorld(await open());
    const second = secondRegistry();
    const { uid, revision, nodes } = await ledger();
    expect((await second.ledgerByUid(uid))?.revision).toBe(revision);
    const node = await store.transaction((tx) => registry.addNode(tx, uid, { uri: 'http://second' }));
    const grown = await second.ledgerByUid(uid);
    expect(grown?.nodes.map(({ uri }) => uri)).toEqual(['http://127.0.0.1:8545', 'http://second']);
    expect(grown?.revision).toBeGreaterThan(revision);
    await store.transaction((tx) => registry.removeNode(tx, nodes[0]?.uid ?? ''));
    expect((await second.ledgerByUid(uid))?.nodes).toEqual([node]);
    const changed = await store.transaction((tx) =>
      second.updateLedger(tx, uid, { active: false, name: 'New', properties: { chain_id: 1337 } }),
    );
    expect(await registry.ledgerByUid(uid)).toEqual(changed);
    expect(changed).toMatchObject({ name: 'New', active: false, properties: { chain_id: 1337 } });
    expect(changed.revision).toBeGreaterThan(grown?.revision ?? Number.POSITIVE_INFINITY);
  });

  it('a change that is rolled back is never visible', async () => {
    const { registry, store, ledger } = await createWorld(await open());
    const record = await ledger();
    await failure(
      store.transaction(async (tx) => {
        await registry.updateLedger(tx, record.uid, { name: 'never' });
        throw new Error('stop');
      }),
    );
    expect(await registry.ledgerByUid(record.uid)).toEqual(record);
  });

  it('serves unchanged ledgers from memory, with one small read', async () => {
    const { registry, ledger } = await createWorld(await open());
    const { uid } = await ledger();
    const first = await registry.ledgerByUid(uid);
    const [again, once] = await Promise.all([registry.ledgerByUid(uid), registry.ledgerByUid(uid)]);
    expect(again).toBe(first);
    expect(once).toBe(first);
  });

  it('never changes the chain id of a ledger, but sets a missing chain id', async () => {
    const { registry, store, ledger } = await createWorld(await open());
    const bare = await ledger({ properties: {} });
    const named = await store.transaction((tx) =>
      registry.updateLedger(tx, bare.uid, { properties: { chain_id: 5 } }),
    );
    expect(named.properties).toEqual({ chain_id: 5 });
    for (const properties of [{ chain_id: 6 }, {}]) {
      expect(
        await failure(store.transaction((tx) => registry.updateLedger(tx, bare.uid, { properties }))),
      ).toMatchObject({ problem: 'conflict', errors: [{ pointer: '/properties/chain_id' }] });
    }
  });

  it('rejects existing, reserved and malformed ids', async () => {
    const { ledger } = await createWorld(await open());
    await ledger({ ledgerId: 'main', nodes: [{ nodeId: 'node', uri: 'http://a' }] });
    expect(await failure(ledger({ ledgerId: 'main' }))).toMatchObject({ problem: 'already-exists' });
    expect(
      await failure(ledger({ ledgerId: 'second', nodes: [{ nodeId: 'node', uri: 'http://b' }] })),
    ).toMatchObject({ problem: 'already-exists' });
    for (const ledgerId of ['featured', 'a b', '', '..', 'x'.repeat(65)]) {
      expect(await failure(ledger({ ledgerId }))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: '/ledgerId' }],
      });
    }
  });

  it('rejects a node with an invalid URI without repeating it', async () => {
    const { ledger } = await createWorld(await open());
    const error = await failure(ledger({ nodes: [{ uri: 'http://a' }, { uri: '//user:s3cret@host' }] }));
    expect(error).toMatchObject({ problem: 'invalid-request', errors: [{ pointer: '/nodes/1/uri' }] });
    expect(String(error)).not.toContain('s3cret');
  });

  it('rejects changes to missing ledgers and nodes', async () => {
    const { registry, store } = await createWorld(await open());
    const attempts: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => registry.updateLedger(tx, 'none', { name: 'x' }),
      (tx) => registry.addNode(tx, 'none', { uri: 'http://a' }),
      (tx) => registry.removeNode(tx, 'none'),
    ];
    for (const attempt of attempts) {
      expect(await failure(store.transaction(attempt))).toMatchObject({ problem: 'not-found' });
    }
  });
});

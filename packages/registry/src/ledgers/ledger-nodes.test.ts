import { randomBytes } from 'node:crypto';
import { createMasterKey, Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure } from '../../test/world.ts';
import { createRegistry } from '../create-registry.ts';
import { createTimeline } from '../timeline/timeline.ts';
import { createLedgerNodes } from './ledger-nodes.ts';
import type { LedgerInput, NodeProbe } from './types.ts';

const firstPage = { page: 0, size: 20, sort: [] };
const property = (name: string, value?: unknown) => ({ type: { name }, value });
const key = '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----';

describeStores('ledgers, nodes and explorers', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { store, auth, project, other } = world;
    const masterKey = createMasterKey(randomBytes(32));
    const asked: Parameters<NodeProbe>[] = [];
    const chain = {
      id: '1337' as string | null,
      problem: null as Problem | null,
      networks: [] as string[],
      expected: undefined as string | undefined,
    };
    let clock = 5_000;
    const now = () => {
      clock += 1;
      return clock;
    };
    const { ledgers, nodes, explorers } = createLedgerNodes({
      store,
      auth,
      now,
      masterKey,
      probe: async (...args) => {
        asked.push(args);
        if (chain.problem !== null) throw chain.problem;
        const network = chain.networks.shift();
        const { id, expected } = chain;
        return {
          chainId: network === undefined ? id : null,
          ...(network === undefined ? {} : { network }),
          ...(expected === undefined ? {} : { expected }),
        };
      },
    });
    const input: LedgerInput = {
      ledgerID: 'main',
      name: 'Main',
      ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
      properties: [property('chain_id', 1337), property('confirmations', 2)],
    };
    const me = await world.callerIn(project);
    return {
      ...world,
      ledgers,
      nodes,
      explorers,
      asked,
      chain,
      input,
      me,
      stranger: await world.callerIn(other),
      viewer: await world.callerIn(project, 'viewer'),
      admin: await world.deployer(),
      registry: createRegistry({ store, auth, now, masterKey }),
      add: (change: Partial<LedgerInput> = {}) => ledgers.create(me, { ...input, ...change }),
    };
  }

  it('answers a ledger in the shape of the interface', async () => {
    const { ledgers, me, add, project, registry } = await start();
    const made = await add();
    expect(made).toEqual({
      active: true,
      id: 1,
      ledgerID: 'main',
      ledgerTechnology: { id: 1, ledgerTechnologyID: 'ethereum', name: 'Ethereum' },
      name: 'Main',
      properties: [
        {
          id: 256 + 1,
          type: { id: 1, name: 'confirmations', scope: { id: 1, name: 'common' } },
          value: 2,
        },
        { id: 256 + 7, type: { id: 7, name: 'chain_id', scope: { id: 2, name: 'ethereum' } }, value: 1337 },
      ],
      resourceId: 'main',
      type: { name: 'blockchain' },
      projectId: project.projectId,
      featured: false,
    });
    expect(await ledgers.get(me, 'main')).toEqual(made);
    expect(await registry.ledgerByLedgerId('main', project.uid)).toMatchObject({
      properties: { chain_id: 1337, confirmations: 2 },
    });
  });

  it('keeps ids unique per project, and finds the own one first', async () => {
    const { ledgers, me, stranger, admin, add, input, registry, project, other } = await start();
    const mine = await add();
    expect(await failure(add())).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/ledgerID' }],
    });
    const theirs = await ledgers.create(stranger, input);
    const common = await ledgers.create(admin, { ...input, projectId: 'system' });
    expect(common.projectId).toBe('system');
    expect((await ledgers.get(me, 'main')).id).toBe(mine.id);
    expect((await ledgers.get(stranger, 'main')).id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', project.uid))?.id).toBe(mine.id);
    expect((await registry.ledgerByLedgerId('main', other.uid))?.id).toBe(theirs.id);
    expect((await registry.ledgerByLedgerId('main', 'none'))?.id).toBe(common.id);
    const results = await Promise.allSettled([add({ ledgerID: 'same' }), add({ ledgerID: 'same' })]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('lists active and featured ledgers of the project and the deployer, each to who may see them', async () => {
    const { ledgers, me, stranger, admin, add, input, project } = await start();
    await add({ ledgerID: 'a' });
    await add({ ledgerID: 'b', featured: true });
    await add({ ledgerID: 'c', active: false, featured: true });
    await ledgers.create(admin, { ...input, ledgerID: 'd', projectId: 'system', featured: true });
    const names = async (principal: typeof me, query: object = {}) => {
      const { items, total } = await ledgers.listActive(principal, { ...firstPage, ...query });
      return [items.map(({ ledgerID }) => ledgerID).join(), total];
    };
    expect(await names(me)).toEqual(['a,b,d', 3]);
    expect(await names(me, { size: 2, page: 1 })).toEqual(['d', 3]);
    expect(await names(me, { sort: [{ key: 'ledgerID', direction: 'desc' }] })).toEqual(['d,b,a', 3]);
    expect(await names(me, { resourceId: 'b' })).toEqual(['b', 1]);
    expect(await names(me, { resourceId: '' })).toEqual(['a,b,d', 3]);
    expect(await names(stranger)).toEqual(['d', 1]);
    expect(await names(stranger, { project: project.projectId })).toEqual(['d', 1]);
    expect(await names(stranger, { project: 'none' })).toEqual(['', 0]);
    const { items } = await ledgers.listFeatured(me, firstPage);
    expect(items.map(({ ledgerID }) => ledgerID)).toEqual(['b', 'd']);
    expect(await failure(names(me, { sort: [{ key: 'secrets', direction: 'asc' }] }))).toMatchObject({
      errors: [{ pointer: 'sort' }],
    });
  });

  it('asks for permission', async () => {
    const { ledgers, nodes, explorers, me, stranger, viewer, add, input } = await start();
    await add();
    expect(await failure(ledgers.create(viewer, input))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(ledgers.create(me, { ...input, projectId: 'system' }))).toMatchObject({
      problem: 'not-found',
    });
    expect(await failure(ledgers.get(stranger, 'main'))).toMatchObject({ problem: 'not-found' });
    expect(await failure(ledgers.update(viewer, 'main', {}))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(ledgers.delete(viewer, 'main'))).toMatchObject({ problem: 'not-permitted' });
    const node = { ledgerID: 'main', options: { uri: 'http://node' } };
    expect(await failure(nodes.create(viewer, node))).toMatchObject({ problem: 'not-permitted' });
    expect(await failure(nodes.create(stranger, node))).toMatchObject({
      problem: 'not-found',
      errors: [{ pointer: '/ledgerID' }],
    });
    const explorer = { ledgerID: 'main', name: 'x' };
    expect(await failure(explorers.create(viewer, explorer))).toMatchObject({ problem: 'not-permitted' });
    const made = await nodes.create(me, node);
    expect(await failure(nodes.get(stranger, made.nodeID))).toMatchObject({ problem: 'not-found' });
    expect(await failure(nodes.update(viewer, made.nodeID, { name: 'n' }))).toMatchObject({
      problem: 'not-permitted',
    });
  });

  it("shows nodes of the deployer's ledgers to nobody else", async () => {
    const { ledgers, nodes, me, admin, input } = await start();
    await ledgers.create(admin, { ...input, projectId: 'system' });
    const { nodeID } = await nodes.create(admin, {
      ledgerID: 'main',
      nodeID: 'n',
      options: { uri: 'http://node' },
    });
    expect((await nodes.list(admin, firstPage)).total).toBe(1);
    expect((await nodes.list(me, firstPage)).total).toBe(0);
    expect((await nodes.listOfLedger(me, 'main', firstPage)).total).toBe(0);
    expect(await failure(nodes.get(me, nodeID))).toMatchObject({ problem: 'not-found' });
    expect(await failure(nodes.defaultOf(me, 'main'))).toMatchObject({ problem: 'not-found' });
  });

  it('says where a property is wrong, without repeating secrets', async () => {
    const { add } = await start();
    const refused: [LedgerInput['properties'], string][] = [
      [[property('confirmations', 1), property('chain', 1)], '/properties'],
      [[property('confirmations', 0)], '/properties/0/value'],
      [[property('confirmations', 1), property('confirmations', 2)], '/properties/1/type/name'],
    ];
    for (const [properties, pointer] of refused) {
      const error = await failure(add({ properties: properties ?? [] }));
      expect(error).toMatchObject({ problem: 'invalid-request' });
      expect(error instanceof Problem && error.errors[0]?.pointer.startsWith(pointer)).toBe(true);
    }
    const fabric = { ledgerTechnologyID: 'hyperledger-fabric' };
    const error = await failure(
      add({ ledgerTechnology: fabric, properties: [property('tls_client_key', 'hunter2')] }),
    );
    expect(error).toMatchObject({ errors: [{ pointer: '/properties/0/value' }] });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    expect(await failure(add({ ledgerTechnology: { ledgerTechnologyID: 'none' } }))).toMatchObject({
      errors: [{ pointer: '/ledgerTechnology/ledgerTechnologyID' }],
    });
  });

  it('seals secret properties, hands them to the runtime, and never answers them', async () => {
    const { ledgers, me, add, store, registry, project } = await start();
    const made = await add({
      ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' },
      properties: [property('msp_id', 'Org1MSP'), property('tls_client_key', key)],
    });
    const shown = made.properties.find(({ type }) => type.name === 'tls_client_key');
    expect(shown).toMatchObject({ value: null });
    expect(JSON.stringify(made)).not.toContain('MIIsecret');
    const [row] = await store.read.db.select().from(store.read.t.ledger);
    expect(row?.properties).toBe('{"msp_id":"Org1MSP"}');
    expect(Buffer.from(row?.secrets ?? []).toString('latin1')).not.toContain('MIIsecret');
    const held = async () => (await registry.ledgerByLedgerId('main', project.uid))?.properties;
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    // Put back as it was read: the secret stays. Left out: it goes.
    await ledgers.update(me, 'main', { name: 'New', properties: made.properties });
    expect(await held()).toEqual({ msp_id: 'Org1MSP', tls_client_key: key });
    await ledgers.update(me, 'main', { properties: [property('msp_id', 'Org2MSP')] });
    expect(await held()).toEqual({ msp_id: 'Org2MSP' });
  });

  it('takes nodes of one network only, where there are no chain ids, and hands their properties to the runtime', async () => {
    const { nodes, me, add, chain, asked, registry, project } = await start();
    const ledgerTechnology = { ledgerTechnologyID: 'hyperledger-fabric' };
    const properties = [property('msp_id', 'Org1MSP'), property('tls_client_key', key)];
    const node = (uri: string) => ({ options: { uri }, properties });
    const several = [node('grpcs://peer0.org1:7051'), node('grpcs://peer1.org1:7051')];
    chain.networks = ['fabric:a', 'fabric:b'];
    expect(await failure(add({ ledgerTechnology, properties: [], nodes: several }))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/nodes/1/options/uri' }],
    });
    chain.networks = ['fabric:a', 'fabric:a', 'fabric:b', 'fabric:a'];
    await add({ ledgerTechnology, properties: [], nodes: several });
    chain.expected = 'fabric:a';
    const more = (uri: string) => nodes.create(me, { ledgerID: 'main', options: { uri } });
    expect(await failure(more('grpcs://peer.org9:7051'))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/options/uri' }],
    });
    const last = await more('grpcs://peer0.org2:7051');
    expect(last.uri).toBe('grpcs://peer0.org2:7051');
    const record = await registry.ledgerByLedgerId('main', project.uid);
    expect(record?.nodes.map(({ uri, properties: its }) => [uri, its])).toEqual([
      ['grpcs://peer0.org1:7051', { msp_id: 'Org1MSP', tls_client_key: key }],
      ['grpcs://peer1.org1:7051', { msp_id: 'Org1MSP', tls_client_key: key }],
      ['grpcs://peer0.org2:7051', {}],
    ]);
    expect(asked.at(-1)?.[0]).toMatchObject({ ledgerId: 'main', uid: record?.uid });
  });

  it('updates what is given, and never the chain', async () => {
    const { ledgers, me, add } = await start();
    await add();
    expect(
      await ledgers.update(me, 'main', {
        name: 'New',
        active: false,
        featured: true,
        type: { name: 'test' },
      }),
    ).toMatchObject({ name: 'New', active: false, featured: true, type: { name: 'test' } });
    expect((await ledgers.listActive(me, firstPage)).total).toBe(0);
    const other = [property('confirmations', 1), property('chain_id', 5)];
    expect(await failure(ledgers.update(me, 'main', { properties: other }))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/properties/1/value' }],
    });
    expect(await failure(ledgers.update(me, 'main', { name: '' }))).toMatchObject({
      errors: [{ pointer: '/name' }],
    });
  });

  it('takes nodes that report the chain of the ledger, and asks them before anything is written', async () => {
    const { nodes, me, add, asked, chain, registry, project, store } = await start();
    await add();
    const node = {
      ledgerID: 'main',
      nodeID: 'n',
      client: 'geth',
      options: { uri: 'https://user:hunter2@node.example:8545/v3/apikey?x=1' },
      properties: [property('admin', true), property('authorization', 'Bearer hunter2')],
    };
    const made = await nodes.create(me, node);
    expect(made).toEqual({
      client: 'geth',
      id: 1,
      name: 'n',
      nodeID: 'n',
      properties: [
        { id: 257, type: { id: 1, name: 'admin' }, value: true },
        { id: 256 + 7, type: { id: 7, name: 'authorization' }, value: null },
      ],
      resourceId: 'n',
      uri: 'https://node.example:8545/…',
      ledgerID: 'main',
    });
    expect(asked).toEqual([
      [
        {
          ...{ uid: expect.any(String), ledgerId: 'main', projectUid: project.uid, technology: 'ethereum' },
          properties: { chain_id: 1337, confirmations: 2 },
        },
        { uri: node.options.uri, properties: { admin: true, authorization: 'Bearer hunter2' } },
      ],
    ]);
    const known = async () => (await registry.ledgerByLedgerId('main', project.uid))?.nodes;
    expect((await known())?.map(({ uri }) => uri)).toEqual([node.options.uri]);
    const [stored] = await store.read.db.select().from(store.read.t.node);
    expect(stored?.uri).toBe('https://node.example:8545/…');
    expect(Buffer.from(stored?.secrets ?? []).toString('latin1')).not.toMatch(/hunter2|apikey/);
    chain.id = '5';
    const error = await failure(nodes.create(me, { ...node, nodeID: 'm' }));
    expect(error).toMatchObject({ problem: 'conflict', errors: [{ pointer: '/options/uri' }] });
    expect(String(error)).toContain('chain 5');
    chain.problem = new Problem('ledger-unavailable', 'no answer');
    expect(await failure(nodes.create(me, { ...node, nodeID: 'm' }))).toBe(chain.problem);
    expect(await known()).toHaveLength(1);
    chain.problem = null;
    chain.id = '0x539';
    expect(await failure(nodes.create(me, node))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/nodeID' }],
    });
    const bad = await failure(nodes.create(me, { ...node, options: { uri: 'hunter2' } }));
    expect(bad).toMatchObject({ errors: [{ pointer: '/options/uri' }] });
    expect(String(bad)).not.toContain('hunter2');
  });

  it('learns the chain of a ledger from its first node, and begins with nodes', async () => {
    const { nodes, me, add, chain } = await start();
    const made = await add({
      properties: [],
      nodes: [{ nodeID: 'a', options: { uri: 'http://a' } }, { options: { uri: 'http://b' } }],
    });
    expect(made.properties).toMatchObject([{ type: { name: 'chain_id' }, value: 1337 }]);
    expect((await nodes.listOfLedger(me, 'main', firstPage)).items.map(({ uri }) => uri)).toEqual([
      'http://a',
      'http://b',
    ]);
    await add({ ledgerID: 'late', properties: [] });
    await nodes.create(me, { ledgerID: 'late', options: { uri: 'http://c' } });
    chain.id = '1';
    expect(await failure(nodes.create(me, { ledgerID: 'late', options: { uri: 'http://d' } }))).toMatchObject(
      { problem: 'conflict' },
    );
    expect(
      await failure(
        add({ ledgerID: 'x', properties: [], nodes: [{ nodeID: 'a', options: { uri: 'http://a' } }] }),
      ),
    ).toMatchObject({ problem: 'already-exists', errors: [{ pointer: '/nodes/0/nodeID' }] });
  });

  it('has a default node, which can change; changes raise the revision of the ledger', async () => {
    const { nodes, me, add, registry, project, asked } = await start();
    await add({
      nodes: [
        { nodeID: 'a', options: { uri: 'http://a/path' } },
        { nodeID: 'b', options: { uri: 'http://b' } },
      ],
    });
    expect((await nodes.defaultOf(me, 'main')).nodeID).toBe('a');
    const before = (await registry.ledgerByLedgerId('main', project.uid))?.revision ?? 0;
    expect(await nodes.update(me, 'b', { default: true, client: 'besu' })).toMatchObject({ client: 'besu' });
    expect((await nodes.defaultOf(me, 'main')).nodeID).toBe('b');
    expect((await registry.ledgerByLedgerId('main', project.uid))?.revision).toBeGreaterThan(before);
    // Put back as it was read: the hidden part of the address stays, and nobody is asked.
    const calls = asked.length;
    const read = await nodes.get(me, 'a');
    await nodes.update(me, 'a', { ...read, options: null });
    expect((await registry.ledgerByLedgerId('main', project.uid))?.nodes[1]?.uri).toBe('http://a/path');
    expect(asked).toHaveLength(calls);
    await nodes.update(me, 'a', { options: { uri: 'http://elsewhere' } });
    expect(asked).toHaveLength(calls + 1);
    expect((await nodes.get(me, 'a')).uri).toBe('http://elsewhere');
  });

  it('keeps secrets of nodes that are put back without values', async () => {
    const { nodes, me, add, store } = await start();
    await add();
    const { nodeID } = await nodes.create(me, {
      ledgerID: 'main',
      options: { uri: 'http://a' },
      properties: [property('authorization', 'hunter2')],
    });
    const read = await nodes.get(me, nodeID);
    expect(await nodes.update(me, nodeID, { properties: read.properties })).toEqual(read);
    expect((await nodes.update(me, nodeID, { properties: [] })).properties).toEqual([]);
    const [row] = await store.read.db.select().from(store.read.t.node);
    expect(row?.secrets).toBeNull();
    expect(
      await failure(nodes.update(me, nodeID, { properties: [property('authorization', null)] })),
    ).toMatchObject({ errors: [{ pointer: '/properties/0/value' }] });
  });

  it('refuses to delete what is in use, and says by what', async () => {
    const { ledgers, nodes, explorers, me, add, store, project, auth } = await start();
    await add({ nodes: [{ nodeID: 'a', options: { uri: 'http://a' } }] });
    const { explorerID } = await explorers.create(me, { ledgerID: 'main', nodeID: 'a', name: 'x' });
    const [row] = await store.read.db.select().from(store.read.t.ledger);
    const ledgerUid = row?.uid ?? '';
    await store.transaction((tx) =>
      tx.db.insert(tx.t.wallet).values({
        ...{ uid: 'w', projectId: project.uid, walletId: 'w', ledgerUid, ledgerId: 'main', chainId: '1' },
        ...{ address: '0x', material: null, keyType: 'secp256k1', publicKey: Buffer.of(1), kdf: '{}' },
        ...{ sealedSecret: Buffer.of(1), sealedDataKey: Buffer.of(1), keyVersion: 1, createdBy: 'me' },
        ...{ createdAt: 1, updatedAt: 1 },
      }),
    );
    expect(await failure(ledgers.delete(me, 'main'))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 wallet', '1 explorer'] },
    });
    expect(await failure(nodes.delete(me, 'a'))).toMatchObject({
      problem: 'in-use',
      extensions: { usedBy: ['1 explorer', '1 wallet of the ledger main, whose last node it is'] },
    });
    await explorers.delete(me, explorerID);
    await nodes.create(me, { ledgerID: 'main', nodeID: 'b', options: { uri: 'http://b' } });
    await nodes.delete(me, 'a');
    expect((await nodes.defaultOf(me, 'main')).nodeID).toBe('b');
    await store.transaction((tx) => tx.db.delete(tx.t.wallet));
    await ledgers.delete(me, 'main');
    expect(await failure(ledgers.get(me, 'main'))).toMatchObject({ problem: 'not-found' });
    expect(await store.read.db.select().from(store.read.t.node)).toEqual([]);
    expect((await auth.decide(me, ['ledger:read'], ledgerUid)).result).toBe(false);
  });

  it('answers explorers in the shape of the interface, with links that lead to transactions', async () => {
    const { explorers, me, stranger, admin, add, ledgers, input, project, other, ...world } = await start();
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
    const { explorers, me, add } = await start();
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

  it('keeps answers for Idempotency-Keys, and writes changes to the timeline', async () => {
    const { ledgers, nodes, me, input, store, add } = await start();
    const claim = { scope: 's', key: 'k', fingerprint: 'f' };
    const made = await ledgers.create(me, input, claim);
    const [row] = await store.read.db.select().from(store.read.t.idempotency);
    expect(JSON.parse(row?.body ?? '')).toEqual(made);
    expect(await failure(ledgers.create(me, { ...input, ledgerID: 'two' }, claim))).toMatchObject({
      problem: 'conflict',
    });
    await nodes.create(me, { ledgerID: 'main', nodeID: 'n', options: { uri: 'http://n' } });
    await nodes.delete(me, 'n');
    await add({ ledgerID: 'other' });
    await ledgers.delete(me, 'main');
    const timeline = createTimeline({ store });
    const of = async (id: string) => (await timeline.byResource(me, id)).map(({ action }) => action);
    expect(await of('main')).toEqual(['create', 'delete']);
    expect(await of('n')).toEqual(['create', 'delete']);
  });
});

import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerServices, firstPage } from '../../../test/ledger-services.ts';
import { failure } from '../../../test/world.ts';

const key = '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----';

describeStores('node operations', (open) => {
  it("hides nodes of the deployer's ledgers from projects", async () => {
    const { ledgers, nodes, me, admin, input } = await createLedgerServices(await open());
    await ledgers.create(admin, { ...input, projectId: 'system' });
    const { nodeId } = await nodes.create(admin, {
      ledgerId: 'main',
      nodeId: 'n',
      uri: 'http://node',
    });
    expect((await nodes.list(admin, firstPage)).total).toBe(1);
    expect((await nodes.list(me, firstPage)).total).toBe(0);
    expect((await nodes.listOfLedger(me, 'main', firstPage)).total).toBe(0);
    expect(await failure(nodes.get(me, nodeId))).toMatchObject({ problem: 'not-found' });
    expect(await failure(nodes.defaultOf(me, 'main'))).toMatchObject({ problem: 'not-found' });
  });

  it('on ledgers without a chain id, accepts only nodes of the same network, and passes node properties to the runtime', async () => {
    const { nodes, me, add, chain, asked, registry, project } = await createLedgerServices(await open());
    const technology = 'hyperledger-fabric';
    const properties = { msp_id: 'Org1MSP', tls_client_key: key };
    const node = (uri: string) => ({ uri, properties });
    const several = [node('grpcs://peer0.org1:7051'), node('grpcs://peer1.org1:7051')];
    chain.networks = ['fabric:a', 'fabric:b'];
    expect(await failure(add({ technology, properties: {}, nodes: several }))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/nodes/1/uri' }],
    });
    chain.networks = ['fabric:a', 'fabric:a', 'fabric:b', 'fabric:a'];
    await add({ technology, properties: {}, nodes: several });
    chain.expected = 'fabric:a';
    const more = (uri: string) => nodes.create(me, { ledgerId: 'main', uri });
    expect(await failure(more('grpcs://peer.org9:7051'))).toMatchObject({
      problem: 'conflict',
      errors: [{ pointer: '/uri' }],
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

  it('queries a node before writing it, and accepts only nodes on the chain of the ledger', async () => {
    const { nodes, me, add, asked, chain, registry, project, store } = await createLedgerServices(
      await open(),
    );
    await add();
    const node = {
      ledgerId: 'main',
      nodeId: 'n',
      client: 'geth',
      uri: 'https://user:hunter2@node.example:8545/v3/apikey?x=1',
      properties: { admin: true, authorization: 'Bearer hunter2' },
    };
    const made = await nodes.create(me, node);
    expect(made).toEqual({
      id: 1,
      nodeId: 'n',
      ledgerId: 'main',
      name: 'n',
      client: 'geth',
      uri: 'https://node.example:8545/…',
      properties: { admin: true, authorization: null },
    });
    expect(asked).toEqual([
      [
        {
          // The probe does not receive the ledger's uid, because the ledger has no other node to
          // compare with.
          ledgerId: 'main',
          projectUid: project.uid,
          technology: 'ethereum',
          hasChainId: true,
          properties: { chain_id: 1337, confirmations: 2 },
        },
        {
          // Errors name the node by its host, without the secret parts of its address.
          nodeId: 'node.example:8545',
          uri: node.uri,
          properties: { admin: true, authorization: 'Bearer hunter2' },
        },
      ],
    ]);
    const known = async () => (await registry.ledgerByLedgerId('main', project.uid))?.nodes;
    expect((await known())?.map(({ uri }) => uri)).toEqual([node.uri]);
    const [stored] = await store.read.db.select().from(store.read.t.node);
    expect(stored?.uri).toBe('https://node.example:8545/…');
    expect(Buffer.from(stored?.secrets ?? []).toString('latin1')).not.toMatch(/hunter2|apikey/);
    chain.id = '5';
    const error = await failure(nodes.create(me, { ...node, nodeId: 'm' }));
    expect(error).toMatchObject({ problem: 'conflict', errors: [{ pointer: '/uri' }] });
    expect(String(error)).toContain('chain 5');
    chain.problem = new Problem('ledger-unavailable', 'no answer');
    expect(await failure(nodes.create(me, { ...node, nodeId: 'm' }))).toBe(chain.problem);
    expect(await known()).toHaveLength(1);
    chain.problem = null;
    chain.id = '0x539';
    expect(await failure(nodes.create(me, node))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/nodeId' }],
    });
    const bad = await failure(nodes.create(me, { ...node, uri: 'hunter2' }));
    expect(bad).toMatchObject({ errors: [{ pointer: '/uri' }] });
    expect(String(bad)).not.toContain('hunter2');
  });

  it('sets the chain of a ledger from its first node, and creates a ledger with nodes', async () => {
    const { nodes, me, add, chain } = await createLedgerServices(await open());
    const made = await add({
      properties: {},
      nodes: [{ nodeId: 'a', uri: 'http://a' }, { uri: 'http://b' }],
    });
    expect(made.properties).toEqual({ chain_id: 1337 });
    expect((await nodes.listOfLedger(me, 'main', firstPage)).items.map(({ uri }) => uri)).toEqual([
      'http://a',
      'http://b',
    ]);
    await add({ ledgerId: 'late', properties: {} });
    await nodes.create(me, { ledgerId: 'late', uri: 'http://c' });
    chain.id = '1';
    expect(await failure(nodes.create(me, { ledgerId: 'late', uri: 'http://d' }))).toMatchObject({
      problem: 'conflict',
    });
    expect(
      await failure(add({ ledgerId: 'x', properties: {}, nodes: [{ nodeId: 'a', uri: 'http://a' }] })),
    ).toMatchObject({ problem: 'already-exists', errors: [{ pointer: '/nodes/0/nodeId' }] });
  });

  it('changing the default node of a ledger increases the ledger’s revision', async () => {
    const { nodes, me, add, registry, project, asked } = await createLedgerServices(await open());
    await add({
      nodes: [
        { nodeId: 'a', uri: 'http://a/path' },
        { nodeId: 'b', uri: 'http://b' },
      ],
    });
    expect((await nodes.defaultOf(me, 'main')).nodeId).toBe('a');
    const before = (await registry.ledgerByLedgerId('main', project.uid))?.revision ?? 0;
    expect(await nodes.update(me, 'b', { default: true, client: 'besu' })).toMatchObject({ client: 'besu' });
    expect((await nodes.defaultOf(me, 'main')).nodeId).toBe('b');
    expect((await registry.ledgerByLedgerId('main', project.uid))?.revision).toBeGreaterThan(before);
    // An address that is sent as it was read keeps its hidden part, and the node is not queried.
    const calls = asked.length;
    const read = await nodes.get(me, 'a');
    await nodes.update(me, 'a', read);
    expect((await registry.ledgerByLedgerId('main', project.uid))?.nodes[1]?.uri).toBe('http://a/path');
    expect(asked).toHaveLength(calls);
    await nodes.update(me, 'a', { uri: 'http://elsewhere' });
    expect(asked).toHaveLength(calls + 1);
    expect((await nodes.get(me, 'a')).uri).toBe('http://elsewhere');
  });

  it('a node update without the values of its secrets keeps the secrets', async () => {
    const { nodes, me, add, store } = await createLedgerServices(await open());
    await add();
    const { nodeId } = await nodes.create(me, {
      ledgerId: 'main',
      uri: 'http://a',
      properties: { authorization: 'hunter2' },
    });
    const read = await nodes.get(me, nodeId);
    expect(await nodes.update(me, nodeId, { properties: read.properties })).toEqual(read);
    expect((await nodes.update(me, nodeId, { properties: {} })).properties).toEqual({});
    const [row] = await store.read.db.select().from(store.read.t.node);
    expect(row?.secrets).toBeNull();
    expect(await failure(nodes.update(me, nodeId, { properties: { authorization: null } }))).toMatchObject({
      errors: [{ pointer: '/properties/authorization' }],
    });
  });

  it('rejects the second of two concurrent changes of a node instead of merging them', async () => {
    const { nodes, me, add, chain, registry, project } = await createLedgerServices(await open());
    await add();
    const { nodeId } = await nodes.create(me, {
      ledgerId: 'main',
      uri: 'http://a',
      properties: { authorization: 'hunter2' },
    });
    chain.meanwhile = () => nodes.update(me, nodeId, { properties: { tls_server_name: 'b' } });
    const again = { uri: 'http://b', properties: { authorization: 'other' } };
    expect(await failure(nodes.update(me, nodeId, again))).toMatchObject({ problem: 'conflict' });
    expect((await registry.ledgerByLedgerId('main', project.uid))?.nodes).toMatchObject([
      { uri: 'http://a', properties: { tls_server_name: 'b' } },
    ]);
  });

  it("does not send secrets to a node's new address unless they are given again", async () => {
    const { nodes, me, add, asked } = await createLedgerServices(await open());
    await add();
    const { nodeId } = await nodes.create(me, {
      ledgerId: 'main',
      uri: 'http://a',
      properties: { authorization: 'hunter2' },
    });
    const calls = asked.length;
    for (const properties of [undefined, { authorization: undefined }]) {
      const moved = { uri: 'http://elsewhere', ...(properties ? { properties } : {}) };
      expect(await failure(nodes.update(me, nodeId, moved))).toMatchObject({ problem: 'invalid-request' });
    }
    expect(asked).toHaveLength(calls);
  });
});

import { Problem } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createLedgerGround, firstPage, property } from '../../../test/ledger-ground.ts';
import { failure } from '../../../test/world.ts';
import { stableNumber } from '../../stable-number.ts';

const key = '-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----';

describeStores('nodes', (open) => {
  it("shows nodes of the deployer's ledgers to nobody else", async () => {
    const { ledgers, nodes, me, admin, input } = await createLedgerGround(await open());
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

  it('takes nodes of one network only, where there are no chain ids, and hands their properties to the runtime', async () => {
    const { nodes, me, add, chain, asked, registry, project } = await createLedgerGround(await open());
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

  it('takes nodes that report the chain of the ledger, and asks them before anything is written', async () => {
    const { nodes, me, add, asked, chain, registry, project, store } = await createLedgerGround(await open());
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
        { id: stableNumber('1/admin'), type: { id: stableNumber('admin'), name: 'admin' }, value: true },
        {
          id: stableNumber('1/authorization'),
          type: { id: stableNumber('authorization'), name: 'authorization' },
          value: null,
        },
      ],
      resourceId: 'n',
      uri: 'https://node.example:8545/…',
      ledgerID: 'main',
    });
    expect(asked).toEqual([
      [
        {
          ...{ uid: expect.any(String), ledgerId: 'main', projectUid: project.uid, technology: 'ethereum' },
          hasChainId: true,
          properties: { chain_id: 1337, confirmations: 2 },
        },
        {
          // As refusals call it: nothing of what is secret in its address.
          nodeId: 'node.example:8545',
          uri: node.options.uri,
          properties: { admin: true, authorization: 'Bearer hunter2' },
        },
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
    const { nodes, me, add, chain } = await createLedgerGround(await open());
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
    const { nodes, me, add, registry, project, asked } = await createLedgerGround(await open());
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
    const { nodes, me, add, store } = await createLedgerGround(await open());
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

  it('does not mix what two changes at once bring: the second one is refused', async () => {
    const { nodes, me, add, chain, registry, project } = await createLedgerGround(await open());
    await add();
    const { nodeID } = await nodes.create(me, {
      ledgerID: 'main',
      options: { uri: 'http://a' },
      properties: [property('authorization', 'hunter2')],
    });
    chain.meanwhile = () => nodes.update(me, nodeID, { properties: [property('tls_server_name', 'b')] });
    const again = { options: { uri: 'http://b' }, properties: [property('authorization', 'other')] };
    expect(await failure(nodes.update(me, nodeID, again))).toMatchObject({ problem: 'conflict' });
    expect((await registry.ledgerByLedgerId('main', project.uid))?.nodes).toMatchObject([
      { uri: 'http://a', properties: { tls_server_name: 'b' } },
    ]);
  });

  it('does not ask a node elsewhere with secrets that were not given for it', async () => {
    const { nodes, me, add, asked } = await createLedgerGround(await open());
    await add();
    const { nodeID } = await nodes.create(me, {
      ledgerID: 'main',
      options: { uri: 'http://a' },
      properties: [property('authorization', 'hunter2')],
    });
    const calls = asked.length;
    for (const properties of [undefined, [property('authorization')]]) {
      const moved = { options: { uri: 'http://elsewhere' }, ...(properties ? { properties } : {}) };
      expect(await failure(nodes.update(me, nodeID, moved))).toMatchObject({ problem: 'invalid-request' });
    }
    expect(asked).toHaveLength(calls);
  });
});

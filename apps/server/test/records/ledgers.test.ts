// Ledgers, nodes and explorers over HTTP, on both databases.
import type { PageBody, ProblemDocument } from '@ledger-ops/base';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { startPassing } from '../operations/passing-node.ts';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const password = 'correct horse battery staple';
const to = '0x00000000000000000000000000000000000000aa';
const property = (name: string, value?: unknown) => ({ type: { name }, value });
const ethereum = { ledgerTechnologyID: 'ethereum' };

interface LedgerBody {
  ledgerID: string;
  properties: { type: { name: string }; value: unknown }[];
}

let second: Anvil;
let postgres: PostgresCluster;
beforeAll(async () => {
  [second, postgres] = await Promise.all([startAnvil({ chainId: 31_338 }), openPostgres()]);
});
afterAll(async () => {
  await second?.stop();
  await postgres?.stop();
});

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  let here: Installation;
  let tenant: Tenant;
  let stranger: Tenant;
  let api: Api;
  beforeAll(async () => {
    here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() }, [
      fabricAdapter,
    ]);
    tenant = await addTenant(here.url, here.administrator, 'own');
    stranger = await addTenant(here.url, here.administrator, 'other');
    api = tenant.api;
  });
  afterAll(() => here?.close());

  const newLedger = async (ledgerID: string, more: Record<string, unknown> = {}) =>
    await api.expect<LedgerBody>(201, 'POST', '/v1/ledgers', {
      ...{ ledgerID, name: ledgerID, ledgerTechnology: ethereum },
      properties: [property('polling_interval', 50), property('development', true)],
      ...more,
    });
  const refusal = async (method: string, path: string, body?: unknown) => {
    const { status, body: problem } = await api.call<Partial<ProblemDocument>>(method, path, body);
    const pointers = problem.errors?.map(({ pointer }) => pointer);
    return { status, detail: problem.detail ?? '', pointers, problem };
  };

  test('a ledger with nodes and a wallet can be created over HTTP, and a second node is used if the first one is down', async () => {
    const passing = await startPassing(second.url);
    try {
      await newLedger('second');
      const node = { nodeID: 'passing', ledgerID: 'second', options: { uri: passing.url } };
      await api.expect(201, 'POST', '/v1/nodes', node);
      const { walletAddress } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
        ...{ walletId: 'traveller', ledgerId: 'second', pluginParameters: { walletPassword: password } },
      });
      await second.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
      const send = async () =>
        await ended(
          api,
          (await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('traveller', to))).actionId ??
            '',
        );
      expect(await send()).toMatchObject({ status: 'SUCCEEDED', ledgerId: 'second' });
      await api.expect(201, 'POST', '/v1/nodes', { ledgerID: 'second', options: { uri: second.url } });
      await passing.stop();
      expect(await send()).toMatchObject({ status: 'SUCCEEDED', ledgerId: 'second' });
    } finally {
      await passing.stop();
    }
  });

  test('a node on another chain is refused, and the error names both chains', async () => {
    await newLedger('strict', { properties: [property('chain_id', 31_337)] });
    const body = { ledgerID: 'strict', options: { uri: second.url } };
    const refused = await refusal('POST', '/v1/nodes', body);
    expect(refused).toMatchObject({ status: 409, pointers: ['/options/uri'] });
    expect(refused.detail).toContain('the node is on chain 31338, but the ledger is on chain 31337');
    const nodes = [{ options: { uri: here.anvil.url } }, { options: { uri: second.url } }];
    const whole = { name: 'x', ledgerTechnology: ethereum, nodes };
    expect(await refusal('POST', '/v1/ledgers', whole)).toMatchObject({
      ...{ status: 409, pointers: ['/nodes/1/options/uri'] },
    });
    const down = { ledgerID: 'strict', options: { uri: 'http://127.0.0.1:9' } };
    expect(await refusal('POST', '/v1/nodes', down)).toMatchObject({ status: 503 });
  });

  test('a ledger’s chain is read from its nodes, and a ledger can be updated with the record that was returned', async () => {
    const made = await newLedger('learning', { nodes: [{ nodeID: 'one', options: { uri: second.url } }] });
    expect(made).toMatchObject({ ledgerID: 'learning', active: true, featured: false });
    const chain = made.properties.find(({ type }) => type.name === 'chain_id');
    expect(chain?.value).toBe(31_338);
    expect(await api.expect(200, 'PUT', '/v1/ledgers/learning', made)).toEqual(made);
    const node = await api.expect(200, 'GET', '/v1/nodes/ledgers/learning/default');
    expect(node).toMatchObject({ nodeID: 'one', ledgerID: 'learning', uri: second.url });
    expect(await api.expect(200, 'PUT', '/v1/nodes/one', node)).toEqual(node);
    const change = { properties: [property('chain_id', 5)] };
    expect(await refusal('PUT', '/v1/ledgers/learning', change)).toMatchObject({ status: 409 });
  });

  test('secrets of ledgers and nodes can be written but never read', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIhidden\n-----END PRIVATE KEY-----';
    await newLedger('fabric', {
      ledgerTechnology: { ledgerTechnologyID: 'hyperledger-fabric' },
      properties: [property('msp_id', 'Org1MSP'), property('tls_client_key', key)],
    });
    await newLedger('hosted-chain');
    const { host } = new URL(second.url);
    const hosted = {
      ...{ nodeID: 'hosted', ledgerID: 'hosted-chain' },
      options: { uri: `http://hidden-user:hidden-word@${host}/?key=hidden-key` },
      properties: [property('role', 'rpc'), property('authorization', 'Bearer hidden-token')],
    };
    const node = await api.expect(201, 'POST', '/v1/nodes', hosted);
    expect(node).toMatchObject({ uri: `http://${host}/…` });
    for (const path of [
      '/v1/ledgers?size=100',
      '/v1/ledgers/fabric',
      '/v1/nodes?size=100',
      '/v1/nodes/hosted',
    ]) {
      const { text } = await api.call('GET', path);
      expect([path, text.includes('hidden')]).toEqual([path, false]);
    }
    expect(node.properties).toMatchObject([
      { value: 'rpc' },
      { type: { name: 'authorization' }, value: null },
    ]);
    expect(await api.expect(200, 'PUT', '/v1/nodes/hosted', node)).toEqual(node);
  });

  test('the lists of all and of featured ledgers contain only active ledgers', async () => {
    await newLedger('shown', { featured: true });
    await newLedger('resting', { active: false, featured: true });
    const names = async (path: string) => {
      const { pageContent } = await api.expect<PageBody<LedgerBody>>(200, 'GET', path);
      return pageContent.map(({ ledgerID }) => ledgerID);
    };
    expect(await names('/v1/ledgers/featured')).toEqual(['shown']);
    expect(await names('/v1/ledgers?sort=ledgerID,desc')).not.toContain('resting');
    expect(await names('/v1/ledgers?resourceId=shown')).toEqual(['shown']);
    expect(await names('/v1/ledgers?resourceId=nothing')).toEqual([]);
    // The same response as for an unknown project.
    expect(await names(`/v1/ledgers?project=${stranger.projectId}`)).toEqual([]);
    await api.expect(200, 'PUT', '/v1/ledgers/resting', { active: true });
    expect(await names('/v1/ledgers/featured?sort=name')).toEqual(['resting', 'shown']);
  });

  test('a ledger or node that is in use cannot be deleted, and the error lists the records that use it', async () => {
    await newLedger('used', { nodes: [{ nodeID: 'last', options: { uri: second.url } }] });
    await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: 'holder', ledgerId: 'used', pluginParameters: { walletPassword: password } },
    });
    const explorer = { explorerID: 'watcher', ledgerID: 'used', nodeID: 'last', name: 'Watcher' };
    await api.expect(201, 'POST', '/v1/explorers', explorer);
    const ledger = await refusal('DELETE', '/v1/ledgers/used');
    expect(ledger.status).toBe(409);
    expect(ledger.problem).toMatchObject({ usedBy: ['1 wallet', '1 explorer'] });
    const node = await refusal('DELETE', '/v1/nodes/last');
    expect(node.problem).toMatchObject({
      ...{ status: 409, usedBy: ['1 explorer', '1 wallet of the ledger used, which has no other node'] },
    });
    expect((await api.call('DELETE', '/v1/explorers/watcher')).status).toBe(204);
    await newLedger('unused', { nodes: [{ options: { uri: second.url } }] });
    expect((await api.call('DELETE', '/v1/ledgers/unused')).status).toBe(204);
    expect((await api.call('GET', '/v1/ledgers/unused')).status).toBe(404);
  });

  test('an action of a ledger with an explorer links to its transaction’s page', async () => {
    await addWallet(here, tenant, 'looked-at');
    const made = await api.expect(201, 'POST', '/v1/explorers', {
      ...{ explorerID: 'scan', ledgerID: 'chain', name: 'Scan' },
      implementations: [
        {
          type: { name: 'external-explorer' },
          properties: [property('transaction_url', 'https://scan.example/tx/{locator}?from=us')],
        },
      ],
    });
    expect(await api.expect(200, 'GET', '/v1/explorers/ledgers/chain/default')).toEqual(made);
    expect(await api.expect(200, 'PUT', '/v1/explorers/scan', made)).toEqual(made);
    const { actionId = '' } = await api.expect(
      ...([201, 'POST', '/v1/ledger-ops/send', transferBody('looked-at', to)] as const),
    );
    const action = await ended(api, actionId);
    expect(action.explorerUrl).toBe(`https://scan.example/tx/${action.locator}?from=us`);
    await api.expect(200, 'PUT', '/v1/explorers/scan', { implementations: [] });
    const { explorerUrl } = await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);
    expect(explorerUrl).toBeUndefined();
    await api.call('DELETE', '/v1/explorers/scan');
    expect((await api.call('GET', '/v1/explorers/ledgers/chain/default')).status).toBe(404);
  });

  test.each([
    ['/v1/ledgers', ['id', 'ledgerID', 'name', 'resourceId', 'active']],
    ['/v1/ledgers/featured', ['id', 'ledgerID', 'name', 'resourceId', 'active']],
    ['/v1/nodes', ['id', 'nodeID', 'name', 'client', 'resourceId']],
    ['/v1/nodes/ledgers/learning', ['id', 'nodeID', 'name', 'client', 'resourceId']],
    ['/v1/explorers', ['id', 'explorerID', 'name', 'resourceId']],
  ])('%s returns correct pages of every size', async (path, keys) => {
    for (const [name, value] of [
      ['size', '4'],
      ['size', '101'],
      ['size', 'x'],
      ['size', ''],
      ['page', '-1'],
      ['page', '1.5'],
      ['page', '9999999999'],
      ['sort', 'properties'],
      ['sort', 'id,up'],
      ['sort', 'asc'],
      ['sort', 'id,id'],
      ['sort', 'id,asc,desc'],
    ] as const) {
      const refused = await refusal('GET', `${path}?${new URLSearchParams({ [name]: value })}`);
      expect([name, value, refused.status, refused.pointers]).toEqual([name, value, 400, [name]]);
    }
    const all = await api.expect(200, 'GET', `${path}?size=100`);
    for (const key of keys) {
      const sorted = async (direction: string) => {
        const query = `size=100&sort=${key},${direction}`;
        const { pageContent } = await api.expect<PageBody<{ id: number }>>(200, 'GET', `${path}?${query}`);
        return pageContent.map(({ id }) => id);
      };
      expect(await sorted('asc')).toHaveLength(Number(all.totalElements));
      expect((await sorted('desc')).toSorted()).toEqual((await sorted('asc')).toSorted());
    }
    expect(await api.expect(200, 'GET', `${path}?size=5&page=999999999`)).toMatchObject({
      ...{ pageElements: 0, pageContent: [], pageNumber: 999_999_999 },
      totalElements: all.totalElements,
    });
  });

  test('invalid ledgers, nodes and explorers are refused with a pointer to each fault', async () => {
    const base = { name: 'x', ledgerTechnology: ethereum };
    const bad: [string, string, unknown, number, string][] = [
      ['POST', '/v1/ledgers', { name: 'x' }, 400, '/ledgerTechnology'],
      [
        'POST',
        '/v1/ledgers',
        { ...base, ledgerTechnology: { ledgerTechnologyID: 'x' } },
        422,
        '/ledgerTechnology/ledgerTechnologyID',
      ],
      ['POST', '/v1/ledgers', { ...base, ledgerID: 'a b' }, 400, '/ledgerID'],
      ['POST', '/v1/ledgers', { ...base, ledgerID: 'learning' }, 409, '/ledgerID'],
      [
        'POST',
        '/v1/ledgers',
        { ...base, properties: [property('chain_id', -1)] },
        400,
        '/properties/0/value',
      ],
      [
        'POST',
        '/v1/ledgers',
        { ...base, properties: [property('unheard_of', 1)] },
        400,
        '/properties/0/value',
      ],
      [
        'POST',
        '/v1/ledgers',
        { ...base, properties: [property('confirmations', 1), property('confirmations', 1)] },
        400,
        '/properties/1/type/name',
      ],
      ['POST', '/v1/ledgers', { ...base, projectId: 'nowhere' }, 404, '/projectId'],
      ['POST', '/v1/nodes', { ledgerID: 'nowhere', options: { uri: second.url } }, 404, '/ledgerID'],
      ['POST', '/v1/nodes', { ledgerID: 'learning', options: { uri: 'not a url' } }, 400, '/options/uri'],
      ['POST', '/v1/nodes', { ledgerID: 'learning' }, 400, '/options'],
      [
        'POST',
        '/v1/nodes',
        { ledgerID: 'learning', options: { uri: second.url }, properties: [property('role', 'king')] },
        400,
        '/properties/0/value',
      ],
      ['POST', '/v1/explorers', { ledgerID: 'nowhere', name: 'x' }, 404, '/ledgerID'],
      [
        'POST',
        '/v1/explorers',
        { ledgerID: 'chain', name: 'x', implementations: [{ type: { name: 'x' } }] },
        400,
        '/implementations/0/type/name',
      ],
      ['PUT', '/v1/ledgers/learning', { nonsense: 1 }, 400, '/nonsense'],
      ['PUT', '/v1/nodes/one', { nonsense: 1 }, 400, '/nonsense'],
    ];
    for (const [method, path, body, status, pointer] of bad) {
      const refused = await refusal(method, path, body);
      expect([path, body, refused.status, refused.pointers]).toEqual([path, body, status, [pointer]]);
    }
  });

  test('another project cannot see the records of a ledger', async () => {
    for (const path of ['/v1/ledgers/learning', '/v1/nodes/one', '/v1/nodes/ledgers/learning']) {
      expect([path, (await stranger.api.call('GET', path)).status]).toEqual([path, 404]);
    }
    const change = { name: 'mine now' };
    expect((await stranger.api.call('PUT', '/v1/ledgers/learning', change)).status).toBe(404);
    expect((await stranger.api.call('DELETE', '/v1/ledgers/learning')).status).toBe(404);
    // Every project can use the deployer's ledgers, but not change them.
    expect((await stranger.api.call('GET', '/v1/ledgers/chain')).status).toBe(200);
    expect((await stranger.api.call('PUT', '/v1/ledgers/chain', change)).status).toBe(403);
    const node = { ledgerID: 'chain', options: { uri: second.url } };
    expect((await stranger.api.call('POST', '/v1/nodes', node)).status).toBe(403);
  });

  test('responses of deprecated ledger operations are marked as deprecated, and those of current operations are not', async () => {
    const old = await api.call('GET', '/v1/ledgers');
    expect(old.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(old.headers.get('link')).toContain('rel="deprecation"');
    const ours = await api.call('PUT', '/v1/ledgers/learning', { name: 'learning' });
    expect(ours.headers.get('deprecation')).toBeNull();
  });
});

// Ledgers, nodes, explorers, credentials, identities and the timeline over HTTP, at paths that are not deprecated.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, headersOf, type Installation, install, logIn, openApi, type Texts } from '../stage/api.ts';

let here: Installation;
let admin: Api;
beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
});
afterAll(() => here?.close());

interface Items<Item = Texts> {
  items: Item[];
  next: string | null;
}
interface Refusal {
  errors: { pointer: string }[];
}

/** Creates a record, and reads it at the returned location. */
async function create<Body = Texts>(path: string, body: object): Promise<Body> {
  const answer = await admin.call<Body>('POST', path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  expect(await admin.expect<Body>(200, 'GET', answer.headers.get('location') ?? '')).toEqual(answer.body);
  return answer.body;
}

const pointersOf = async (method: string, path: string, body: object) => {
  const { status, body: refusal } = await admin.call<Refusal>(method, path, body);
  return [status, ...refusal.errors.map(({ pointer }) => pointer)];
};

test('a ledger with two nodes and an explorer can be created, read, updated and deleted', async () => {
  const ledger = await create('/v1/admin/ledgers', {
    ...{ ledgerId: 'current', name: 'Current', technology: 'ethereum' },
    properties: { chain_id: 31_337, confirmations: 2, development: true },
    nodes: [{ nodeId: 'first', uri: here.anvil.url, properties: { admin: true } }],
  });
  expect(ledger).toEqual({
    ...{
      uid: expect.any(String),
      ledgerId: 'current',
      name: 'Current',
      technology: 'ethereum',
      type: expect.any(String),
    },
    ...{ active: true, featured: false, projectId: 'administration' },
    properties: expect.objectContaining({ chain_id: 31_337, confirmations: 2, development: true }),
  });
  const node = await create('/v1/admin/nodes', {
    nodeId: 'second',
    ledgerId: 'current',
    uri: here.anvil.url,
  });
  expect(node).toMatchObject({ nodeId: 'second', ledgerId: 'current', client: null });
  const nodes = '/v1/admin/nodes?ledgerId=current&size=1';
  const first = await admin.expect<Items>(200, 'GET', nodes);
  const second = await admin.expect<Items>(200, 'GET', `${nodes}&cursor=${first.next}`);
  expect([...first.items, ...second.items].map(({ nodeId }) => nodeId)).toEqual(['first', 'second']);
  expect(second.next).toBe(null);
  const byDefault = () => admin.expect(200, 'GET', '/v1/admin/ledgers/current/default-node');
  expect(await byDefault()).toMatchObject({ nodeId: 'first' });
  await admin.expect(200, 'PUT', '/v1/admin/nodes/second', { uri: node.uri, default: true });
  expect(await byDefault()).toMatchObject({ nodeId: 'second', uri: node.uri });

  const links = { transaction_url: 'https://scan.example/tx/{locator}' };
  const implementations = [{ type: 'external-explorer', properties: links }];
  const explorer = { explorerId: 'scan', ledgerId: 'current', name: 'Scan' };
  expect(await create('/v1/admin/explorers', { ...explorer, implementations })).toEqual({
    ...{ ...explorer, nodeId: null, projectId: 'administration', implementations },
  });
  const shown = await admin.expect(200, 'GET', '/v1/admin/ledgers/current/default-explorer');
  expect(shown.explorerId).toBe('scan');
  // The deprecated paths show the same records.
  expect(await admin.expect(200, 'GET', '/v1/ledgers/current')).toMatchObject({ ledgerID: 'current' });

  await admin.expect(200, 'PUT', '/v1/admin/ledgers/current', { featured: true });
  const featured = await admin.expect<Items>(200, 'GET', '/v1/admin/ledgers?featured=true');
  expect(featured.items.map(({ ledgerId }) => ledgerId)).toEqual(['current']);
  for (const path of ['explorers/scan', 'nodes/second', 'ledgers/current']) {
    await admin.expect(204, 'DELETE', `/v1/admin/${path}`);
    expect((await admin.call('GET', `/v1/admin/${path}`)).status).toBe(404);
  }
});

test('errors of ledgers, nodes and explorers point to the members of the request body', async () => {
  const ledger = { ledgerId: 'wrong', name: 'Wrong', technology: 'ethereum' };
  const post = (path: string, body: object) => pointersOf('POST', `/v1/admin/${path}`, body);
  expect(await post('ledgers', { ...ledger, properties: { confirmations: 'many' } })).toEqual([
    400,
    '/properties/confirmations',
  ]);
  expect(await post('ledgers', { ...ledger, ledgerId: 'chain', technology: 'no-such' })).toEqual([
    422,
    '/technology',
  ]);
  expect(await post('ledgers', { ...ledger, nodes: [{ uri: 'nowhere' }] })).toEqual([400, '/nodes/0/uri']);
  expect(await post('nodes', { ledgerId: 'nothing', uri: 'http://127.0.0.1:1' })).toEqual([404, '/ledgerId']);
  expect(await pointersOf('PUT', '/v1/admin/ledgers/chain', { properties: { 'no/such': 1 } })).toEqual([
    400,
    '/properties/no~1such',
  ]);
  const implementations = [{ type: 'paper' }];
  expect(await post('explorers', { ledgerId: 'chain', name: 'E', implementations })).toEqual([
    400,
    '/implementations/0/type',
  ]);
});

test('the lists of tokens and keys contain only those of the requested account', async () => {
  const accounts = '/v1/admin/accounts';
  const of = async (accountId: string) => await create(accounts, { accountId, name: accountId });
  const [{ serviceId = '' }, other] = [await of('payments'), await of('others')];
  const made = await admin.call<Texts>('POST', `${accounts}/payments/tokens`);
  const { tokenId, apiToken = '' } = made.body;
  expect(made.headers.get('location')).toBe(`${accounts}/payments/tokens`);
  const tokens = () => admin.expect<Items>(200, 'GET', `${accounts}/payments/tokens`);
  expect(await tokens()).toEqual({
    items: [{ tokenId, status: 'ENABLED', createdAt: expect.stringMatching(/Z$/) }],
    next: null,
  });
  const { administrator } = here;
  const credentials = { ...administrator, accountId: 'payments', apiToken };
  const api = openApi(here.url, await headersOf(here.url, credentials));
  expect(await api.expect(200, 'GET', '/v1/admin/me')).toMatchObject({ serviceId });

  const elsewhere = await admin.call('PUT', `${accounts}/${other.serviceId}/tokens/${tokenId}`, {
    status: 'DISABLED',
  });
  expect(elsewhere.status).toBe(404);
  await api.expect(200, 'GET', '/v1/admin/me');
  await admin.expect(200, 'PUT', `${accounts}/payments/tokens/${tokenId}`, { status: 'DISABLED' });
  expect((await api.call('GET', '/v1/admin/me')).status).toBe(401);
  expect((await tokens()).items).toMatchObject([{ tokenId, status: 'DISABLED' }]);

  const key = await admin.expect(201, 'POST', `${accounts}/payments/keys`);
  expect(key).toMatchObject({ accountId: 'payments', privateKey: expect.stringContaining('PRIVATE KEY') });
  await admin.expect(200, 'PUT', `${accounts}/payments/keys/${key.keyId}`, { status: 'DISABLED' });
  const { items } = await admin.expect<Items>(200, 'GET', `${accounts}/payments/keys`);
  expect(items).toMatchObject([{ keyId: key.keyId, status: 'DISABLED' }]);
  expect(JSON.stringify(items)).not.toContain('PRIVATE');
});

test('identities can be created, found page by page, and disabled', async () => {
  const identities = '/v1/admin/identities';
  const person = await create(identities, { identifier: 'ada@example.com', name: 'Ada' });
  expect(person).toMatchObject({ identifier: 'ada@example.com', type: 'USER', status: 'PENDING' });
  await create(identities, { identifier: 'alan@example.com', type: 'SAML' });
  const path = `${identities}/${person.serviceId}`;
  expect(await admin.expect(200, 'PUT', path, { name: 'Countess' })).toMatchObject({ name: 'Countess' });
  const found = async (query: string) =>
    (await admin.expect<Items>(200, 'GET', `${identities}?${query}`)).items.map((one) => one.identifier);
  expect(await found('search=example.com')).toEqual(['ada@example.com', 'alan@example.com']);
  expect(await found('identifier=Ada@Example.com')).toEqual(['ada@example.com']);
  expect(await found('search=example.com&size=1')).toEqual(['ada@example.com']);
  expect(await found('search=example.com&resourceId=administration')).toEqual([]);
  const role = { serviceId: person.serviceId, resourceId: 'chain', role: 'viewer' };
  await admin.expect(201, 'POST', '/v1/admin/role-grants', role);
  expect(await found('resourceId=chain')).toEqual(['ada@example.com']);
  const status = { status: 'DISABLED' };
  expect(await admin.expect(200, 'PUT', `${path}/status`, status)).toMatchObject(status);
});

test('the timeline can be read page by page, for all resources and for a single one', async () => {
  const { uid, organizationId } = await create('/v1/admin/organizations', { name: 'Busy' });
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) await create('/v1/admin/projects', { name, organizationId });
  const timeline = '/v1/admin/timeline';
  const seen: Texts[] = [];
  const query = 'resourceType=project&service=organization-projects&action=create&size=2';
  for (let cursor = ''; ; ) {
    const { items, next } = await admin.expect<Items>(200, 'GET', `${timeline}?${query}${cursor}`);
    expect(items.length).toBeLessThanOrEqual(2);
    seen.push(...items);
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  expect(seen.map(({ target }) => target).filter((target) => names.includes(target ?? ''))).toEqual(names);
  expect(new Set(seen.map(({ activityId }) => activityId)).size).toBe(seen.length);
  const newest = await admin.expect<Items>(200, 'GET', `${timeline}?${query}&order=newest`);
  expect(newest.items.map(({ target }) => target)).toEqual(names.toReversed().slice(0, 2));
  const { items } = await admin.expect<Items>(200, 'GET', `${timeline}?resourceId=${uid}`);
  expect(items).toMatchObject([{ action: 'create', resourceType: 'organization', target: 'Busy' }]);
  for (const [wrong, pointer] of [
    ['', 'resourceId'],
    ['?action=create', 'service'],
    ['?resourceType=nothing', 'resourceType'],
    ['?resourceType=project&cursor=nothing', 'cursor'],
  ]) {
    const refused = await admin.call<Refusal>('GET', timeline + wrong);
    expect([wrong, refused.status, refused.body.errors[0]?.pointer]).toEqual([wrong, 400, pointer]);
  }
});

test('the link from a deprecated path to its replacement contains the parameters of the request', async () => {
  const linkOf = async (method: string, path: string) =>
    (await admin.call(method, path)).headers.get('link')?.match(/<([^>]*)>; rel="successor-version"/)?.[1];
  expect(await linkOf('GET', '/v1/ledgers/chain')).toBe(`${here.url}/v1/admin/ledgers/chain`);
  expect(await linkOf('GET', '/v1/nodes/ledgers/chain/default')).toBe(
    `${here.url}/v1/admin/ledgers/chain/default-node`,
  );
  expect(await linkOf('PUT', '/v1/service-accounts/api-tokens/none?status=DISABLED')).toBe(
    `${here.url}/v1/admin/accounts`,
  );
});

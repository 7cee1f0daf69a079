// Sends operations that several wallets sign, and operations whose fee another wallet pays, over HTTP.
import { randomBytes, randomUUID } from 'node:crypto';
import type { AdapterDefinition, Checked } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { systemUid } from '@ledger-ops/auth';
import type { ProblemDocument } from '@ledger-ops/base';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const walletPassword = 'correct horse battery staple';
const path = '/v1/ledger-ops/send';
const content = '/glo/meta/ledger/memory/native_transaction_content';
const gas = 21_000n;
const wait = { timeout: 30_000 };

const ledger = createMemoryLedger({ sequence: 'none' });
const memory = memoryAdapter(ledger);
/** Replaces the fee payer's name. */
let lie: Checked['costs'];
const adapter: AdapterDefinition = {
  ...memory,
  async open(...given) {
    const session = await memory.open(...given);
    return {
      ...session,
      async check(request) {
        const checked = await session.check(request);
        return lie === undefined ? checked : { ...checked, costs: lie };
      },
    };
  },
};

let here: Installation;
let api: Api;
let tenant: Tenant;
const addresses: Record<string, string> = {};

async function makeWallet(of: Api, walletId: string, ledgerId = 'several'): Promise<string> {
  const { walletAddress = '' } = await of.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId, pluginParameters: { walletPassword } },
  });
  addresses[walletId] = walletAddress;
  return walletAddress;
}

beforeAll(async () => {
  here = await install({}, [adapter]);
  await here.server.store.transaction(async (tx) => {
    for (const ledgerId of ['several', 'elsewhere']) {
      await here.server.registry.createLedger(tx, {
        ...{ ledgerId, name: ledgerId, projectUid: null, parentResourceUid: systemUid },
        ...{ technology: 'memory', properties: {}, nodes: [{ uri: 'memory:' }] },
      });
    }
  });
  const [one, two] = [
    await addTenant(here.url, here.administrator, 'one'),
    await addTenant(here.url, here.administrator, 'two'),
  ];
  tenant = one;
  ({ api } = one);
  for (const walletId of ['ann', 'bob', 'payer']) await makeWallet(api, walletId);
  await makeWallet(api, 'far', 'elsewhere');
  await makeWallet(two.api, 'theirs');
  await addWallet(here, one, 'ether');
  ledger.fund(addresses.ann ?? '', 100_000n);
  ledger.fund(addresses.payer ?? '', 10n ** 12n);
}, 180_000);
afterAll(() => here?.close());

const fresh = () => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')}`;
const key = (walletId: string, password = walletPassword) => ({ walletId, walletPassword: password });

function body(to: string, native: object, wallets?: object[]) {
  return {
    ...key('ann'),
    ...(wallets === undefined ? {} : { wallets }),
    glo: {
      ...{ version: '0.1.0', type: 'transfer' },
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'memory' }, resource: to },
        amount: '5',
      },
      meta: { ledger: { memory: { version: '1', native_transaction_content: native } } },
    },
  };
}

async function send(to: string, native: object, wallets?: object[]): Promise<string> {
  return (await api.expect(201, 'POST', path, body(to, native, wallets))).actionId ?? '';
}

async function refusalOf(request: object, at = path) {
  const { status, text, body: problem } = await api.call<ProblemDocument>('POST', at, request);
  expect(text).not.toContain(walletPassword);
  return [status, problem.type?.split(':').at(-1), (problem.errors ?? []).map(({ pointer }) => pointer)];
}

const count = async (table: string) =>
  (await here.server.store.read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n;

test('the wallets that meta names by id or address sign, and the named fee payer pays the fee', async () => {
  const [to, own, before] = [
    fresh(),
    ledger.balanceOf(addresses.ann ?? ''),
    ledger.balanceOf(addresses.payer ?? ''),
  ];
  const native = { payer: 'payer', signers: [addresses.bob?.toUpperCase().replace('0X', '0x'), 'ann'] };
  const actionId = await send(to, native, [key('bob'), key('payer')]);
  const { status, locator = '' } = await ended(api, actionId);
  expect(status).toBe('SUCCEEDED');
  expect(ledger.transaction(locator)?.transaction).toMatchObject({
    ...{ from: addresses.ann, payer: addresses.payer, signers: [addresses.bob, addresses.ann] },
  });
  expect(ledger.balanceOf(to)).toBe(5n);
  expect(own - ledger.balanceOf(addresses.ann ?? '')).toBe(5n);
  expect(before - ledger.balanceOf(addresses.payer ?? '')).toBe(gas * ledger.gasPrice);
  expect(await count('action_grant')).toBe(0);
});

test('a request must contain exactly the co-signing wallets that meta names, on the same ledger, each with its password', async () => {
  const actions = await count('action');
  const cases: [string, object, unknown[]][] = [
    ['nobody is given', body(fresh(), { payer: 'payer' }), [422, 'wallets-mismatch', [`${content}/payer`]]],
    [
      'one of two is given',
      body(fresh(), { payer: 'payer', signers: ['ann', addresses.bob] }, [key('payer')]),
      [422, 'wallets-mismatch', [`${content}/signers/1`]],
    ],
    [
      'one is given too many',
      body(fresh(), { payer: 'payer' }, [key('payer'), key('bob')]),
      [422, 'wallets-mismatch', ['/wallets/1']],
    ],
    ['nobody is named', body(fresh(), {}, [key('payer')]), [422, 'wallets-mismatch', ['/wallets/0']]],
    [
      'one is given twice',
      body(fresh(), { payer: 'payer' }, [key('payer'), key('payer')]),
      [422, 'wallets-mismatch', ['/wallets/1/walletId']],
    ],
    [
      'the sender is given',
      body(fresh(), { payer: 'ann' }, [key('ann')]),
      [422, 'wallets-mismatch', ['/wallets/0/walletId']],
    ],
    [
      'another ledger',
      body(fresh(), { payer: 'far' }, [key('far')]),
      [400, 'wrong-ledger', ['/wallets/0/walletId']],
    ],
    [
      'a wallet of another project',
      body(fresh(), { payer: 'theirs' }, [key('theirs')]),
      [404, 'not-found', ['/wallets/0/walletId']],
    ],
    [
      'the address of a wallet of another project',
      body(fresh(), { payer: addresses.theirs }, [key('payer')]),
      [422, 'wallets-mismatch', [`${content}/payer`, '/wallets/0']],
    ],
    [
      'no wallet',
      body(fresh(), { payer: 'nobody' }, [key('nobody')]),
      [404, 'not-found', ['/wallets/0/walletId']],
    ],
    [
      'a wrong password',
      body(fresh(), { payer: 'payer' }, [key('payer', 'wrong password')]),
      [403, 'wrong-wallet-password', []],
    ],
    [
      'no password',
      body(fresh(), { payer: 'payer' }, [{ walletId: 'payer' }]),
      [400, 'invalid-request', ['/wallets/0/walletPassword']],
    ],
    [
      'a ledger whose transactions one wallet signs',
      { ...transferBody('ether', fresh()), wallets: [key('payer')] },
      [400, 'wrong-ledger', ['/wallets/0/walletId']],
    ],
    ['a payer without funds', body(fresh(), { payer: 'bob' }, [key('bob')]), [422, 'insufficient-funds', []]],
  ];
  for (const [why, request, refusal] of cases)
    expect([why, ...(await refusalOf(request))]).toEqual([why, ...refusal]);

  for (const address of [fresh(), addresses.theirs ?? '', addresses.bob ?? '']) {
    lie = [{ address, amount: 1n }];
    const [, name] = await refusalOf(body(fresh(), { payer: 'payer' }, [key('payer')]));
    expect(name).toBe('plugin-fault');
  }
  lie = undefined;
  expect(await count('action')).toBe(actions);
  expect(await count('action_grant')).toBe(0);
});

/** Returns a caller that has a role on one wallet, and no other role in the project. */
async function callerOf(walletId: string, role: 'viewer' | 'owner'): Promise<Api> {
  const accountId = `${role}-of-${walletId}`;
  const account = await api.expect(201, 'POST', '/v1/service-accounts', {
    ...{ name: accountId, accountId, project: { projectID: tenant.projectId } },
  });
  const { apiToken = '' } = await api.expect(201, 'POST', `/v1/service-accounts/${accountId}/api-tokens`);
  const [wallet] = await here.server.store.read.all<{ uid: string }>(
    'SELECT uid FROM wallet WHERE wallet_id = $1',
    [walletId],
  );
  await api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    identity: { serviceId: account.serviceId },
    resource: { resourceUUID: wallet?.uid },
    role: { name: role },
  });
  return await logIn(here.url, { ...tenant, accountId, apiToken });
}

test('a caller that sees a wallet sees the actions that the wallet co-signed, in searches and in the timeline', async () => {
  interface Found {
    actions: { actionId: string }[];
  }
  interface Listed {
    pageContent: { actionId: string; walletId: string }[];
  }
  interface Happened {
    action: string;
    targetObject: string;
  }
  await makeWallet(api, 'witness');
  await makeWallet(api, 'bystander');
  const [viewer, other] = [await callerOf('witness', 'viewer'), await callerOf('bystander', 'viewer')];
  // The witness also receives the transfer, so it is part of the action in two ways. The action is still
  // listed once.
  const to = [fresh(), addresses.witness ?? ''];
  const ids: string[] = [];
  ledger.fund(addresses.ann ?? '', 10n ** 6n);
  for (const one of to) ids.unshift(await send(one, { signers: ['witness'] }, [key('witness')]));
  for (const id of ids) await ended(api, id);

  for (const reader of [api, viewer]) {
    const found = await reader.expect<Found>(200, 'GET', '/v1/ledger-ops/actions?wallet=witness');
    expect(found.actions.map(({ actionId }) => actionId)).toEqual(ids);
    const of = '/v1/ledger-ops/search/wallets/witness/actions';
    const listed = await reader.expect<Listed>(200, 'GET', of);
    expect(listed.pageContent.map(({ actionId, walletId }) => [actionId, walletId])).toEqual(
      ids.map((id) => [id, 'ann']),
    );
    for (const id of ids) {
      await reader.expect(200, 'GET', `/v1/ledger-ops/search/actions/${id}`);
      await reader.expect(200, 'GET', `/v1/ledger-ops/actions/${id}`);
    }
    const happened = await reader.expect<Happened[]>(200, 'GET', '/v1/timeline/resources/witness');
    for (const id of ids) {
      const steps = happened.filter(({ targetObject }) => targetObject === id).map(({ action }) => action);
      expect(steps).toEqual(['accept', 'sign', 'succeed']);
    }
  }
  for (const id of ids) await other.expect(404, 'GET', `/v1/ledger-ops/actions/${id}`);
  const none = await other.expect<Found>(200, 'GET', '/v1/ledger-ops/actions?wallet=witness');
  expect(none.actions).toEqual([]);
});

test('each operation of a batch can name its own co-signing wallets', async () => {
  const [good, bad] = [fresh(), fresh()];
  const operations = [
    body(good, { payer: 'payer' }, [key('payer')]),
    body(bad, { payer: 'payer' }),
    body(bad, { payer: 'payer' }, [key('payer', 'wrong password')]),
  ];
  interface Result {
    actionId: string;
    problem?: ProblemDocument;
  }
  const { results } = await api.expect<{ results: Result[] }>(201, 'POST', '/v1/ledger-ops/batch', {
    operations,
  });
  expect(results.map(({ problem }) => problem?.type.split(':').at(-1))).toEqual([
    ...[undefined, 'wallets-mismatch', 'wrong-wallet-password'],
  ]);
  expect(results[1]?.problem?.errors?.[0]?.pointer).toBe(`/operations/1${content}/payer`);
  expect((await ended(api, results[0]?.actionId ?? '')).status).toBe('SUCCEEDED');
  expect([good, bad].map((to) => ledger.balanceOf(to))).toEqual([5n, 0n]);
});

test('an accepted action is signed even if the wallet’s password changes, and canceling it deletes its signing grant', async () => {
  const hung = ledger.script({ kind: 'hang', method: 'prepare', times: 2 });
  const [kept, dropped] = [fresh(), fresh()];
  const header = { 'Idempotency-Key': randomUUID() };
  const request = body(kept, { payer: 'payer', signers: ['bob'] }, [key('bob'), key('payer')]);
  const first = await api.call('POST', path, request, header);
  expect((await api.call('POST', path, request, header)).body).toEqual(first.body);
  const other = await send(dropped, { payer: 'payer' }, [key('payer')]);
  await vi.waitFor(() => expect(hung.fired).toBe(2), wait);
  const changed = 'a password that is new';
  await api.expect(204, 'PUT', '/v1/cloud-wallet/wallets/payer/password', {
    ...{ walletPassword, newPassword: changed },
  });
  await api.expect(200, 'POST', `/v1/ledger-ops/actions/${other}/cancel`, {});
  expect(await count('action_grant')).toBe(1);
  hung.clear();
  expect((await ended(api, first.body.actionId ?? '')).status).toBe('SUCCEEDED');
  expect((await ended(api, other)).status).toBe('FAILED');
  expect([kept, dropped].map((to) => ledger.balanceOf(to))).toEqual([5n, 0n]);
  expect(await count('action_grant')).toBe(0);
  const stale = body(fresh(), { payer: 'payer' }, [key('payer')]);
  expect(await refusalOf(stale)).toEqual([403, 'wrong-wallet-password', []]);
  await api.expect(204, 'PUT', '/v1/cloud-wallet/wallets/payer/password', {
    ...{ walletPassword: changed, newPassword: walletPassword },
  });
});

test('a plugin cannot get the signature of another wallet of the same caller', async () => {
  const script = ledger.script({
    kind: 'askAnother',
    address: addresses.bob ?? '',
    times: Number.POSITIVE_INFINITY,
  });
  const submitted = () => new Set(ledger.submissions.map(({ txId }) => txId)).size;
  const sent = submitted();
  const actionId = await send(fresh(), { payer: 'payer' }, [key('payer')]);
  await vi.waitFor(async () => {
    const { text } = await api.call('GET', `/v1/ledger-ops/search/actions/${actionId}`);
    expect(text).toContain('signature of a wallet that the operation does not name');
  }, wait);
  expect(submitted()).toBe(sent);
  script.clear();
  expect((await ended(api, actionId)).status).toBe('SUCCEEDED');
});

test('an operation is still signed by its co-signing wallets after it waited for a dependency', async () => {
  const before = await send(fresh(), { payer: 'payer' }, [key('payer')]);
  const to = fresh();
  const request = { ...body(to, { signers: ['bob'] }, [key('bob')]), dependencies: [before] };
  ledger.fund(addresses.ann ?? '', 10n ** 6n);
  const { actionId = '' } = await api.expect(201, 'POST', path, request);
  expect((await ended(api, actionId)).status).toBe('SUCCEEDED');
  expect(ledger.balanceOf(to)).toBe(5n);
});

test('only callers who see an action see that unknown transactions of a co-signer match it, and each needs a release', async () => {
  interface Unknown {
    transactions: { id: string; txId: string; matches: string[] }[];
  }
  interface Suspensions {
    suspensions: { suspensionId: string; walletId: string }[];
  }
  type Refused = ProblemDocument & { matches: { transaction: string }[] };
  const privateKey = randomBytes(32);
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'doubted', ledgerId: 'several', exclusive: true },
    pluginParameters: { walletPassword, privateKey: `0x${privateKey.toString('hex')}` },
  });
  const keeper = await callerOf('doubted', 'owner');
  ledger.fund(walletAddress, 10n ** 6n);
  ledger.fund(addresses.ann ?? '', 10n ** 6n);
  const to = fresh();
  for (let sent = 0; sent < 2; sent += 1)
    ledger.outsideTransaction({ privateKey, recipient: to, amount: 5n });
  const actionId = await send(to, { payer: 'doubted' }, [key('doubted')]);
  const list = '/v1/ledger-ops/suspensions';
  const suspended = async () => (await api.expect<Suspensions>(200, 'GET', list)).suspensions;
  await vi.waitFor(async () => expect(await suspended()).toMatchObject([{ walletId: 'doubted' }]), wait);
  const [{ suspensionId = '' } = {}] = await suspended();
  const unknown = '/v1/cloud-wallet/wallets/doubted/unknown-transactions';
  const seenBy = async (caller: Api) => (await caller.expect<Unknown>(200, 'GET', unknown)).transactions;
  const refusedTo = async (caller: Api) =>
    await caller.expect<Refused>(409, 'DELETE', `${list}/${suspensionId}`);

  const shown = await seenBy(api);
  expect(shown.map(({ matches }) => matches)).toEqual([[actionId], [actionId]]);
  expect((await seenBy(keeper)).map(({ matches }) => matches)).toEqual([[], []]);
  const refused = await refusedTo(keeper);
  expect([refused.matches, refused.detail]).toEqual([
    [],
    expect.stringContaining('pending actions: 2 more.'),
  ]);

  const [first = '', second = ''] = shown.map(({ id }) => id);
  const release = `/v1/ledger-ops/actions/${actionId}/release`;
  await keeper.expect(404, 'POST', release, { transactions: [first] });
  await api.expect(400, 'POST', release, { transactions: [first, `${first}0`] });
  expect((await refusedTo(api)).matches.map(({ transaction }) => transaction)).toEqual([first, second]);
  await api.expect(200, 'POST', release, { transactions: [first] });
  expect((await refusedTo(api)).matches.map(({ transaction }) => transaction)).toEqual([second]);
  await api.expect(200, 'POST', release, { transactions: [second] });
  await keeper.expect(204, 'DELETE', `${list}/${suspensionId}`);
  expect((await ended(api, actionId)).status).toBe('SUCCEEDED');
  expect(ledger.balanceOf(to)).toBe(15n);
});

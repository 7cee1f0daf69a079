// Reads all actions that a caller may see over HTTP, on both databases.
import { tokenTemplate } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  type Api,
  addTokenTemplate,
  addTwoTenants,
  ended,
  type Installation,
  install,
  logIn,
  nobody,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

interface Overview {
  actionId: string;
  amount: string | null;
  contract: string | null;
  createdAt: string;
  creator: { serviceId: string; appId: string };
  endedAt: string | null;
  fee: string | null;
  blockHeight: number | null;
  blockTime: string | null;
  ledgerId: string;
  projectId: string;
  recipient: string | null;
  names: { contract: string | null; recipient: string | null; arguments: (string | null)[] };
  argumentsPreview: string[] | null;
  status: string;
  type: string;
  walletId: string;
}
interface Sent {
  actionId: string;
  overrides: object[];
}
interface OverviewPage {
  actions: Overview[];
  next: string | null;
}

const path = '/v1/ledger-ops/actions';
const intent = '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10';

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

const dialects = selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'postgres');
describe.each(dialects)('on %s', (dialect) => {
  let here: Installation;
  let one: Tenant;
  let other: Tenant;
  let admin: Api;
  /** Actions of the first tenant, oldest first. */
  const sent: string[] = [];
  let foreign: string;
  let contract: string;
  beforeAll(async () => {
    here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
    admin = await logIn(here.url, here.administrator);
    ({ one, other } = await addTwoTenants(here));
    await addTokenTemplate(one.api, 'coin');
    sent.push(await send(one, 'payer', { tag: 'rent', intent }));
    sent.push(await send(one, 'second'));
    const deployment = {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
        args: ['Coin', 'C', '9'],
      },
    };
    sent.push(await send(one, 'payer', { glo: deployment }));
    for (const id of sent) ({ contractAddress: contract = '' } = await ended(one.api, id));
    foreign = await send(other, 'foreign');
    await ended(other.api, foreign);
  });
  afterAll(() => here?.close());

  async function all(api: Api, query = ''): Promise<Overview[]> {
    const found: Overview[] = [];
    let cursor = '';
    for (;;) {
      const page: OverviewPage = await api.expect(200, 'GET', `${path}?size=2${query}${cursor}`);
      expect(page.actions.length).toBeLessThanOrEqual(2);
      found.push(...page.actions);
      if (page.next === null) return found;
      cursor = `&cursor=${page.next}`;
    }
  }
  const ids = async (api: Api, query = '') => (await all(api, query)).map(({ actionId }) => actionId);

  test('the list of all actions contains each action once, newest first, with its operation', async () => {
    expect(await ids(one.api)).toEqual(sent.toReversed());
    const [first] = (await all(one.api)).slice(-1);
    expect(first).toMatchObject({
      ...{ actionId: sent[0], type: 'transfer', amount: '1', recipient: nobody, contract: null },
      ...{ ledgerId: 'chain', projectId: 'one-project', walletId: 'payer', status: 'SUCCEEDED' },
      creator: { serviceId: one.serviceId, appId: one.appId },
    });
    expect(BigInt(first?.fee ?? 0)).toBeGreaterThan(0n);
    const height = `0x${(first?.blockHeight ?? 0).toString(16)}`;
    const block = await here.anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', [height, false]);
    expect(Date.parse(first?.blockTime ?? '')).toBe(Number(block.timestamp) * 1_000);
    expect(Date.parse(first?.endedAt ?? '')).toBeGreaterThan(0);
  });

  test('a caller sees its own project’s actions, and an administrator those of all projects or of a named one', async () => {
    expect(await ids(other.api)).toEqual([foreign]);
    const everything = await all(admin);
    expect(everything.map(({ projectId }) => projectId)).toEqual(
      expect.arrayContaining(['one-project', 'other-project']),
    );
    expect(await ids(admin, '&project=other-project')).toEqual([foreign]);
    expect(await ids(one.api, '&project=one-project')).toEqual(await ids(one.api));
    expect(await ids(one.api, '&project=other-project')).toEqual([]);
    expect(await ids(admin, '&project=none')).toEqual([]);
  });

  test('every filter of the overview selects the matching actions', async () => {
    const [transfer = '', second = '', deployed = ''] = sent;
    expect(await ids(one.api, '&tag=rent')).toEqual([transfer]);
    expect(await ids(one.api, `&intent=${intent}`)).toEqual([transfer]);
    expect(await ids(other.api, `&intent=${intent}`)).toEqual([]);
    expect(await ids(one.api, '&wallet=second&status=SUCCEEDED')).toEqual([second]);
    expect(await ids(one.api, '&type=contract_deploy')).toEqual([deployed]);
    expect(await ids(one.api, `&contract=${contract}`)).toEqual([deployed]);
    expect(await ids(one.api, '&ledgerId=none')).toEqual([]);
    expect(await ids(admin, `&caller=${other.serviceId}`)).toEqual([foreign]);
    expect(await ids(one.api, '&status=FAILED')).toEqual([]);
    expect(await ids(one.api, '&order=oldest')).toEqual(sent);
    for (const query of ['stage=signed', 'reason=funds', 'pendingFor=1']) {
      const refused = await one.api.expect(400, 'GET', `${path}?status=SUCCEEDED&${query}`);
      expect(refused).toMatchObject({ errors: [{ pointer: query.split('=')[0] }] });
    }
    const createdAt = (await all(one.api, '&tag=rent'))[0]?.createdAt;
    expect(await ids(one.api, `&to=${createdAt}`)).toEqual([transfer]);
    expect(await ids(one.api, '&from=2100-01-01T00:00:00Z')).toEqual([]);
  });

  test('the details of an action contain its transactions and dependents', async () => {
    const [first = ''] = sent;
    const { actionId = '' } = await one.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...transferBody('payer', nobody),
      dependencies: [first],
    });
    sent.push(actionId);
    await ended(one.api, actionId);
    const told = await one.api.expect<Record<string, unknown>>(200, 'GET', `${path}/${first}`);
    expect(told).toMatchObject({
      ...{ actionId: first, type: 'transfer', dependents: [actionId], deadline: null },
      operation: { type: 'transfer', amount: '1', recipient: { resource: nobody } },
      ...{ arguments: null, overrides: [], change: null, waitingSince: null },
      unit: { symbol: 'ETH', decimals: 18 },
      attempts: [
        {
          ...{ kind: 'main', txId: told.locator, sequence: 0, reason: null, replacedBy: null },
          ...{ fee: told.fee, blockHeight: told.blockHeight },
        },
      ],
      steps: { accepted: told.createdAt, ended: told.endedAt },
    });
    const { steps, attempts } = told as { steps: Record<string, string>; attempts: { maxCost: string }[] };
    expect(Date.parse(steps.sent ?? '')).toBeGreaterThanOrEqual(Date.parse(steps.accepted ?? ''));
    expect(BigInt(attempts[0]?.maxCost ?? 0)).toBeGreaterThan(1n);
    const [after, deployed] = await Promise.all(
      [actionId, sent[2]].map((id) => one.api.expect<object>(200, 'GET', `${path}/${id}`)),
    );
    expect(after).toMatchObject({ dependsOn: [{ actionId: first, status: 'SUCCEEDED' }], dependents: [] });
    expect(deployed).toMatchObject({ arguments: ['Coin', 'C', '9'], contractAddress: contract });
    expect(await admin.expect(200, 'GET', `${path}/${first}`)).toEqual(told);
    expect(JSON.stringify(told)).not.toContain('assword');
    expect((await other.api.call('GET', `${path}/${first}`)).status).toBe(404);
    expect((await one.api.call('GET', `${path}/none`)).status).toBe(404);
    const { summary } = await one.api.expect(200, 'GET', `${path}/${first}/explain`);
    expect(summary).toBe(
      `A transfer of 0.000000000000000001 ETH to ${nobody}, from the wallet payer on the ledger chain: it has succeeded.`,
    );
    expect((await other.api.call('GET', `${path}/${first}/explain`)).status).toBe(404);
  });

  test('changes that the request’s meta made to an operation are stored with the action', async () => {
    const meta = { ledger: { ethereum: { version: '0.1.0', native_transaction_content: { value: '2' } } } };
    const { glo, ...rest } = transferBody('payer', nobody);
    const body = { ...rest, glo: { ...glo, meta } };
    const answer = one.api.expect<Sent>(201, 'POST', '/v1/ledger-ops/send', body);
    const { overrides, actionId } = await answer;
    sent.push(actionId);
    await ended(one.api, actionId);
    expect(overrides).toEqual([{ field: 'amount', from: '1', to: '2' }]);
    expect(await one.api.expect<object>(200, 'GET', `${path}/${actionId}`)).toMatchObject({
      ...{ overrides, amount: '2' },
    });
  });

  test('the overview counts actions by status', async () => {
    const listed = await all(one.api);
    const number = (status: string) => listed.filter((action) => action.status === status).length;
    expect(await one.api.expect(200, 'GET', `${path}/counts`)).toMatchObject({
      status: { PENDING: number('PENDING'), SUCCEEDED: number('SUCCEEDED'), FAILED: 0 },
      ...{ pending: {}, oldestPendingAt: null, complete: true },
    });
    expect(await other.api.expect(200, 'GET', `${path}/counts?ledgerId=chain`)).toMatchObject({
      status: { PENDING: 0, SUCCEEDED: 1, FAILED: 0 },
    });
    expect(await other.api.expect(200, 'GET', `${path}/counts?ledgerId=none`)).toMatchObject({
      status: { PENDING: 0, SUCCEEDED: 0, FAILED: 0 },
    });
    expect(await admin.expect(200, 'GET', `${path}/counts?project=other-project`)).toMatchObject({
      status: { SUCCEEDED: 1 },
    });
    expect(await one.api.expect(200, 'GET', `${path}/counts?project=other-project`)).toMatchObject({
      status: { PENDING: 0, SUCCEEDED: 0, FAILED: 0 },
    });
  });

  test('a summary counts the finished actions of a project, or of all for an administrator, with durations and fees', async () => {
    interface Summary {
      spans: { at: string; succeeded: number; failed: number; canceled: number }[];
      duration: { p50: number; p95: number } | null;
      fees: { ledgerId: string; amount: string }[];
    }
    const read = (api: Api, range: string) =>
      api.expect<Summary>(200, 'GET', `${path}/summary?range=${range}`);
    const succeeded = ({ spans }: Summary) => spans.reduce((sum, span) => sum + span.succeeded, 0);
    const finished = async (api: Api) => (await all(api, '&status=SUCCEEDED')).length;
    for (const [range, spans] of [
      ['15m', 15],
      ['24h', 48],
      ['7d', 28],
      ['30d', 120],
    ] as const) {
      const own = await read(one.api, range);
      expect(own.spans).toHaveLength(spans);
      expect(succeeded(own)).toBe(await finished(one.api));
      expect(succeeded(await read(other.api, range))).toBe(1);
      expect(succeeded(await read(admin, range))).toBe(await finished(admin));
    }
    const { duration, fees } = await read(one.api, '24h');
    expect(duration?.p95).toBeGreaterThanOrEqual(duration?.p50 ?? Number.NaN);
    const paid = (await all(one.api)).reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n);
    expect(fees).toMatchObject([{ ledgerId: 'chain', amount: String(paid) }]);
    await one.api.expect(400, 'GET', `${path}/summary?range=1y`);
  });

  test('actions of a contract are found by its id or address, regardless of how the operations name the contract', async () => {
    const [, , deployed = ''] = sent;
    const { groupId = '' } = await one.api.expect(201, 'POST', '/v1/contract-groups', { name: 'coins' });
    const { contractId = '' } = await one.api.expect(
      201,
      'POST',
      `/v1/contract-groups/${groupId}/instances`,
      {
        interface: tokenTemplate.interface,
        ledgerReference: { ledgerId: 'chain', nativeReference: contract },
      },
    );
    const call = async (type: 'service' | 'ledger', resource: string) => {
      const value = type === 'service' ? 'service' : 'ethereum';
      const actionId = await send(one, 'payer', {
        glo: {
          ...{ version: '0.1.0', type: 'contract_call' },
          options: {
            contract_instance: { lookup_service: { type, value }, resource },
            ...{ method_name: 'transfer(address,uint256)', args: [nobody, '1'] },
          },
        },
      });
      sent.push(actionId);
      await ended(one.api, actionId);
      return actionId;
    };
    const upper = `0x${contract.slice(2).toUpperCase()}`;
    const lower = contract.toLowerCase();
    const called = [await call('service', contractId), await call('ledger', lower)];
    for (const sought of [contractId, contract, upper, lower])
      expect([sought, await ids(one.api, `&contract=${sought}`)]).toEqual([
        ...[sought, [...called.toReversed(), deployed]],
      ]);
    expect(await ids(other.api, `&contract=${contractId}`)).toEqual([]);
  });

  test('a caller that sees only one wallet sees and counts only actions of that wallet', async () => {
    const account = await admin.expect(201, 'POST', '/v1/service-accounts', {
      ...{ name: 'narrow', accountId: 'narrow', project: one.projectId },
    });
    const { apiToken = '' } = await admin.expect(201, 'POST', '/v1/service-accounts/narrow/api-tokens');
    await one.api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      identity: { serviceId: account.serviceId },
      resource: { resourceID: 'second' },
      role: { name: 'viewer' },
    });
    const narrow = await logIn(here.url, { ...one, accountId: 'narrow', apiToken });
    const seen = await all(narrow);
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.map(({ walletId }) => walletId))).toEqual(new Set(['second']));
    const [hidden = ''] = sent;
    const { actionId = '' } = await one.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...transferBody('second', nobody),
      dependencies: [hidden],
    });
    sent.push(actionId);
    await ended(one.api, actionId);
    seen.push(...(await all(narrow)).slice(0, 1));
    expect(await one.api.expect<object>(200, 'GET', `${path}/${actionId}`)).toMatchObject({
      dependsOn: [{ actionId: hidden, status: 'SUCCEEDED' }],
    });
    expect(await narrow.expect<object>(200, 'GET', `${path}/${actionId}`)).toMatchObject({ dependsOn: [] });
    expect((await narrow.call('GET', `${path}/${actionId}/explain`)).text).not.toContain(hidden);
    const { status } = await narrow.expect<{ status: Record<string, number> }>(200, 'GET', `${path}/counts`);
    expect(Object.values(status).reduce((sum, n) => sum + n, 0)).toBe(seen.length);
    await narrow.expect(404, 'GET', `${path}/summary`);
  });

  test('sort orders without an index are limited to a maximum number of actions', async () => {
    const search = '/v1/ledger-ops/search/wallets/payer/actions';
    const count = async (more: number) =>
      here.server.store.transaction((tx) =>
        tx.run(
          `UPDATE action_tally SET n = n + $1 WHERE span = 0 AND level = (SELECT MAX(level) FROM action_tally)
            AND listing IN (SELECT id FROM action_listing WHERE party LIKE 'w:%' AND status = 'SUCCEEDED')`,
          [more],
        ),
      );
    expect((await one.api.call('GET', `${search}?sort=status`)).status).toBe(200);
    await count(5_000);
    const refused = await one.api.call<{ errors: object[] }>('GET', `${search}?sort=status`);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ pointer: 'sort', detail: expect.stringContaining('narrow the search with status') }],
    ]);
    for (const query of ['', '?sort=createdAt', '?sort=status&status=FAILED'])
      expect((await one.api.call('GET', `${search}${query}`)).status).toBe(200);
    await count(-5_000);
  });

  test('a cursor is valid only for its caller', async () => {
    const { next }: OverviewPage = await admin.expect(200, 'GET', `${path}?size=1`);
    for (const cursor of [next, 'x', 'AAAA']) {
      const refused = await one.api.call<{ errors: { pointer: string }[] }>(
        'GET',
        `${path}?cursor=${cursor}`,
      );
      expect([refused.status, refused.body.errors[0]?.pointer]).toEqual([400, 'cursor']);
    }
  });

  test('filters by age and stage find matching actions even if one request cannot read all newer actions', async () => {
    const { store } = here.server;
    const [like] = await store.read.all<{ project_id: string; wallet_uid: string }>(
      'SELECT project_id, wallet_uid FROM action WHERE id = $1',
      [sent[0] ?? ''],
    );
    const hour = 3_600_000;
    const idOf = (at: number, index: number) => {
      const hex = at.toString(16).padStart(12, '0');
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(index).padStart(12, '0')}`;
    };
    const values = {
      ...{ project_id: like?.project_id ?? '', wallet_uid: like?.wallet_uid ?? '', wallet_id: 'w' },
      ...{
        app_id: 'a',
        caller: 'c',
        ledger_uid: 'l',
        ledger_id: 'l',
        chain: 'x/y',
        shard: 0,
        address: '0x',
      },
      ...{
        intent: 'i',
        operation: '{}',
        plan: '{}',
        cost: '0',
        min_height: 0,
        deadline: 4e12,
        updated_at: 1,
      },
    };
    const add = (rows: { at: number; status: string; stage: string }[]) =>
      store.transaction((tx) =>
        tx.insertMany(
          'action',
          ['id', 'created_at', 'status', 'stage', 'blockers', ...Object.keys(values)],
          rows.map(({ at, status, stage }, index) => [
            ...[idOf(at, index), at, status, stage, stage === 'blocked' ? 1 : 0, ...Object.values(values)],
          ]),
        ),
      );
    const now = Date.now();
    await add([{ at: now - 2 * hour, status: 'PENDING', stage: 'blocked' }]);
    await add(Array.from({ length: 1_000 }, () => ({ at: now, status: 'PENDING', stage: 'signed' })));
    await add(Array.from({ length: 1_000 }, () => ({ at: now + hour, status: 'SUCCEEDED', stage: 'done' })));
    const first = async (query: string) =>
      (await one.api.expect<OverviewPage>(200, 'GET', `${path}?size=1&${query}`)).actions.map(
        ({ createdAt }) => Date.parse(createdAt),
      );
    expect(await first('pendingFor=3600')).toEqual([now - 2 * hour]);
    expect(await first('stage=blocked&order=oldest')).toEqual([now - 2 * hour]);
    expect(await first('stage=signed')).toEqual([now]);
    await store.transaction((tx) => tx.run("DELETE FROM action WHERE wallet_id = 'w'"));
  });

  test('pending reasons are counted for the newest 10,000 pending actions, and the result says whether there are more', async () => {
    const { store } = here.server;
    const [known] = await store.read.all<{ project_id: string }>(
      'SELECT project_id FROM action WHERE id = $1',
      [sent[0] ?? ''],
    );
    const values = {
      ...{ project_id: known?.project_id ?? '', app_id: 'a', caller: 'c', wallet_uid: 'w', wallet_id: 'w' },
      ...{ ledger_uid: 'l', ledger_id: 'l', chain: 'x/y', shard: 0, address: '0x', intent: 'i' },
      ...{ status: 'PENDING', stage: 'blocked', operation: '{}', plan: '{}', cost: '0', blockers: 1 },
      ...{ min_height: 0, deadline: 4e12, updated_at: 1 },
    };
    const add = (from: number, count: number) =>
      store.transaction((tx) =>
        tx.insertMany(
          'action',
          ['id', 'created_at', ...Object.keys(values)],
          Array.from({ length: count }, (_, at) => [
            `z-${String(from + at).padStart(6, '0')}`,
            (from + at) * 1_000,
            ...Object.values(values),
          ]),
        ),
      );
    const counts = (api: Api) => api.expect<object>(200, 'GET', `${path}/counts`);
    await add(1, 10_000);
    const oldest = (second: number) => ({ oldestPendingAt: `1970-01-01T00:00:0${second}.000Z` });
    expect(await counts(one.api)).toMatchObject({
      stage: { blocked: 10_000 },
      complete: true,
      ...oldest(1),
    });
    await add(0, 1);
    expect(await counts(one.api)).toMatchObject({
      ...{ stage: { blocked: 10_000 }, complete: false },
      ...oldest(0),
    });
    expect(await counts(other.api)).toMatchObject({
      ...{ stage: { blocked: 0 }, pending: {}, oldestPendingAt: null, complete: false },
    });
    await store.transaction((tx) => tx.run("DELETE FROM action WHERE id LIKE 'z-%'"));
  });

  test('actions contain the names of registered contracts and templates, of receiving wallets, and of wallets in arguments', async () => {
    const [deployed] = await all(one.api, '&type=contract_deploy');
    expect(deployed).toMatchObject({
      names: { contract: 'Token', recipient: null, arguments: [null, null, null] },
      argumentsPreview: ['Coin', 'C', '9'],
    });
    const groups = await one.api.expect<{ pageContent: { groupId: string }[] }>(
      ...([200, 'GET', `/v1/contract-groups?project=${one.projectId}`] as const),
    );
    const instances = `/v1/contract-groups/${groups.pageContent[0]?.groupId}/instances`;
    await one.api.expect(200, 'PUT', `${instances}/${sent[2]}`, { name: 'Vault' });
    const { walletAddress = '' } = await one.api.expect(200, 'GET', '/v1/cloud-wallet/wallets/second');
    const call = {
      ...{ version: '0.1.0', type: 'contract_call' },
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: contract },
        method_name: 'transfer(address,uint256)',
        args: [walletAddress, '0'],
      },
    };
    const called = await send(one, 'payer', { glo: call });
    const toWallet = await send(one, 'payer', transferBody('payer', walletAddress));
    const foreignCall = await send(other, 'foreign', { glo: call });
    await ended(one.api, called);
    await ended(one.api, toWallet);
    await ended(other.api, foreignCall);
    const named = (await all(one.api)).filter(({ actionId }) => [called, toWallet].includes(actionId));
    expect(named).toMatchObject([
      { names: { contract: null, recipient: 'second', arguments: [] }, argumentsPreview: null },
      {
        names: { contract: 'Vault', recipient: null, arguments: ['second', null] },
        argumentsPreview: [walletAddress, '0'],
      },
    ]);
    const emitted = `${path}/${called}/contract-events`;
    expect(await one.api.expect(200, 'GET', emitted)).toMatchObject({
      supported: true,
      events: [{ name: 'Transfer', args: { to: walletAddress, value: '0' } }],
    });
    expect(await one.api.expect(200, 'GET', `${path}/${toWallet}/contract-events`)).toMatchObject({
      events: [],
    });
    await other.api.expect(404, 'GET', emitted);
    expect(await all(other.api, '&type=contract_call')).toMatchObject([
      { actionId: foreignCall, names: { contract: null, recipient: null, arguments: [null, null] } },
    ]);
  });
});

// Suspends ledgers, wallets and projects over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Api,
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

const path = '/v1/ledger-ops/suspensions';
let here: Installation;
let admin: Api;
let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
  ({ one, other } = await addTwoTenants(here));
});
afterAll(() => here?.close());

interface Suspension {
  suspensionId: string;
  ledgerId?: string;
  walletId?: string;
  projectId?: string;
  reason: string;
  createdBy: string | null;
  createdAt: string;
}
interface Health {
  ledgers: { ledgerId: string; reasons: string[]; suspension: Pick<Suspension, 'reason'> | null }[];
}
interface SuspensionPage {
  suspensions: Suspension[];
  next: string | null;
}
interface Shown {
  status: string;
  pending?: { stage: string; code: string; detail: string };
}

const suspend = (api: Api, body: object) => api.expect<Suspension>(201, 'POST', path, body);
const resume = (api: Api, { suspensionId }: Suspension) =>
  api.expect(204, 'DELETE', `${path}/${suspensionId}`);
const list = async (api: Api) => (await api.expect<SuspensionPage>(200, 'GET', path)).suspensions;
const show = (api: Api, id: string) => api.expect<Shown>(200, 'GET', `/v1/ledger-ops/search/actions/${id}`);

describe('a suspension', () => {
  test('actions of a suspended wallet are accepted and stay pending with the reason until the wallet is resumed', async () => {
    const suspension = await suspend(one.api, { walletId: 'payer', reason: 'Its password may be known' });
    expect(suspension).toMatchObject({ walletId: 'payer', createdBy: one.serviceId });
    const id = await send(one, 'payer');
    const behind = await one.api.expect<{ results: { actionId: string }[] }>(
      201,
      'POST',
      '/v1/ledger-ops/batch',
      { operations: [{ ...transferBody('payer', nobody), dependencies: [id] }] },
    );
    await ended(one.api, await send(one, 'second'));
    const { pending } = await show(one.api, id);
    expect(pending).toEqual({
      stage: 'ready',
      code: 'suspended',
      detail: expect.stringMatching(
        new RegExp(
          `^The wallet payer has been suspended by ${one.serviceId} since \\S+Z: Its password may be known\\.$`,
        ),
      ),
    });
    const dependent = behind.results[0]?.actionId ?? '';
    expect((await show(one.api, dependent)).pending).toMatchObject({
      code: 'dependencies',
      detail: expect.stringContaining('The wallet payer has been suspended'),
    });
    const counts = await one.api.expect<{ pending: Record<string, number> }>(
      200,
      'GET',
      '/v1/ledger-ops/actions/counts',
    );
    expect(counts.pending).toEqual({ suspended: 1, dependencies: 1 });
    await resume(one.api, suspension);
    for (const action of [id, dependent]) expect((await ended(one.api, action)).status).toBe('SUCCEEDED');
    expect(await list(one.api)).toEqual([]);
  }, 180_000);

  test('only administrators can suspend a ledger, and its users see the reason but not who suspended it', async () => {
    const body = { ledgerId: 'chain', reason: 'Its nodes are replaced.' };
    expect((await one.api.call('POST', path, body)).status).toBe(403);
    const suspension = await suspend(admin, body);
    for (const api of [admin, one.api, other.api]) {
      const { ledgers } = await api.expect<Health>(200, 'GET', '/v1/admin/ledger-health');
      const { suspensionId, reason, createdAt } = suspension;
      expect(ledgers).toMatchObject([
        { ledgerId: 'chain', reasons: [], suspension: { suspensionId, reason, createdAt } },
      ]);
    }
    const ids = [await send(one, 'payer'), await send(other, 'foreign')];
    for (const [at, { api }] of [one, other].entries()) {
      expect((await show(api, ids[at] ?? '')).pending?.detail).toMatch(
        /^The ledger chain has been suspended by its administrators since \S+Z: Its nodes are replaced\.$/,
      );
      expect(await list(api)).toEqual([{ ...suspension, createdBy: null }]);
      expect((await api.call('DELETE', `${path}/${suspension.suspensionId}`)).status).toBe(403);
    }
    const again = await admin.call<{ type: string }>('POST', path, body);
    expect([again.status, again.body.type]).toEqual([409, 'urn:ledger-ops:problem:already-exists']);
    const cancelled = `/v1/ledger-ops/actions/${ids[0]}/cancel`;
    expect((await one.api.expect(200, 'POST', cancelled)).status).toBe('FAILED');
    await resume(admin, suspension);
    expect(await admin.expect(200, 'GET', '/v1/admin/ledger-health')).toMatchObject({ ledgers: [] });
    expect((await ended(other.api, ids[1] ?? '')).status).toBe('SUCCEEDED');
  }, 180_000);

  test('other tenants cannot see or undo a project’s suspension', async () => {
    const suspension = await suspend(one.api, { projectId: one.projectId, reason: 'Audit.' });
    expect(await list(other.api)).toEqual([]);
    expect(await list(admin)).toEqual([suspension]);
    for (const method of ['GET', 'DELETE'])
      expect((await other.api.call(method, `${path}/${suspension.suspensionId}`)).status).toBe(404);
    const foreign = await other.api.call('POST', path, { projectId: one.projectId, reason: 'Ours.' });
    const unknown = await other.api.call('POST', path, { projectId: 'none', reason: 'Ours.' });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text.replaceAll(one.projectId, 'none')).toBe(unknown.text);
    const id = await send(one, 'payer');
    await ended(other.api, await send(other, 'foreign'));
    expect((await show(one.api, id)).pending?.code).toBe('suspended');
    await resume(admin, suspension);
    expect((await ended(one.api, id)).status).toBe('SUCCEEDED');
  }, 180_000);

  test('a project of the caller’s organization can be suspended by id, and any other project only by uid', async () => {
    const uids: string[] = [];
    for (const { organizationUuid } of [one, other]) {
      const { resourceUUID = '' } = await admin.expect(201, 'POST', '/v1/projects', {
        ...{ name: 'Shop', projectID: 'shop', organization: { resourceUUID: organizationUuid } },
      });
      uids.push(resourceUUID);
    }
    const subjects = () =>
      here.server.store.read.all<{ subject: string }>('SELECT subject FROM suspension ORDER BY id');
    for (const [index, { api }] of [one, other].entries()) {
      const suspension = await suspend(api, { projectId: 'shop', reason: 'Ours.' });
      expect(await subjects()).toEqual([{ subject: uids[index] }]);
      await resume(api, suspension);
    }
    const several = { errors: [{ detail: expect.stringContaining('use the resourceUUID') }] };
    const body = { projectId: 'shop', reason: 'Which?' };
    expect(await admin.expect(409, 'POST', path, body)).toMatchObject(several);
    for (const list of ['actions', 'actions/counts']) {
      const of = `/v1/ledger-ops/${list}?project=`;
      expect(await admin.expect(409, 'GET', `${of}shop`)).toMatchObject(several);
      await admin.expect(200, 'GET', of + uids[1]);
    }
    const suspension = await suspend(admin, { projectId: uids[1], reason: 'This one.' });
    expect(suspension).toMatchObject({ projectId: 'shop' });
    expect(await subjects()).toEqual([{ subject: uids[1] }]);
    await resume(admin, suspension);
  }, 180_000);

  test('every operation that names a ledger finds a ledger of another project of the organization', async () => {
    const { resourceUUID = '' } = await admin.expect(201, 'POST', '/v1/projects', {
      ...{ name: 'Mill', projectID: 'mill', organization: { resourceUUID: one.organizationUuid } },
    });
    const ledger = {
      ...{ ledgerId: 'mill-chain', name: 'Mill', technology: 'ethereum', projectId: resourceUUID },
      ...{ properties: { chain_id: 31_337, development: true }, nodes: [{ uri: here.anvil.url }] },
    };
    await one.api.expect(201, 'POST', '/v1/admin/ledgers', ledger);
    const body = { ledgerId: 'mill-chain', reason: 'Its nodes are replaced.' };
    const suspension = await suspend(one.api, body);
    expect(suspension).toMatchObject({ ledgerId: 'mill-chain' });
    const filtered = `${path}?ledgerId=mill-chain`;
    expect(await one.api.expect(200, 'GET', filtered)).toEqual({ suspensions: [suspension], next: null });
    const suspendedFor = async (api: Api) =>
      (await api.expect<Health>(200, 'GET', '/v1/admin/ledger-health')).ledgers.map(
        ({ ledgerId }) => ledgerId,
      );
    expect([await suspendedFor(one.api), await suspendedFor(other.api)]).toEqual([['mill-chain'], []]);
    await resume(one.api, suspension);
    expect(await one.api.expect(200, 'GET', filtered)).toEqual({ suspensions: [], next: null });
    expect(await one.api.expect(200, 'GET', '/v1/plugins/selection?ledgerId=mill-chain')).toMatchObject({
      ledgerId: 'mill-chain',
      chosen: { canServe: true },
    });
    const { walletPassword: _, walletId: __, ...transfer } = transferBody('', nobody);
    const read = { ...transfer, ledgerId: 'mill-chain' };
    expect((await one.api.call('POST', '/v1/ledger-ops/emulate', read)).status).toBe(200);
    for (const [method, url, sent] of [
      ['POST', path, body],
      ['GET', filtered, undefined],
      ['GET', '/v1/plugins/selection?ledgerId=mill-chain', undefined],
      ['POST', '/v1/ledger-ops/emulate', read],
    ] as const) {
      const foreign = await other.api.call(method, url, sent);
      const unknown = await other.api.call(
        method,
        url.replace('mill-chain', 'none'),
        sent && { ...sent, ledgerId: 'none' },
      );
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      expect(foreign.text.replaceAll('mill-chain', 'none')).toBe(unknown.text);
    }
  }, 180_000);

  test('suspensions are filtered by one ledger, wallet or project that the caller can see', async () => {
    const ofWallet = await suspend(one.api, { walletId: 'payer', reason: 'One.' });
    const ofProject = await suspend(one.api, { projectId: one.projectId, reason: 'Two.' });
    const filtered = async (query: string) =>
      (await one.api.expect<SuspensionPage>(200, 'GET', `${path}?${query}`)).suspensions;
    expect(await filtered('walletId=payer')).toEqual([ofWallet]);
    expect(await filtered('walletId=second')).toEqual([]);
    expect(await filtered(`projectId=${one.projectId}`)).toEqual([ofProject]);
    expect(await filtered('ledgerId=chain')).toEqual([]);
    for (const [query, status] of [
      ['walletId=foreign', 404],
      ['ledgerId=none', 404],
      ['projectId=none', 404],
      ['walletId=payer&ledgerId=chain', 400],
    ] as const)
      expect((await one.api.call('GET', `${path}?${query}`)).status).toBe(status);
    for (const suspension of [ofWallet, ofProject]) await resume(one.api, suspension);
  }, 180_000);

  test('suspensions are listed in pages, and a request must name one resource and can be repeated with an Idempotency-Key', async () => {
    const made = [
      await suspend(one.api, { walletId: 'payer', reason: 'One.' }),
      await suspend(one.api, { walletId: 'second', reason: 'Two.' }),
      await suspend(one.api, { projectId: one.projectId, reason: 'Three.' }),
    ];
    const seen: Suspension[] = [];
    for (let query = '?size=2'; ; ) {
      const { suspensions, next } = await one.api.expect<SuspensionPage>(200, 'GET', path + query);
      seen.push(...suspensions);
      if (next === null) break;
      query = `?size=2&cursor=${next}`;
    }
    expect(seen).toEqual(made.toReversed());
    const id = await send(one, 'payer');
    expect((await show(one.api, id)).pending?.detail).toMatch(/^The project .* The wallet /);
    for (const body of [{ reason: 'Nothing.' }, { walletId: 'payer', ledgerId: 'chain', reason: 'Both.' }])
      expect((await one.api.call('POST', path, body)).status).toBe(400);
    for (const suspension of made) await resume(one.api, suspension);
    await ended(one.api, id);
    const request = {
      method: 'POST',
      headers: { ...one.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: JSON.stringify({ walletId: 'payer', reason: 'Again.' }),
    };
    const first = await (await fetch(here.url + path, request)).json();
    expect(await (await fetch(here.url + path, request)).json()).toEqual(first);
    await resume(one.api, first as Suspension);
  }, 180_000);
});

import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  type Api,
  addTokenTemplate,
  addTwoTenants,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  nobody,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))(
  'the storage limit action-bytes (%s)',
  (dialect) => {
    let here: Installation;
    let admin: Api;
    let one: Tenant;
    let other: Tenant;

    beforeAll(async () => {
      here = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
      admin = await logIn(here.url, here.administrator);
      ({ one, other } = await addTwoTenants(here));
      for (const [tenant, name] of [
        [one, 'alice'],
        [one, 'bob'],
        [other, 'carol'],
      ] as const)
        await addWallet(here, tenant, name);
    }, 180_000);
    afterAll(() => here?.close());

    const pathOf = ({ organizationId }: Tenant) => `/v1/admin/organizations/${organizationId}/storage-limits`;
    const setLimit = (tenant: Tenant, most: number | null) =>
      admin.expect(200, 'PUT', `${pathOf(tenant)}/action-bytes`, { most });
    async function usedBy(tenant: Tenant): Promise<number> {
      const { items } = await tenant.api.expect<{ items: { limit: string; used: number }[] }>(
        200,
        'GET',
        pathOf(tenant),
      );
      return items.find(({ limit }) => limit === 'action-bytes')?.used ?? Number.NaN;
    }
    /** Returns the usage once the servers have written the counts that they keep in memory. */
    async function settledUse(tenant: Tenant): Promise<number> {
      let last = -1;
      return vi.waitFor(
        async () => {
          const [before, used] = [last, await usedBy(tenant)];
          last = used;
          expect(used).toBe(before);
          return used;
        },
        { timeout: 20_000, interval: 1_500 },
      );
    }
    const actions = async () => (await here.server.store.read.all('SELECT id FROM action')).length;

    /** Returns a transfer with this many bytes of data. */
    function largeTransfer(walletId: string, bytes: number) {
      const body = transferBody(walletId, nobody);
      const content = { data: `0x${'ab'.repeat(bytes)}` };
      const meta = { ledger: { ethereum: { version: '1', native_transaction_content: content } } };
      return { ...body, glo: { ...body.glo, meta } };
    }
    const sendLarge = (tenant: Tenant, status: number, walletId: string, bytes = 8_000) =>
      tenant.api.expect<{ actionId: string }>(
        status,
        'POST',
        '/v1/ledger-ops/send',
        largeTransfer(walletId, bytes),
      );

    test('the storage limit counts the stored bytes of each transfer within seconds', async () => {
      const ids = [await send(one, 'alice'), await send(one, 'alice'), await send(one, 'bob')];
      const rows = await here.server.store.read.all<{ id: string; bytes: number; stored: number }>(
        `SELECT id, OCTET_LENGTH(operation) + OCTET_LENGTH(plan) AS bytes, stored_bytes AS stored FROM action`,
      );
      expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const { bytes, stored } of rows) expect(Number(stored)).toBe(Number(bytes));
      const sum = rows.reduce((total, { bytes }) => total + Number(bytes), 0);
      await vi.waitFor(async () => expect(await usedBy(one)).toBe(sum), { timeout: 10_000, interval: 50 });
      expect(await usedBy(other)).toBe(0);
      await Promise.all(ids.map((id) => ended(one.api, id)));
    }, 60_000);

    test('a transfer that exceeds the storage limit is refused until the limit is raised', async () => {
      const used = await usedBy(one);
      await setLimit(one, used + 100);
      const body = transferBody('alice', nobody);
      // The server notices a changed limit after a second.
      const refused = await vi.waitFor(
        async () => {
          const answer = await one.api.call<object>('POST', '/v1/ledger-ops/send', body);
          expect(answer.status).toBe(422);
          return answer.body;
        },
        { timeout: 10_000, interval: 50 },
      );
      expect(refused).toMatchObject({
        type: 'urn:ledger-ops:problem:storage-limit',
        ...{ limit: 'action-bytes', most: used + 100 },
      });
      await one.api.expect(422, 'POST', '/v1/ledger-ops/batch', { operations: [body] });
      await ended(other.api, await send(other, 'carol'));
      await setLimit(one, null);
      const id = await vi.waitFor(() => send(one, 'alice'), { timeout: 10_000, interval: 50 });
      await ended(one.api, id);
    }, 60_000);

    test('the storage limit counts a large action immediately', async () => {
      const before = await settledUse(one);
      const { actionId } = await sendLarge(one, 201, 'alice');
      const used = (await usedBy(one)) - before;
      const [row] = await here.server.store.read.all<{ bytes: number }>(
        `SELECT OCTET_LENGTH(operation) + OCTET_LENGTH(overrides) + OCTET_LENGTH(plan) AS bytes
        FROM action WHERE id = $1`,
        [actionId],
      );
      expect(used).toBeGreaterThan(16_000);
      expect(used).toBe(Number(row?.bytes));
      expect(await ended(one.api, actionId)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await usedBy(one)).toBe(before + used);
    }, 60_000);

    test('a large action that exceeds the storage limit is refused, but a small one is accepted', async () => {
      const used = await settledUse(one);
      await setLimit(one, used + 1_000);
      const before = await actions();
      expect(await sendLarge(one, 422, 'alice')).toMatchObject({
        type: 'urn:ledger-ops:problem:storage-limit',
        ...{ limit: 'action-bytes', used, most: used + 1_000 },
        detail: expect.stringContaining('wait until old actions are removed'),
      });
      expect([await actions(), await usedBy(one)]).toEqual([before, used]);
      const ids = [await send(one, 'alice'), (await sendLarge(other, 201, 'carol')).actionId];
      expect(await ended(one.api, ids[0] ?? '')).toMatchObject({ status: 'SUCCEEDED' });
      expect(await ended(other.api, ids[1] ?? '')).toMatchObject({ status: 'SUCCEEDED' });
      await setLimit(one, null);
      expect(await ended(one.api, (await sendLarge(one, 201, 'alice')).actionId)).toMatchObject({
        status: 'SUCCEEDED',
      });
    }, 60_000);

    test('concurrent sends within the storage limit are accepted, and those beyond it are refused', async () => {
      const before = await settledUse(one);
      await sendLarge(one, 201, 'alice');
      const each = (await usedBy(one)) - before;
      await setLimit(one, before + 4 * each + 100);
      const sending = Array.from({ length: 12 }, (_, at) =>
        one.api.call('POST', '/v1/ledger-ops/send', largeTransfer(at % 2 === 0 ? 'alice' : 'bob', 8_000)),
      );
      const statuses = (await Promise.all(sending)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([201, 201, 201, ...Array.from({ length: 9 }, () => 422)]);
      expect(await usedBy(one)).toBeLessThanOrEqual(before + 4 * each + 100);
      await setLimit(one, null);
    }, 60_000);

    test('a whole batch is refused if its total exceeds the storage limit', async () => {
      const [before, used] = [await actions(), await settledUse(one)];
      await setLimit(one, used + 50_000);
      const operations = Array.from({ length: 60 }, () => largeTransfer('alice', 2_000));
      expect(await one.api.expect<object>(422, 'POST', '/v1/ledger-ops/batch', { operations })).toMatchObject(
        { limit: 'action-bytes', used, most: used + 50_000 },
      );
      expect([await actions(), await usedBy(one)]).toEqual([before, used]);
      await setLimit(one, null);
    }, 60_000);

    test('the storage limit counts the template code that is stored with an action, even if the request was short', async () => {
      await addTokenTemplate(one.api, 'coin');
      const before = await settledUse(one);
      const source = { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' };
      const options = { contract_source: source, args: ['T'.repeat(600), 'TKN', '100'] };
      const glo = { version: '0.1.0', type: 'contract_deploy', options };
      const actionId = await send(one, 'alice', { glo });
      await ended(one.api, actionId);
      expect(await usedBy(one)).toBeGreaterThan(before + 4_096);
      const [row] = await here.server.store.read.all<{ bytes: number }>(
        'SELECT OCTET_LENGTH(operation) AS bytes FROM action WHERE id = $1',
        [actionId],
      );
      expect(Number(row?.bytes)).toBeLessThan(1_000);
    }, 60_000);
  },
);

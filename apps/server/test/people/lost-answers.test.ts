// The client over a network that loses responses, against a real server: nothing is paid twice.
import {
  createClient,
  type LedgerClient,
  OutcomeUnknownError,
  ProblemError,
  type Timing,
} from '@ledger-ops/client';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';
import { type LossyProxy, openLossyProxy } from './lossy-proxy.ts';

const recipient = '0x000000000000000000000000000000000000bEEF';
const day = 86_400_000;
let place: Installation;
let tenant: Tenant;
let proxy: LossyProxy;
let ledger: LedgerClient;
let sender: { walletId: string; walletPassword: string };

const open = (timing: Partial<Timing> = {}) =>
  createClient({
    ...{ baseUrl: proxy.url, applicationToken: tenant.applicationToken },
    credentials: {
      clientId: tenant.appId,
      serviceAccount: tenant.accountId,
      apiToken: tenant.apiToken,
    },
    timing: { again: 5, tries: 2, ...timing },
  });
const payment = (amount: number) => ({ ...sender, to: { ledger: 'ethereum', address: recipient }, amount });
const caught = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );
const isSend = (url: string | undefined) => url?.startsWith('/v1/ledger-ops/send') === true;
const actionIds = async () =>
  (await place.server.store.read.all<{ id: string }>('SELECT id FROM action ORDER BY id')).map(
    ({ id }) => id,
  );
/** Deletes the stored responses as the service does after 24 hours. */
const forgetResponses = async () => {
  const { store } = place.server;
  await store.transaction((tx) => tx.run('UPDATE idempotency SET created_at = created_at - $1', [2 * day]));
};

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  let stop: () => Promise<void> = async () => {};
  beforeAll(async () => {
    const environment: Record<string, string> = {};
    if (dialect === 'postgres') {
      const postgres = await openPostgres();
      stop = () => postgres.stop();
      environment.DATABASE_URL = await postgres.createDatabase();
    }
    place = await install(environment);
    tenant = await addTenant(place.url, place.administrator, 'acme');
    await addWallet(place, tenant, 'alice');
    const { walletId, walletPassword } = transferBody('alice', recipient);
    sender = { walletId, walletPassword };
    proxy = await openLossyProxy(place.url);
  });
  beforeEach(() => {
    proxy.fate = () => 'pass';
    ledger = open();
  });
  afterAll(async () => {
    await proxy?.close();
    await place?.close();
    await stop();
  });

  test('a transfer whose responses are lost is paid once if the client repeats it with the key in the error', async () => {
    const before = await actionIds();
    proxy.fate = ({ url }) => (isSend(url) ? 'lose-response' : 'pass');
    const error = await caught(ledger.transfer(payment(1)));
    if (!(error instanceof OutcomeUnknownError)) throw error;
    const idempotencyKey = error.idempotencyKey ?? '';
    const [action] = await ledger.findActions({ idempotencyKey });
    proxy.fate = () => 'pass';
    const accepted = await ledger.transfer({ ...payment(1), idempotencyKey });
    expect(accepted.actionId).toBe(action?.actionId);
    expect(await actionIds()).toHaveLength(before.length + 1);
    await ledger.waitFor(accepted);
  });

  test('aborting a transfer while it is sent throws an error with the key by which its action can be found', async () => {
    const over = new AbortController();
    proxy.fate = ({ url }) => {
      if (isSend(url)) over.abort(new Error('Enough.'));
      return 'pass';
    };
    const error = await caught(ledger.transfer({ ...payment(2), signal: over.signal }));
    if (!(error instanceof OutcomeUnknownError)) throw error;
    proxy.fate = () => 'pass';
    const idempotencyKey = error.idempotencyKey ?? '';
    const { actionId } = await ledger.transfer({ ...payment(2), idempotencyKey });
    expect(await ledger.findActions({ idempotencyKey })).toMatchObject([{ actionId }]);
  });

  test('transfers with the same reference are paid once, even days apart, and a different amount is refused', async () => {
    const first = await ledger.transfer({ ...payment(3), reference: 'invoice-4711' });
    const before = await actionIds();
    await forgetResponses();
    const again = await ledger.transfer({ ...payment(3), reference: 'invoice-4711' });
    expect(again).toEqual(first);
    await forgetResponses();
    const other = await caught(ledger.transfer({ ...payment(4), reference: 'invoice-4711' }));
    expect(other).toBeInstanceOf(ProblemError);
    expect((other as ProblemError).is('idempotency-key-reused')).toBe(true);
    // Concurrent requests also find the action.
    const together = await Promise.all(
      Array.from({ length: 8 }, () => ledger.transfer({ ...payment(3), reference: 'invoice-4711' })),
    );
    expect(new Set(together.map(({ actionId }) => actionId))).toEqual(new Set([first.actionId]));
    expect(await actionIds()).toEqual(before);
  });

  test('repeating a transfer after days requires neither the wallet password nor funds', async () => {
    const first = await ledger.transfer({ ...payment(5), reference: 'no-password' });
    await forgetResponses();
    const again = { ...payment(5), walletPassword: 'not the password', reference: 'no-password' };
    expect(await ledger.transfer(again)).toEqual(first);
  });

  test('a batch that is repeated after days returns its actions, but not why operations were refused', async () => {
    const body = {
      operations: [
        { ...transferBody('alice', recipient), name: 'rent' },
        { ...transferBody('nobody', recipient), name: 'wrong' },
        { ...transferBody('alice', recipient), name: 'food', dependencies: ['rent'] },
      ],
    };
    const headers = { 'Idempotency-Key': 'batch-1' };
    type Answer = {
      results: { name: string; status: string; actionId?: string; problem?: { type: string } }[];
    };
    const send = async () => await tenant.api.call<Answer>('POST', '/v1/ledger-ops/batch', body, headers);
    const { body: first } = await send();
    const before = await actionIds();
    await forgetResponses();
    const again = await send();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    const [rent, , food] = first.results;
    expect(again.body).toEqual({
      ...{ accepted: 2, refused: 1 },
      results: [
        rent,
        {
          ...{ name: 'wrong', status: 'REFUSED' },
          problem: expect.objectContaining({ type: 'urn:ledger-ops:problem:answer-not-replayable' }),
        },
        food,
      ],
    });
    expect((await ledger.findActions({ idempotencyKey: 'batch-1' })).map(({ actionId }) => actionId)).toEqual(
      [rent?.actionId, food?.actionId],
    );
    expect(await actionIds()).toEqual(before);
  });

  test('a cloud-wallet request repeated after days succeeds, unless its content differs', async () => {
    const actionId = crypto.randomUUID();
    const { glo } = transferBody('alice', recipient);
    const body = {
      actionId,
      glo,
      wallet: 'alice',
      pluginParams: { walletPassword: sender.walletPassword },
    };
    const send = async (more: object = {}) =>
      await tenant.api.call('POST', '/v1/cloud-wallet/transactions', { ...body, ...more });
    const first = await send();
    expect(first.status).toBe(200);
    await forgetResponses();
    expect((await send()).status).toBe(200);
    await forgetResponses();
    expect((await send({ glo: { ...glo, meta: {} } })).status).toBe(409);
  });

  test('a search by Idempotency-Key finds only actions of the caller, and none for an unknown key', async () => {
    await ledger.transfer({ ...payment(6), idempotencyKey: 'whose' });
    expect(await ledger.findActions({ idempotencyKey: 'whose' })).toHaveLength(1);
    expect(await ledger.findActions({ idempotencyKey: 'nobody-used-it' })).toEqual([]);
    const other = await addTenant(place.url, place.administrator, 'other');
    const path = '/v1/ledger-ops/search/actions?idempotencyKey=whose';
    expect(await other.api.expect(200, 'GET', path)).toEqual([]);
  });

  test('deleting a webhook succeeds if only the second attempt gets a response', async () => {
    const { data } = await ledger.http.POST('/v1/webhooks', { body: { url: 'https://shop.example/hook' } });
    const path = { webhookId: data?.id ?? '' };
    const stored = async () => await place.server.store.read.all('SELECT * FROM webhook');
    expect(await stored()).toHaveLength(1);
    let tries = 0;
    proxy.fate = ({ method }) => {
      if (method !== 'DELETE') return 'pass';
      tries += 1;
      return tries === 1 ? 'lose-response' : 'pass';
    };
    await ledger.http.DELETE('/v1/webhooks/{webhookId}', { params: { path } });
    expect(tries).toBe(2);
    expect(await stored()).toEqual([]);
    expect(await caught(ledger.http.DELETE('/v1/webhooks/{webhookId}', { params: { path } }))).toMatchObject({
      status: 404,
    });
  });
});

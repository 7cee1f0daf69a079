// npm installs the client's tarball in an empty folder outside of the workspace. Programs in that folder use the client
// over a network that loses responses. The server runs from these sources.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { childEnvironment } from '../../../../testing/children.ts';
import { installPublished, type PackedFolder } from '../../../../testing/packed.ts';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';
import { type Fate, type LossyProxy, openLossyProxy } from './lossy-proxy.ts';

const run = promisify(execFile);
const recipient = '0x000000000000000000000000000000000000bEEF';
let packed: PackedFolder;
let place: Installation;
let tenant: Tenant;
let proxy: LossyProxy;

beforeAll(async () => {
  packed = installPublished(['client'], inject('runFolder'));
  place = await install();
  tenant = await addTenant(place.url, place.administrator, 'acme');
  await addWallet(place, tenant, 'alice');
  proxy = await openLossyProxy(place.url);
  proxy.delayMs = 2_000;
  let lost = '';
  // After a program has requested `/lose/POST`, for example, the responses to POST requests are lost.
  proxy.fate = ({ method, url = '' }): Fate => {
    if (url.startsWith('/lose/')) lost = url.slice('/lose/'.length);
    if (lost === 'delay' && method === 'POST') return 'delay';
    const isLost = method === lost && !url.startsWith('/v1/auth');
    if (isLost && method === 'DELETE') lost = '';
    return isLost ? 'lose-response' : 'pass';
  };
}, 300_000);
afterAll(async () => {
  await proxy?.close();
  await place?.close();
  packed?.remove();
});

const beginning = `
import { createClient, OutcomeUnknownError } from '@ledger-ops/client';
const { settings, sender, recipient } = JSON.parse(process.env.GIVEN);
const ledger = createClient({ ...settings, timing: { again: 5, tries: 2 } });
const lose = (method) => fetch(settings.baseUrl + '/lose/' + method);
const payment = (amount) => ({ ...sender, to: { ledger: 'ethereum', address: recipient }, amount });
const unknown = async (work) => {
  const error = await work.then(() => undefined, (thrown) => thrown);
  if (!(error instanceof OutcomeUnknownError)) throw error ?? new Error('The call got a response.');
  return error;
};
const print = (value) => console.log(JSON.stringify(value));
`;

/** Runs a program in the folder and returns what it printed. */
async function use(name: string, program: string): Promise<unknown> {
  writeFileSync(join(packed.folder, `${name}.mjs`), beginning + program);
  const { walletId, walletPassword } = transferBody('alice', recipient);
  const credentials = { clientId: tenant.appId, serviceAccount: tenant.accountId, apiToken: tenant.apiToken };
  const settings = { baseUrl: proxy.url, applicationToken: tenant.applicationToken, credentials };
  const { stdout } = await run(process.execPath, [`${name}.mjs`], {
    cwd: packed.folder,
    env: {
      ...childEnvironment(),
      GIVEN: JSON.stringify({ settings, sender: { walletId, walletPassword }, recipient }),
    },
  });
  return JSON.parse(stdout);
}

const stored = (table: string) => place.server.store.read.all(`SELECT * FROM ${table}`);

test('a transfer without a response throws an error whose idempotency key can find the action or retry the transfer', async () => {
  const before = (await stored('action')).length;
  const printed = await use(
    'transfer',
    `
await lose('POST');
const { idempotencyKey, operation } = await unknown(ledger.transfer(payment(1)));
await lose('');
const [found] = await ledger.findActions({ idempotencyKey });
const again = await ledger.transfer({ ...payment(1), idempotencyKey });
print({ operation, isSame: found.actionId === again.actionId });
`,
  );
  expect(printed).toEqual({ operation: expect.any(String), isSame: true });
  expect(await stored('action')).toHaveLength(before + 1);
});

test('a transfer that is aborted while it is sent throws an error with its idempotency key', async () => {
  const before = (await stored('action')).length;
  const printed = await use(
    'signal',
    `
// Signs in first. The proxy then delays the transfer, so the signal fires while the transfer is sent.
await ledger.findActions({ idempotencyKey: 'none' });
await lose('delay');
const over = new AbortController();
const work = ledger.transfer({ ...payment(2), signal: over.signal });
setTimeout(() => over.abort(new Error('Enough.')), 300);
const { idempotencyKey } = await unknown(work);
await lose('');
const again = await ledger.transfer({ ...payment(2), idempotencyKey });
print({ actions: (await ledger.findActions({ idempotencyKey })).length, isAccepted: again.actionId !== undefined });
`,
  );
  expect(printed).toEqual({ actions: 1, isAccepted: true });
  expect(await stored('action')).toHaveLength(before + 1);
});

test('creating a record without getting the response throws OutcomeUnknownError, and a repeated deletion succeeds', async () => {
  const printed = await use(
    'webhook',
    `
await lose('POST');
const body = { templateId: 'coin', name: 'Coin' };
const { idempotencyKey, operation } = await unknown(ledger.http.POST('/v1/contract-templates', { body }));
await lose('');
await ledger.http.POST('/v1/contract-templates', { body, headers: { 'Idempotency-Key': idempotencyKey } });
const { data } = await ledger.http.POST('/v1/webhooks', { body: { url: 'https://shop.example/hook' } });
await lose('DELETE');
const { response } = await ledger.http.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId: data.id } } });
print({ operation, status: response.status });
`,
  );
  expect(printed).toMatchObject({ operation: expect.any(String), status: expect.any(Number) });
  expect(await stored('webhook')).toEqual([]);
});

test('transfers with the same reference are paid once, even after the stored response has expired', async () => {
  const program = "print(await ledger.transfer({ ...payment(3), reference: 'invoice-7' }));";
  const first = await use('reference', program);
  const before = await stored('action');
  const { store } = place.server;
  await store.transaction((tx) =>
    tx.run('UPDATE idempotency SET created_at = created_at - $1', [172_800_000]),
  );
  expect(await use('reference', program)).toEqual(first);
  expect(await stored('action')).toHaveLength(before.length);
});

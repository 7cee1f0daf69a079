import { Problem } from '@ledger-ops/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idempotencyAgeMs } from '../../src/http/idempotency.ts';
import { addCaller, type Ground, makeServer, openGround, problemOf, sendBody } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const path = '/v1/ledger-ops/send';

test('a retry with the same Idempotency-Key and body returns the first response and sends nothing', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'same-body' };
  const first = await call('POST', path, sendBody(), headers);
  const second = await call('POST', path, sendBody(), headers);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await second.json()).toMatchObject((await first.json()) as object);
  expect(runtime.sent).toHaveLength(1);
});

test('a retry whose body differs only in member order or password returns the first response', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'order' };
  await call('POST', path, sendBody(), headers);
  const turned = Object.fromEntries(Object.entries(sendBody({ walletPassword: 'another' })).toReversed());
  expect((await call('POST', path, turned, headers)).status).toBe(201);
  expect(runtime.sent).toHaveLength(1);
});

test('a retry does not require the correct wallet password, as documented', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'no-password' };
  const first = await call('POST', path, sendBody(), headers);
  runtime.failWith(new Problem('wrong-wallet-password', 'The password is wrong.'));
  const wrong = await call('POST', path, sendBody({ walletPassword: 'not the password' }), headers);
  expect([wrong.status, wrong.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(await wrong.json()).toMatchObject((await first.json()) as object);
  const { paths } = (await (await call('GET', '/openapi.json')).json()) as {
    paths: Record<string, { post?: { parameters?: { name: string; description?: string }[] } }>;
  };
  const parameter = paths[path]?.post?.parameters?.find(({ name }) => name === 'Idempotency-Key');
  expect(parameter?.description).toContain('needs no wallet password');
});

test('a retry is refused if the names in its transient data differ, but not if only the values differ', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'transient' };
  const body = (transient: Record<string, string>) => {
    const content = { channel: 'c', transient };
    const ledger = { 'hyperledger-fabric': { version: '0.1.0', native_transaction_content: content } };
    const { glo } = sendBody() as { glo: object };
    return sendBody({ glo: { ...glo, meta: { ledger } } });
  };
  expect((await call('POST', path, body({ price: 'MQ==' }), headers)).status).toBe(201);
  expect((await call('POST', path, body({ price: 'Mg==' }), headers)).status).toBe(201);
  expect((await call('POST', path, body({ cost: 'MQ==' }), headers)).status).toBe(422);
  expect(runtime.sent).toHaveLength(1);
});

test('the same key with another body or path gets 422', async () => {
  const { call } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'other-body' };
  await call('POST', path, sendBody(), headers);
  const other = await call('POST', path, sendBody({ tag: 'other' }), headers);
  expect(other.status).toBe(422);
  expect((await problemOf(other)).type).toBe('urn:ledger-ops:problem:idempotency-key-reused');
  expect((await call('POST', '/v1/contract-groups', { name: 'x' }, headers)).status).toBe(422);
});

test('two callers with the same Idempotency-Key each send their own action', async () => {
  const { call, runtime } = makeServer(ground);
  const other = await addCaller(ground.store, ground.auth, ground.administrator, 'keys');
  const headers = { 'Idempotency-Key': 'whose' };
  await call('POST', path, sendBody(), headers);
  await call('POST', path, sendBody(), { ...headers, ...other.headers });
  expect(runtime.sent).toHaveLength(2);
});

test('if a request and its duplicate run concurrently, both return the same response', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'race' };
  await call('POST', path, sendBody(), { 'Idempotency-Key': 'unrelated' });
  const claim = runtime.sent[0]?.claim;
  runtime.failWith(new Problem('conflict', 'accepted at the same moment'));
  const lost = call('POST', path, sendBody(), headers);
  const { status } = await lost;
  expect(status).toBe(409);
  expect(claim?.key).toBe('unrelated');
  const won = await call('POST', path, sendBody(), headers);
  runtime.failWith(new Problem('conflict', 'accepted at the same moment'));
  const again = await call('POST', path, sendBody(), headers);
  expect(await again.json()).toMatchObject((await won.json()) as object);
});

test('a response with a secret is not returned again', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'secret-answer' };
  await call('POST', path, sendBody(), headers);
  await ground.store.transaction((tx) =>
    tx.run('UPDATE idempotency SET body = NULL WHERE key = $1', ['secret-answer']),
  );
  const again = await call('POST', path, sendBody(), headers);
  expect(again.status).toBe(409);
  expect((await problemOf(again)).type).toBe('urn:ledger-ops:problem:answer-not-replayable');
  expect(runtime.sent).toHaveLength(1);
});

test('a key can be used for another request after a day', async () => {
  const { call, runtime } = makeServer(ground);
  const headers = { 'Idempotency-Key': 'old' };
  await call('POST', path, sendBody(), headers);
  await ground.store.transaction((tx) =>
    tx.run('UPDATE idempotency SET created_at = created_at - $1 WHERE key = $2', [
      idempotencyAgeMs + 10_000,
      'old',
    ]),
  );
  expect((await call('POST', path, sendBody({ tag: 'new' }), headers)).status).toBe(201);
  expect(runtime.sent).toHaveLength(2);
});

test('a key that is too long or contains a space is rejected', async () => {
  const { call } = makeServer(ground);
  for (const key of ['x'.repeat(256), 'a b']) {
    const response = await call('POST', path, sendBody(), { 'Idempotency-Key': key });
    expect((await problemOf(response)).errors?.[0]?.pointer).toBe('Idempotency-Key');
  }
});

test('the database stores a fingerprint of a request, not its contents', async () => {
  const { call } = makeServer(ground);
  await call('POST', path, sendBody(), { 'Idempotency-Key': 'stored' });
  const rows = await ground.store.read.all('SELECT * FROM idempotency WHERE key = $1', ['stored']);
  expect(JSON.stringify(rows)).not.toContain('horse');
  expect(rows).toMatchObject([{ fingerprint: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) }]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';

const other = '0x000000000000000000000000000000000000bEEF';
let place: Installation;
let tenant: Tenant;

beforeAll(async () => {
  place = await install();
  tenant = await addTenant(place.url, place.administrator, 'acme');
  await addWallet(place, tenant, 'alice');
});
afterAll(() => place?.close());

test('an intent is returned in the letter case of the request, and found in any letter case', async () => {
  const intent = '7B1C2B8E-2d0f-4E0A-9c2f-0C2B6A3B7F10';
  const { api } = tenant;
  const body = { ...transferBody('alice', other), intent };
  expect(await api.expect(201, 'POST', '/v1/ledger-ops/send', body)).toMatchObject({ intent });
  const found = await api.expect<object[]>(200, 'GET', `/v1/ledger-ops/search/intents/${intent}`);
  expect(found).toMatchObject([{ intent: intent.toLowerCase() }]);
});

test('a gas limit below the floor price of the data gets 422 with the required minimum and a pointer', async () => {
  const body = transferBody('alice', other);
  const content = { gasLimit: 21_500, data: `0x${'ff'.repeat(5)}${'00'.repeat(31)}` };
  const meta = { ledger: { ethereum: { version: '0.1.0', native_transaction_content: content } } };
  const answer = await tenant.api.call<{ detail: string; errors: { pointer: string }[]; data: object }>(
    ...(['POST', '/v1/ledger-ops/send', { ...body, glo: { ...body.glo, meta } }] as const),
  );
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({
    type: 'urn:ledger-ops:problem:out-of-gas',
    errors: [{ pointer: '/glo/meta/ledger/ethereum/native_transaction_content/gasLimit' }],
    data: { least: '21510' },
  });
  const enough = { ...meta.ledger.ethereum, native_transaction_content: { ...content, gasLimit: 21_510 } };
  const glo = { ...body.glo, meta: { ledger: { ethereum: enough } } };
  await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', { ...body, glo });
});

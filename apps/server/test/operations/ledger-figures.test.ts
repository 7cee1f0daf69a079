// Figures of followed ledgers, over HTTP.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addTwoTenants,
  ended,
  type Installation,
  install,
  nobody,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

let here: Installation;
let one: Tenant;
let other: Tenant;

beforeAll(async () => {
  here = await install();
  ({ one, other } = await addTwoTenants(here));
});
afterAll(() => here?.close());

interface Health {
  ledgers: object[];
  followed: { ledgerId: string; height: number; nodeLatencyMs: number | null }[];
}
const followed = async ({ api }: Tenant) =>
  (await api.expect<Health>(200, 'GET', '/v1/admin/ledger-health')).followed;

test('a tenant sees figures of the ledgers that the server follows, but not of other tenants’ ledgers', async () => {
  expect(await followed(one)).toEqual([]);
  const own = { ledgerId: 'own', name: 'Own', technology: 'ethereum', nodes: [{ uri: here.anvil.url }] };
  await one.api.expect(201, 'POST', '/v1/admin/ledgers', own);
  const { walletAddress = '' } = await one.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'owner', ledgerId: 'own' },
    pluginParameters: { walletPassword: transferBody('owner', nobody).walletPassword },
  });
  await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  for (const walletId of ['owner', 'payer']) {
    const { actionId = '' } = await one.api.expect(
      ...([201, 'POST', '/v1/ledger-ops/send', transferBody(walletId, nobody)] as const),
    );
    await ended(one.api, actionId);
  }
  const seen = await followed(one);
  expect(seen.map(({ ledgerId }) => ledgerId).toSorted()).toEqual(['chain', 'own']);
  for (const ledger of seen) {
    expect(ledger).toEqual({
      uid: expect.any(String),
      ledgerId: ledger.ledgerId,
      height: expect.any(Number),
      newestBlockAt: expect.stringMatching(/^\d{4}-.*Z$/),
      finalHeight: expect.any(Number),
      slotTimeMs: null,
      blockTimeMs: expect.toSatisfy((value) => value === null || Number.isInteger(value)),
      gasPrice: expect.stringMatching(/^\d+$/),
      nodeLatencyMs: expect.any(Number),
    });
    expect(ledger.height).toBeGreaterThan(0);
  }
  expect((await followed(other)).map(({ ledgerId }) => ledgerId)).toEqual(['chain']);
}, 180_000);

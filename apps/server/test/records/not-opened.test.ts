import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

/** An address that the deployer has not allowed, and at which nothing responds. */
const closed = 'http://10.255.255.1:8545';
const other = '0x000000000000000000000000000000000000bEEF';
const notOpened = 'urn:ledger-ops:problem:address-not-opened';

interface Refusal {
  type: string;
  detail: string;
  errors?: { pointer: string }[];
}

let place: Installation;
let tenant: Tenant;
let admin: Api;

beforeAll(async () => {
  place = await install();
  tenant = await addTenant(place.url, place.administrator, 'acme');
  admin = await logIn(place.url, place.administrator);
  await addWallet(place, tenant, 'alice');
});
afterAll(() => place?.close());

/** Replaces the nodes of the shared ledger with one at this address. */
async function moveTo(uri: string): Promise<void> {
  const { registry, store } = place.server;
  const ledger = await registry.ledgerByLedgerId('chain');
  if (ledger === null) throw new Error('There is no ledger chain.');
  await store.transaction(async (tx) => {
    for (const { uid } of ledger.nodes) await registry.removeNode(tx, uid);
    await registry.addNode(tx, ledger.uid, { uri });
  });
}

test('registering a node at a blocked address is refused with a pointer and the name of the setting', async () => {
  const ledger = {
    ...{ name: 'Own', ledgerID: 'own', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
    nodes: [{ options: { uri: closed } }],
  };
  const created = await tenant.api.call<Refusal>('POST', '/v1/ledgers', ledger);
  expect([created.status, created.body.type]).toEqual([422, notOpened]);
  expect(created.body.errors).toMatchObject([{ pointer: '/nodes/0/options/uri' }]);
  expect(created.body.detail).toContain('OUTBOUND_OPEN');
  expect((await tenant.api.call('GET', '/v1/ledgers/own')).status).toBe(404);

  await tenant.api.expect(201, 'POST', '/v1/ledgers', { ...ledger, nodes: [] });
  const node = { ledgerID: 'own', options: { uri: closed } };
  const added = await tenant.api.call<Refusal>('POST', '/v1/nodes', node);
  expect([added.status, added.body.type]).toEqual([422, notOpened]);
  expect(added.body.errors).toMatchObject([{ pointer: '/options/uri' }]);
  expect(added.body.detail).toContain('OUTBOUND_OPEN');
});

test('if a ledger’s only node has a blocked address, only its administrators see that OUTBOUND_OPEN would allow it', async () => {
  await moveTo(closed);
  try {
    const sent = await tenant.api.call<Refusal>('POST', '/v1/ledger-ops/send', transferBody('alice', other));
    expect([sent.status, sent.body.type]).toEqual([422, notOpened]);
    expect(sent.headers.get('retry-after')).toBeNull();
    const { walletId, glo } = transferBody('alice', other);
    const emulated = await tenant.api.call<Refusal>('POST', '/v1/ledger-ops/emulate', { walletId, glo });
    expect([emulated.status, emulated.body.type]).toEqual([422, notOpened]);
    const wallet = {
      ledgerId: 'chain',
      pluginParameters: { walletPassword: 'correct horse battery staple' },
    };
    const made = await tenant.api.call<Refusal>('POST', '/v1/cloud-wallet/wallets', {
      ...wallet,
      walletId: 'bob',
    });
    expect([made.status, made.body.type]).toEqual([422, notOpened]);
    for (const { body } of [sent, emulated, made]) expect(body.detail).not.toContain('OUTBOUND');
    // An administrator of the ledger sees the setting.
    const shownToAdmin = await admin.call<Refusal>('POST', '/v1/ledger-ops/emulate', {
      ledgerId: 'chain',
      glo,
    });
    expect([shownToAdmin.status, shownToAdmin.body.type]).toEqual([422, notOpened]);
    expect(shownToAdmin.body.detail).toContain('OUTBOUND_OPEN');
  } finally {
    await moveTo(place.anvil.url);
  }
  expect((await tenant.api.call('POST', '/v1/ledger-ops/send', transferBody('alice', other))).status).toBe(
    201,
  );
});

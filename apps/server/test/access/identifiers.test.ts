// Every operation with an e-mail address finds the same person, regardless of the address's spelling.
import { Secret } from '@ledger-ops/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, type Installation, install, logIn } from '../stage/api.ts';

let here: Installation;
let admin: Api;
let serviceId: string;
const stored = 'jos\u00e9@b\u00fccher.example';
const password = 'correct horse battery staple';
const typed = [
  stored,
  'jose\u0301@bu\u0308cher.example',
  'JOS\u00c9@B\u00dcCHER.EXAMPLE',
  '\uff4aos\u00e9@b\u00fccher.example',
  'jos\u00e9@xn--bcher-kva.example',
  'jos\u00e9@b\u00fccher.example.',
];

beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
  const made = await admin.expect(201, 'POST', '/v1/identities', { identifier: typed[1] });
  expect(made.identifier).toBe(stored);
  serviceId = made.serviceId ?? '';
  const { auth, store } = here.server;
  const { initToken } = await store.transaction((tx) => auth.createInitToken(tx, serviceId));
  await admin.expect(200, 'POST', '/v1/auth/init-user', {
    initToken: initToken.reveal(),
    acceptTnC: true,
    additional: { name: 'José', password: new Secret(password).reveal() },
  });
});
afterAll(() => here.close());

test('an identity is found by any spelling of its address', async () => {
  for (const identifier of typed) {
    const again = await admin.call('POST', '/v1/identities', { identifier });
    expect([again.status, again.body.type]).toEqual([409, 'urn:ledger-ops:problem:already-exists']);
    const path = encodeURIComponent(identifier);
    expect(await admin.expect(200, 'GET', `/v1/identities/${path}`)).toMatchObject({ serviceId });
    const listed = await admin.expect<object[]>(200, 'GET', `/v1/identities?identifiers=${path}`);
    expect(listed).toMatchObject([{ serviceId, identifier: stored }]);
    const credentials = { username: identifier, password };
    expect(await admin.expect(200, 'POST', '/v1/auth/login', credentials)).toMatchObject({ serviceId });
    const older = { credentials: 'password', ...credentials };
    expect(await admin.expect(200, 'POST', '/v1/identities/authenticate', older)).toMatchObject({
      serviceId,
    });
  }
});

test.each(['JOS\u00c9', 'jose\u0301', '\uff4aos\u00e9', 'B\u00dcCHER'])(
  'a search for %s finds the identity',
  async (part) => {
    const found = await admin.expect<object[]>(
      200,
      'GET',
      `/v1/identities/search/${encodeURIComponent(part)}`,
    );
    expect(found).toMatchObject([{ serviceId }]);
  },
);

test('an invitation contains the address in the spelling that is stored for the identity', async () => {
  const organization = await admin.expect(201, 'POST', '/v1/organizations', { name: 'Books' });
  const invitation = await admin.expect(201, 'POST', '/v1/invitations', {
    userEmail: typed[2],
    organizationId: organization.organizationID,
  });
  expect(invitation.userEmail).toBe(stored);
});

test.each(['stra\u00dfe', 'STRASSE', 'stra\u1e9ee'])(
  'an address with the local part %s belongs to the same identity as one with straße',
  async (local) => {
    await admin.call('POST', '/v1/identities', { identifier: 'stra\u00dfe@example.com' });
    const again = await admin.call('POST', '/v1/identities', { identifier: `${local}@example.com` });
    expect(again.status).toBe(409);
  },
);

test.each([
  'a\u200bda@example.com',
  'ada.@example.com',
  'ada@example..com',
  'ada\u202e@example.com',
  'ada@example.com/x',
])('%j is refused as an address', async (identifier) => {
  for (const [path, body, pointer] of [
    ['/v1/identities', { identifier }, '/identifier'],
    ['/v1/service-accounts', { name: 'x', email: identifier }, '/email'],
    ['/v1/invitations', { userEmail: identifier, organizationId: 'administration' }, '/userEmail'],
  ] as const) {
    const { status, body: problem } = await admin.call<{ errors: object[] }>('POST', path, body);
    expect([path, status, problem.errors]).toMatchObject([path, 400, [{ pointer }]]);
  }
});

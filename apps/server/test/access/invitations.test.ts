// Tests over HTTP who may respond to an invitation, and with which secret: the inviter, the invited person
// and others.
import { randomBytes } from 'node:crypto';
import { createAdmin, type MailMessage } from '@ledger-ops/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  addCaller,
  type Ground,
  makeServer,
  openGround,
  type TestCaller,
  type TestServer,
} from '../stage/harness.ts';
import { addPendingUser, addUser, addWebApp, headersOfUser } from './users.ts';

const redirectUri = 'https://client.example/callback';
const password = 'correct horse battery staple';
let ground: Ground;
let server: TestServer;
let web: TestCaller;
let acme: Owner;
let other: Owner;
let email: string;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
  web = await addWebApp(ground, 'web', [redirectUri]);
  acme = await addOwner('acme');
  other = await addOwner('other');
});
afterAll(() => ground.close());
beforeEach(() => {
  email = `invited-${randomBytes(6).toString('hex')}@example.com`;
});

type Headers = Readonly<Record<string, string>>;
interface Owner {
  readonly headers: Headers;
  readonly caller: TestCaller;
  readonly organizationId: string;
  readonly projectUid: string;
}
interface Body {
  readonly [member: string]: unknown;
  readonly id?: number;
  readonly invitationToken?: string;
}

/** Creates an account that owns its own organization. */
async function addOwner(name: string): Promise<Owner> {
  const { store, auth, administrator } = ground;
  const caller = await addCaller(store, auth, administrator, name);
  const { principal } = caller;
  await store.transaction(async (tx) => {
    const [row] = await tx.all<{ parent_uid: string }>('select parent_uid from resource where uid = $1', [
      principal.projectUid,
    ]);
    const resourceUid = row?.parent_uid ?? '';
    await auth.assignRole(tx, { holder: { identity: principal.serviceId }, role: 'owner', resourceUid });
    await auth.assignRole(tx, { holder: { app: principal.appUid }, role: 'application', resourceUid });
  });
  return { headers: caller.headers, caller, organizationId: `org-${name}`, projectUid: principal.projectUid };
}

const ask = async <Answer = Body>(headers: Headers, method: string, path: string, body?: unknown) => {
  const response = await server.call(method, path, body, { ...headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: read<Answer>(text) };
};
/** Parses a response as the type that the caller declares. */
const read = <Answer>(text: string): Answer => JSON.parse(/^[{[]/.test(text) ? text : '{}');
const invite = async (by: Owner, more: object = {}, query = '') => {
  const answer = await ask(by.headers, 'POST', `/v1/invitations${query}`, {
    userEmail: email,
    organizationId: by.organizationId,
    invitationResourceRoles: [{ resource: { resourceUUID: by.projectUid }, role: { name: 'viewer' } }],
    ...more,
  });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
};
const listed = async (by: Owner, state = 'PENDING') => {
  const { body } = await ask<Body[]>(by.headers, 'GET', `/v1/invitations?invitationState=${state}`);
  return body.filter(({ userEmail }) => userEmail === email);
};
/** Sends the request without credentials, like the page that the mail links to. */
const initUser = async (initToken: string, chosen = password) => {
  const response = await server.app.request('/v1/auth/init-user', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ acceptTnC: true, additional: { name: 'Invited', password: chosen }, initToken }),
  });
  const text = await response.text();
  return { status: response.status, text, body: read<Body>(text) };
};
const identities = () =>
  ground.store.read.all<{ service_id: string; status: string; type: string }>(
    'select service_id, status, type from identity where identifier = $1',
    [email],
  );
const rolesOf = async (serviceId: string) => {
  const rows = await ground.store.read.all<{ resource_uid: string }>(
    'select resource_uid from role_assignment where holder = $1',
    [`identity:${serviceId}`],
  );
  return rows.map(({ resource_uid }) => resource_uid);
};
const mailsTo = async (count: number) =>
  await vi.waitFor(
    () => {
      const found = ground.mails.filter(({ to }) => to === email);
      expect(found).toHaveLength(count);
      return found;
    },
    { timeout: 30_000 },
  );
/** Returns the value of a parameter in the links of the newest mail. */
const inMail = async (name: 'initToken' | 'invitationToken', count = 1) => {
  const text = (await mailsTo(count)).at(-1)?.text ?? '';
  return new RegExp(`[?&]${name}=([\\w-]+)`).exec(text)?.[1];
};
const secretOf = async (count = 1) => {
  const secret = await inMail('initToken', count);
  if (secret === undefined) throw new Error('The mail has no secret.');
  return secret;
};
const recorded = async (action: string) =>
  (
    await ask<{ targetObject: string; identity: string }[]>(
      ground.superuser.headers,
      'GET',
      `/v1/timeline/services/invitations/actions/${action}?from=2020-01-01T00:00:00Z`,
    )
  ).body;
const accept = (headers: Headers, { invitationToken = '' }: Body) =>
  ask(headers, 'PUT', `/v1/invitations?invitationToken=${invitationToken}`);

describe('responses to an inviter', () => {
  test('the response to inviting an unknown or PENDING address contains no secret that could set a password', async () => {
    const made = await invite(acme);
    expect((await initUser(made.invitationToken ?? '')).status).toBe(400);
    expect(await identities()).toEqual([]);

    const pending = await addPendingUser(ground);
    email = pending.email;
    const again = await invite(acme);
    expect((await initUser(again.invitationToken ?? '')).status).toBe(400);
    expect(await identities()).toMatchObject([{ status: 'PENDING' }]);
    expect(await listed(acme)).toHaveLength(1);
  });

  test('no response, listing, timeline record or log line contains the mailed secret', async () => {
    const key = { 'Idempotency-Key': randomBytes(8).toString('hex') };
    const by = { ...acme, headers: { ...acme.headers, ...key } };
    const made = await invite(by);
    const secret = await secretOf();
    const answers = [
      JSON.stringify(made),
      JSON.stringify(await invite(by)),
      JSON.stringify(await listed(acme)),
      JSON.stringify(await recorded('invite')),
      JSON.stringify(server.log),
    ];
    for (const answer of answers) expect(answer).not.toContain(secret);
    expect(answers[1]).toBe(answers[0]);
    expect(made.invitationToken).not.toBe(secret);
    await mailsTo(1);
    // Once the mail is sent, the database does not contain the secret either.
    await vi.waitFor(async () => expect(await ground.store.read.all('select uid from mail')).toEqual([]), {
      timeout: 30_000,
    });
    for (const table of ['invitation', 'idempotency', 'timeline', 'init_token']) {
      const rows = await ground.store.read.all(`select * from ${table}`);
      expect(JSON.stringify(rows), table).not.toContain(secret);
    }
  });
});

describe('an invitation', () => {
  test('only the identity with the invited address can answer an invitation, even if another caller has the token', async () => {
    const user = await addUser(ground);
    email = user.email;
    const made = await invite(acme);
    const stranger = await headersOfUser(ground, await addUser(ground), web, redirectUri);
    const byBody = { invitationToken: made.invitationToken, invitationState: 'ACCEPTED' };
    const rejecting = { invitationToken: made.invitationToken, invitationState: 'REJECTED' };
    for (const [headers, status] of [
      [acme.headers, 403],
      [ground.superuser.headers, 403],
      [other.headers, 404],
      [stranger, 404],
    ] as const) {
      expect((await accept(headers, made)).status).toBe(status);
      expect((await ask(headers, 'PUT', '/v1/invitations', byBody)).status).toBe(status);
      expect((await ask(headers, 'PUT', '/v1/invitations', rejecting)).status).toBe(status);
    }
    expect(await rolesOf(user.serviceId)).toEqual([]);
    const invited = await headersOfUser(ground, user, web, redirectUri);
    // The invited identity may reject the invitation, but not cancel it.
    const cancel = { ...rejecting, invitationState: 'CANCELED' };
    expect((await ask(invited, 'PUT', '/v1/invitations', cancel)).status).toBe(403);
    const accepted = await accept(invited, made);
    expect([accepted.status, accepted.body.invitationState]).toEqual([200, 'ACCEPTED']);
    expect(await rolesOf(user.serviceId)).toEqual([acme.projectUid]);
    expect(await recorded('accept-invitation')).toContainEqual(
      expect.objectContaining({ targetObject: String(made.id), identity: user.serviceId }),
    );
  });

  test('a service account with the invited address cannot answer an invitation', async () => {
    const { projectUid: project } = acme;
    const { body: account } = await ask(acme.headers, 'POST', '/v1/service-accounts', {
      name: 'posing',
      project,
      email,
    });
    expect(account.email).toBe(email);
    const made = await invite(acme);
    const path = `/v1/service-accounts/${String(account.accountId)}/api-tokens`;
    const { body: token } = await ask(acme.headers, 'POST', path);
    const { access_token } = await ground.auth.issueToken(
      new Map([
        ['grant_type', 'client_credentials'],
        ['service_account', String(account.accountId)],
        ['client_id', acme.caller.appId],
        ['client_secret', String(token.apiToken)],
      ]),
    );
    const headers = { ...acme.headers, Authorization: `Bearer ${access_token}` };
    expect((await ask(headers, 'GET', '/v1/identities/me')).status).toBe(200);
    expect((await accept(headers, made)).status).toBe(404);
    expect(await listed(acme)).toHaveLength(1);
  });

  test('the invited person can list the invitation, and reject it with the token in the listed record', async () => {
    const user = await addUser(ground);
    email = user.email;
    await invite(acme);
    const headers = await headersOfUser(ground, user, web, redirectUri);
    const found = await ask<Body[]>(headers, 'GET', '/v1/invitations?invitationState=PENDING');
    const [mine] = found.body;
    const rejected = await ask(headers, 'PUT', '/v1/invitations', { ...mine, invitationState: 'REJECTED' });
    expect([rejected.status, rejected.body.invitationState]).toEqual([200, 'REJECTED']);
    expect(await rolesOf(user.serviceId)).toEqual([]);
  });

  test('the mailed secret creates an account for a new person only once, and leaves other invitations open', async () => {
    const first = await invite(acme);
    const firstSecret = await secretOf(1);
    const second = await invite(other);
    const secondSecret = await secretOf(2);
    expect(await identities()).toEqual([]);
    expect((await initUser(firstSecret, 'short')).status).toBe(400);
    const done = await initUser(firstSecret);
    expect([done.status, done.body]).toEqual([200, { email }]);
    const [{ service_id: serviceId = '', status } = {}] = await identities();
    expect(status).toBe('ENABLED');
    expect(await rolesOf(serviceId)).toEqual([acme.projectUid]);
    expect(await listed(acme, 'ACCEPTED')).toHaveLength(1);
    expect(await listed(other)).toHaveLength(1);
    expect(await recorded('accept-invitation')).toContainEqual(
      expect.objectContaining({ targetObject: String(first.id), identity: serviceId }),
    );
    // The first secret was used. The second one does not change the password of a person who already has one.
    expect((await initUser(firstSecret, 'another long password')).status).toBe(400);
    const refused = await initUser(secondSecret, 'another long password');
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Sign in')]);
    const headers = await headersOfUser(ground, { email, password }, web, redirectUri);
    expect((await accept(headers, second)).status).toBe(200);
    expect(await rolesOf(serviceId)).toEqual([acme.projectUid, other.projectUid]);
  });

  test('concurrent uses of the secret in the mail create one account', async () => {
    await invite(acme);
    const secret = await secretOf();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => initUser(secret, `long password number ${index}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(await identities()).toHaveLength(1);
  });

  test('a PENDING identity accepts an invitation with the mailed secret, and its earlier init link stops working', async () => {
    const pending = await addPendingUser(ground);
    email = pending.email;
    await invite(acme);
    expect((await initUser(await secretOf())).status).toBe(200);
    expect((await initUser(pending.initToken, 'another long password')).status).toBe(400);
    expect(await rolesOf(pending.serviceId)).toEqual([acme.projectUid]);
  });

  test('a canceled or expired invitation creates no account', async () => {
    const made = await invite(acme);
    const secret = await secretOf();
    const cancel = { id: made.id, invitationState: 'CANCELED' };
    expect((await ask(acme.headers, 'PUT', '/v1/invitations', cancel)).status).toBe(200);
    expect((await initUser(secret)).status).toBe(400);

    const late = await invite(acme);
    const lateSecret = await secretOf(2);
    await ground.store.transaction((tx) =>
      tx.run('update invitation set expires_at = $2 where id = $1', [late.id ?? 0, Date.now()]),
    );
    expect((await initUser(lateSecret)).status).toBe(400);
    expect(await identities()).toEqual([]);
  });

  test('accepting an invitation does not grant a role if the inviter has lost the permission to invite', async () => {
    const { store, auth } = ground;
    const leaving = await addOwner(`leaving-${randomBytes(4).toString('hex')}`);
    const user = await addUser(ground);
    const headers = await headersOfUser(ground, user, web, redirectUri);
    const newcomer = email;
    await invite(leaving);
    const secret = await secretOf();
    email = user.email;
    const made = await invite(leaving);
    const { principal } = leaving.caller;
    for (const [end, back] of [
      [
        () => store.transaction((tx) => auth.setIdentityStatus(tx, principal.serviceId, 'DISABLED')),
        () => store.transaction((tx) => auth.setIdentityStatus(tx, principal.serviceId, 'ENABLED')),
      ],
      [
        () => store.transaction((tx) => auth.setAppStatus(tx, principal.appUid, 'DISABLED')),
        () => store.transaction((tx) => auth.setAppStatus(tx, principal.appUid, 'ENABLED')),
      ],
      [
        () =>
          store.transaction((tx) =>
            tx.run('delete from role_assignment where holder = $1', [`identity:${principal.serviceId}`]),
          ),
        async () => undefined,
      ],
    ] as const) {
      await end();
      expect((await initUser(secret)).status).toBe(409);
      expect((await accept(headers, made)).status).toBe(409);
      await back();
    }
    expect(await rolesOf(user.serviceId)).toEqual([]);
    email = newcomer;
    expect(await identities()).toEqual([]);
  });

  test('a SAML user’s invitation contains no secret, so it cannot set a password or create an account', async () => {
    const made = await invite(acme, {}, '?saml=true');
    expect(await inMail('initToken')).toBeUndefined();
    expect(await inMail('invitationToken')).toBe(made.invitationToken);
    expect((await initUser(made.invitationToken ?? '')).status).toBe(400);
    expect((await accept(acme.headers, made)).status).toBe(403);
    expect(await identities()).toEqual([]);
  });
});

describe('the mail of an invitation', () => {
  test('an invitation’s mail names the inviter and the organization, and marks each line that the inviter wrote', async () => {
    const reset = 'https://evil.example/reset';
    await invite(acme, {
      emailSubject: 'Security alert" - your password has expired, gro.live',
      message: [
        'Hello!',
        '',
        '',
        `Set your password here:`,
        reset,
        `${' '.repeat(300)}Ledger Operations: your account is locked. ${'Call us. '.repeat(20)}`,
        'x'.repeat(200),
      ].join('\r\n'),
    });
    const [mail] = await mailsTo(1);
    const [ours = '', theirs = ''] = mail?.text.split('quotation marks in the subject.\n\n') ?? [];
    expect(ours).toContain('You are invited to an organization at http://ledger.test.');
    expect(ours).toContain('Organization: org-acme, named "acme"');
    expect(ours).toContain(`Invited by:   "${acme.caller.accountId}"`);
    expect(ours).not.toMatch(/alert|evil|Hello/);
    expect(theirs).toContain(reset);
    for (const line of theirs.trimEnd().split(/[\n\r\u2028\u2029]/u)) {
      expect(line).toMatch(/^>/);
      expect(line.length).toBeLessThan(78);
    }
    expect(theirs).not.toMatch(/>\n>\n>/);
    // The only two quotation marks are the template's.
    expect(mail?.subject).toMatch(/^Invitation to org-acme: "[^"\p{Cc}\p{Cf}]+"$/u);
  });

  test('the inviter’s text cannot add headers, recipients or HTML to an invitation’s mail', async () => {
    for (const emailSubject of ['a\r\nBcc: x@evil.example', 'a\nb', 'a\u0000b']) {
      const body = { userEmail: email, organizationId: acme.organizationId, emailSubject };
      const answer = await ask(acme.headers, 'POST', '/v1/invitations', body);
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [{ pointer: '/emailSubject', detail: 'must not contain control characters' }],
      ]);
    }
    for (const userEmail of [
      'a@x.example,b@x.example',
      'a@x.example\nb@x.example',
      'A <a@x.example>',
      'a;b@x.example',
    ]) {
      const body = { userEmail, organizationId: acme.organizationId };
      expect((await ask(acme.headers, 'POST', '/v1/invitations', body)).status).toBe(400);
    }
    await invite(acme, { message: '<b>bold</b>' });
    const [mail] = await mailsTo(1);
    expect(Object.keys(mail ?? {}).toSorted()).toEqual(['link', 'subject', 'text', 'to']);
    expect(mail?.text).toContain('> <b>bold</b>');
  });
});

describe('mails of an organization', () => {
  const inviteAs = (by: Owner, userEmail: string) =>
    ask(by.headers, 'POST', '/v1/invitations', { userEmail, organizationId: by.organizationId });
  /** Moves the times of all sent mails into the past. */
  const longAgo = (milliseconds: number) =>
    ground.store.transaction((tx) =>
      tx.run('update invitation set mailed_at = mailed_at - $1', [milliseconds]),
    );
  const someone = () => `someone-${randomBytes(6).toString('hex')}@example.com`;
  const hour = 3_600_000;

  test('when an organization’s hourly mail limit is reached, invitations get 429 with the time until the next mail is allowed', async () => {
    const many = await addOwner('many');
    const statuses: number[] = [];
    for (let index = 0; index < 40; index += 1) statuses.push((await inviteAs(many, someone())).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(30);
    expect(statuses.slice(30)).toEqual(Array.from({ length: 10 }, () => 429));
    const late = someone();
    const refused = await inviteAs(many, late);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);
    expect(refused.body).toMatchObject({ type: 'urn:ledger-ops:problem:too-many-requests', status: 429 });
    expect(ground.mails.filter(({ to }) => to === late)).toEqual([]);
    // The limit does not affect other organizations.
    expect((await inviteAs(acme, someone())).status).toBe(201);
    await longAgo(hour);
    expect((await inviteAs(many, late)).status).toBe(201);
  });

  test('an organization’s hourly mail limit applies to concurrent invitations, and canceling them does not raise it', async () => {
    const hasty = await addOwner('hasty');
    const answers = await Promise.all(Array.from({ length: 40 }, () => inviteAs(hasty, someone())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
    for (const { body } of answers.filter(({ status }) => status === 201)) {
      const cancel = { id: body.id, invitationState: 'CANCELED' };
      expect((await ask(hasty.headers, 'PUT', '/v1/invitations', cancel)).status).toBe(200);
    }
    expect((await inviteAs(hasty, someone())).status).toBe(429);
  });

  test('an address gets at most five mails a day from one organization, and twenty from all', async () => {
    const senders: Owner[] = [];
    for (let index = 0; index < 5; index += 1) {
      senders.push(await addOwner(`sender-${index}-${randomBytes(4).toString('hex')}`));
    }
    const counts: number[] = [];
    for (const sender of senders) {
      let count = 0;
      for (let index = 0; index < 6; index += 1) {
        const answer = await inviteAs(sender, email);
        if (answer.status === 201) count += 1;
        else expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
        const cancel = { id: answer.body.id ?? 0, invitationState: 'CANCELED' };
        await ask(sender.headers, 'PUT', '/v1/invitations', cancel);
      }
      counts.push(count);
    }
    expect(counts).toEqual([5, 5, 5, 5, 0]);
    await mailsTo(20);
    await longAgo(24 * hour);
    expect((await inviteAs(acme, email)).status).toBe(201);
  });
});

test('an invitation whose message is too long is refused, even if the message contains only line feeds', async () => {
  for (const unit of ['\n', '\r\n', 'a\n\t']) {
    const message = unit.repeat(900_000 / JSON.stringify(unit).length);
    const body = { userEmail: email, organizationId: acme.organizationId, message };
    const answer = await ask(acme.headers, 'POST', '/v1/invitations', body);
    const detail = 'must have at most 10000 characters';
    expect([answer.status, answer.body.errors]).toEqual([400, [{ pointer: '/message', detail }]]);
  }
});

test('without a mail server, only administrators of the installation get an invitation’s link, and only once', async () => {
  const { store, auth, masterKey, mails, superuser } = ground;
  const mail = { send: async (message: MailMessage) => void mails.push(message), close: async () => {} };
  const config = { baseUrl: 'https://ledger.example', showsLinks: true };
  const admin = createAdmin({ store, auth, masterKey, mail, config });
  const folderServer = makeServer({ ...ground, admin });
  const body = (to: string) => ({ email: to, organizationId: acme.organizationId });
  const post = async (to: string, headers: Headers, more: object = {}) => {
    const response = await folderServer.call(
      'POST',
      '/v1/admin/invitations',
      { ...body(to), ...more },
      headers,
    );
    expect(response.status).toBe(201);
    return read<{ initLink?: string }>(await response.text());
  };
  const keyed = { ...superuser.headers, 'Idempotency-Key': randomBytes(6).toString('hex') };
  const { initLink = '' } = await post(email, keyed);
  expect(initLink).toMatch(/#\/init-user\?initToken=/);
  await vi.waitFor(() => expect(mails.find(({ to }) => to === email)?.link).toBe(initLink), 30_000);
  expect(await post(email, keyed)).not.toHaveProperty('initLink');
  expect(await post(`owner-${email}`, acme.headers)).not.toHaveProperty('initLink');
  expect(await post(`saml-${email}`, superuser.headers, { saml: true })).not.toHaveProperty('initLink');
  // The deprecated operation returns the same response as before, without a link. If a mail server is configured, no
  // response contains the link.
  const older = await folderServer.call(
    ...([
      'POST',
      '/v1/invitations',
      { userEmail: `older-${email}`, organizationId: acme.organizationId },
    ] as const),
    superuser.headers,
  );
  expect(await older.text()).not.toMatch(/initLink|initToken/);
  const mailed = await server.call(
    'POST',
    '/v1/admin/invitations',
    body(`mailed-${email}`),
    superuser.headers,
  );
  expect(await mailed.text()).not.toMatch(/initLink|initToken/);
  await admin.close();
});

import { randomBytes } from 'node:crypto';
import { createAdmin, type Principal } from '@ledger-ops/auth';
import { addResource, expectProblem, may, problemOf } from '@ledger-ops/auth/testing';
import { createMasterKey, Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { invitationRecord } from '../../src/routes/legacy/records.ts';
import { tokenIn, type World, world } from './world.ts';

const day = 24 * 60 * 60 * 1_000;

describeStores('invitations', (open) => {
  let w: World;
  let count = 0;
  let userEmail: string;
  beforeAll(async () => {
    w = await world(await open());
  });
  beforeEach(() => {
    count += 1;
    userEmail = `user-${count}@example.com`;
  });
  const invite = (body: object = {}, query: object = {}, principal = w.acme.owner) =>
    w.call('inviteUser', principal, {
      body: { userEmail, organizationId: w.acme.organizationId, ...body },
      query,
    });
  const respond = (body: object | undefined, query: object = {}, principal: Principal = w.acme.owner) =>
    w.call('respondToInvitation', principal, { query, body });
  const accept = (invitationToken: string, principal: Principal) =>
    respond(undefined, { invitationToken }, principal);
  /** The identity of the invited address, as a logged-in caller. */
  const invited = async (type = 'USER'): Promise<Principal> => {
    const { serviceId } = (await identity()) ?? (await person(type));
    return { ...w.acme.owner, serviceId };
  };
  const person = (type = 'USER') =>
    w.call('createIdentity', w.administrator, { body: { identifier: userEmail, type } });
  const redeem = (secret: string, password = 'correct horse battery') =>
    w.admin.invitations.redeem(new Secret(secret), {
      acceptTnC: true,
      additional: { name: 'U', password: new Secret(password) },
      client: { source: 'test' },
    });
  const withSecret = () => mails().filter(({ text }) => text.includes('initToken=ivs_'));
  /** Returns the secret in the only mail that contains one. */
  const secret = async () => {
    await expect.poll(withSecret).toHaveLength(1);
    return tokenIn(withSecret()[0], 'initToken');
  };
  const list = (invitationState: string, principal = w.acme.owner, query = {}) =>
    w.call('listInvitations', principal, { query: { invitationState, ...query } });
  const identity = async () => {
    const [found] = await w.call('listIdentities', w.administrator, { query: { identifiers: [userEmail] } });
    return found;
  };
  const mails = () => w.sent.filter(({ to }) => to === userEmail);

  it('an invitation’s secret is only in its mail, but its token is also in its record', async () => {
    const made = await invite({
      emailSubject: 'Join us',
      message: 'Hello!\nCome in.',
      id: 1,
      invitationState: 'ACCEPTED',
      invitationToken: 'mine',
      invitationResourceRoles: [{ resource: { resourceID: w.acme.projectId }, role: { name: 'operator' } }],
    });
    expect(made).toMatchObject({
      userEmail,
      invitationState: 'PENDING',
      organizationId: w.acme.organizationId,
      createdByIdentity: { serviceId: w.acme.owner.serviceId },
      emailSubject: 'Join us',
      invitationResourceRoles: [{ resource: { resourceID: w.acme.projectId }, role: { name: 'operator' } }],
    });
    expect(made.invitationToken).toMatch(/^inv_[A-Za-z0-9_-]{43}$/);
    const mailed = await secret();
    expect(mailed).toMatch(/^ivs_[A-Za-z0-9_-]{43}$/);
    expect(tokenIn(mails()[0], 'invitationToken')).toBe(made.invitationToken);
    expect(await list('PENDING')).toContainEqual(made);
    const rows = await w.here.store.read.all('select * from invitation');
    expect(JSON.stringify([made, rows])).not.toContain(mailed);
  });

  it('an invitation creates an account with roles for the person who presents its secret and sets a password', async () => {
    const wallet = await addResource(w.here, 'cloud-wallet', w.acme.tenant.projectUid);
    await invite({
      invitationResourceRoles: [
        { resource: w.acme.organizationId, role: 'viewer' },
        { resource: wallet, role: 'transactor' },
      ],
    });
    expect(await identity()).toBeUndefined();
    const mailed = await secret();
    const refused = await problemOf(redeem(mailed, 'short'));
    expect(refused.errors[0]?.pointer).toBe('/additional/password');
    expect(await identity()).toBeUndefined();
    expect(await redeem(mailed)).toEqual({ email: userEmail });
    const made = await identity();
    expect(made).toMatchObject({ status: 'ENABLED', type: 'USER' });
    const user = { ...w.acme.owner, serviceId: made?.serviceId ?? '' };
    expect(await may(w.here.auth, user, 'organization:read', w.acme.tenant.organizationUid)).toBe(true);
    expect(await may(w.here.auth, user, 'wallet:transact', wallet)).toBe(true);
    expect(await may(w.here.auth, user, 'wallet:create', w.acme.tenant.projectUid)).toBe(false);
    // No second mail with another link was sent.
    expect(mails()).toHaveLength(1);
    await expectProblem(redeem(mailed), 'invalid-request');
  });

  it('concurrently accepting invitations from two organizations creates one account and leaves one invitation pending', async () => {
    const roles = (party: World['acme']) => [{ resource: party.projectId, role: 'viewer' }];
    await invite({ invitationResourceRoles: roles(w.acme) });
    const { organizationId } = w.other;
    await invite({ organizationId, invitationResourceRoles: roles(w.other) }, {}, w.other.owner);
    await expect.poll(mails).toHaveLength(2);
    const tries = await Promise.allSettled(mails().map((mail) => redeem(tokenIn(mail, 'initToken'))));
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const states = await w.here.store.read.all<{ state: string }>(
      'select state from invitation where user_email = $1 order by state',
      [userEmail],
    );
    expect(states).toEqual([{ state: 'ACCEPTED' }, { state: 'PENDING' }]);
    const held = await w.here.store.read.all('select id from role_assignment where holder = $1', [
      `identity:${(await identity())?.serviceId}`,
    ]);
    expect(held).toHaveLength(1);
  });

  it('the secret in a mail is accepted only once, even by concurrent requests', async () => {
    await invite();
    const mailed = await secret();
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => redeem(mailed)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('if a PENDING identity has an invitation and a first-login link, only one of them can set a password', async () => {
    await person();
    await invite();
    await expect.poll(mails).toHaveLength(2);
    const tokens = mails().map((mail) => new Secret(tokenIn(mail, 'initToken')));
    const tries = await Promise.allSettled(
      tokens.map((initToken) =>
        initToken.reveal().startsWith('ivs_')
          ? redeem(initToken.reveal())
          : w.here.auth.initUser({
              initToken,
              acceptTnC: true,
              additional: { name: 'U', password: new Secret('correct horse battery') },
              client: { source: 'test' },
            }),
      ),
    );
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await w.here.store.read.all('select hash from init_token')).toEqual([]);
  });

  it('an invitation of a SAML user mails no secret, and the SAML identity with the invited address accepts it', async () => {
    const role = { invitationResourceRoles: [{ resource: w.acme.projectId, role: 'viewer' }] };
    const saml = await invite(role, { saml: 'true' });
    await expect.poll(mails).toHaveLength(1);
    expect(mails()[0]?.text).not.toContain('initToken');
    await accept(saml.invitationToken, await invited('SAML'));
    expect(await identity()).toMatchObject({ type: 'SAML', status: 'ENABLED' });
    // A mail of the other kind does not let a person who logs in elsewhere set a password either.
    await invite({ userEmail: userEmail.toUpperCase(), ...role });
    await expectProblem(redeem(await secret()), 'conflict');
    const held = await w.call('listResourceIdentityRoles', w.acme.owner, {
      query: { resource: w.acme.projectId, identity: (await identity())?.serviceId },
    });
    expect(held.pageContent).toHaveLength(1);
  });

  it('an invitation sets a password only for a PENDING identity', async () => {
    const user = await person();
    await invite();
    const mailed = await secret();
    for (const status of ['ENABLED', 'LOCKED', 'DISABLED']) {
      await w.call('updateIdentityStatus', w.administrator, {
        params: { id: user.serviceId },
        query: { status },
      });
      await expectProblem(redeem(mailed), 'conflict');
    }
    expect(
      await w.here.store.read.all('select hash from identity_password where service_id = $1', [
        user.serviceId,
      ]),
    ).toEqual([]);
  });

  // Tries every operation in every state.
  const invitationStates = invitationRecord.shape.invitationState.options;
  for (const state of invitationStates) {
    for (const move of ['ACCEPTED', 'REJECTED', 'CANCELED'] as const) {
      const legal = state === 'PENDING';
      it(`invitations that are ${state} ${legal ? 'become' : 'never become'} ${move}`, async () => {
        const { invitationToken } = await invite();
        const user = await invited();
        const reach = {
          PENDING: async () => undefined,
          ACCEPTED: () => accept(invitationToken, user),
          REJECTED: () => respond({ invitationToken, invitationState: 'REJECTED' }, {}, user),
          CANCELED: () => respond({ invitationToken, invitationState: 'CANCELED' }),
          EXPIRED: async () => {
            w.here.clock.ms += 8 * day;
          },
        };
        await reach[state]();
        const by = move === 'CANCELED' ? w.acme.owner : user;
        const moving = respond({ invitationToken, invitationState: move }, {}, by);
        if (legal) expect((await moving).invitationState).toBe(move);
        else await expectProblem(moving, 'conflict');
        // The change of the state deleted the secret.
        await expectProblem(redeem(await secret()), 'invalid-request');
        const now = legal ? move : state;
        for (const one of invitationStates) {
          const named = (await list(one)).filter((invitation) => invitation.userEmail === userEmail);
          expect(named.length, one).toBe(one === now ? 1 : 0);
        }
      });
    }
  }

  it('an invitation expires on its own, and its address can then be invited again', async () => {
    await invite();
    await expectProblem(invite(), 'already-exists');
    w.here.clock.ms += 7 * day - 1;
    await expectProblem(invite(), 'already-exists');
    w.here.clock.ms += 1;
    await invite();
    await w.admin.sweep();
    const states = await w.here.store.read.all<{ state: string }>(
      'select state from invitation where user_email = $1 order by id',
      [userEmail],
    );
    expect(states.map(({ state }) => state)).toEqual(['EXPIRED', 'PENDING']);
  });

  it('only the inviter and people who may invite can cancel an invitation, by token or id', async () => {
    const { id, invitationToken } = await invite();
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.organizationUid);
    const owner = await w.member(w.acme, 'owner', w.acme.tenant.organizationUid);
    const cancel = { id, invitationState: 'CANCELED' };
    await expectProblem(respond(cancel, {}, viewer), 'not-found');
    await expectProblem(respond(cancel, {}, w.other.owner), 'not-found');
    const byToken = { invitationToken, invitationState: 'CANCELED' };
    await expectProblem(respond(byToken, {}, viewer), 'not-found');
    await expectProblem(respond(byToken, {}, await invited()), 'not-permitted');
    expect((await respond(cancel, {}, owner)).invitationState).toBe('CANCELED');
    await expectProblem(accept(invitationToken, await invited()), 'conflict');
  });

  it('only the identity with the invited address can accept an invitation, even if another caller knows the token', async () => {
    const { invitationToken } = await invite();
    for (const [principal, name] of [
      [w.acme.owner, 'not-permitted'],
      [w.administrator, 'not-permitted'],
      [w.other.owner, 'not-found'],
      [await w.member(w.acme, 'viewer', w.acme.tenant.organizationUid), 'not-found'],
    ] as const) {
      await expectProblem(accept(invitationToken, principal), name);
      await expectProblem(respond({ invitationToken, invitationState: 'REJECTED' }, {}, principal), name);
    }
    expect(await identity()).toBeUndefined();
    expect((await accept(invitationToken, await invited())).invitationState).toBe('ACCEPTED');
  });

  it('revoking all roles of a person also withdraws open invitations that would grant them again', async () => {
    const { organizationId, projectId, owner, tenant } = w.acme;
    const offer = (resource: string, role: string) => ({ resource, role });
    const user = await invited();
    const first = await invite({ invitationResourceRoles: [offer(organizationId, 'owner')] });
    await accept(first.invitationToken, user);
    const { invitationToken } = await invite({
      invitationResourceRoles: [offer(organizationId, 'owner'), offer(projectId, 'operator')],
    });
    const { serviceId } = user;
    const revoke = (resourceId: string, role: string) =>
      w.admin.roles.remove(owner, resourceId, serviceId, role);
    const revokeAll = (resourceId: string) => w.admin.roles.removeAll(owner, resourceId, serviceId);
    expect(await revoke(organizationId, 'owner')).toMatchObject({ count: 0, openInvitations: 1 });
    expect(await revokeAll(projectId)).toMatchObject({ revoked: 0, withdrawnInvitations: 1 });
    const [open] = await list('PENDING', user);
    expect(open).toMatchObject({ invitationResourceRoles: [{ role: { name: 'owner' } }] });
    expect(await revokeAll(organizationId)).toMatchObject({ revoked: 0, withdrawnInvitations: 1 });
    expect(await revokeAll(organizationId)).toMatchObject({ revoked: 0, withdrawnInvitations: 0 });
    expect(await list('PENDING', user)).toEqual([]);
    await expectProblem(accept(invitationToken, user), 'conflict');
    expect(await may(w.here.auth, user, 'organization:read', tenant.organizationUid)).toBe(false);
  });

  it('an invitation is accepted once, even by concurrent requests', async () => {
    const { invitationToken } = await invite();
    const user = await invited();
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => accept(invitationToken, user)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('an invitation grants only roles that the inviter may grant both when it is created and when it is accepted', async () => {
    const { tenant, organizationId, projectId } = w.acme;
    const roles = (resource: unknown, role: string) => ({ invitationResourceRoles: [{ resource, role }] });
    await expectProblem(invite(roles(organizationId, 'administrator')), 'not-permitted');
    await expectProblem(invite(roles(w.other.projectId, 'viewer')), 'not-found');
    const king = await problemOf(invite(roles(projectId, 'king')));
    expect([king.problem, king.errors[0]?.pointer]).toEqual(['not-found', '/invitationResourceRoles/0/role']);
    const viewer = await w.member(w.acme, 'viewer', tenant.organizationUid);
    await expectProblem(invite({}, {}, viewer), 'not-permitted');
    await expectProblem(invite({}, {}, w.other.owner), 'not-found');
    // A resource of another organization. The inviter manages both organizations.
    const outside = await problemOf(invite(roles(w.other.projectId, 'viewer'), {}, w.administrator));
    expect(outside.errors[0]?.pointer).toBe('/invitationResourceRoles/0/resource');

    const inviter = await w.member(w.acme, 'owner', tenant.organizationUid);
    const { invitationToken } = await invite(roles(projectId, 'operator'), {}, inviter);
    await w.call('deleteResourceIdentityRole', w.acme.owner, {
      params: { resourceId: organizationId, serviceId: inviter.serviceId, name: 'owner' },
    });
    await expectProblem(redeem(await secret()), 'conflict');
    expect(await identity()).toBeUndefined();
    const user = await invited();
    await expectProblem(accept(invitationToken, user), 'conflict');
    const rejected = await respond({ invitationToken, invitationState: 'REJECTED' }, {}, user);
    expect(rejected.invitationState).toBe('REJECTED');
  });

  it('two servers share the limit on mails', async () => {
    const { store, auth, config } = w.here;
    const party = await w.party(`Quota ${count}`);
    const masterKey = createMasterKey(randomBytes(32));
    const mail = { async send() {}, async close() {} };
    const servers = [1, 2].map(() =>
      createAdmin({
        store,
        auth,
        masterKey,
        mail,
        config: { baseUrl: config.baseUrl, invitationsPerHour: 5 },
      }),
    );
    const tries = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) =>
        servers[index % 2]?.invitations.create(party.owner, {
          organizationId: party.organizationId,
          email: `${index}-${userEmail}`,
          roles: [],
          saml: false,
        }),
      ),
    );
    await Promise.all(servers.map((server) => server.close()));
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(11);
    for (const problem of refused) {
      expect(problem).toMatchObject({ problem: 'too-many-requests', retryAfter: expect.any(Number) });
    }
  });

  it('regular work does not wait for a mail server that stalls', async () => {
    const { store, auth, config } = w.here;
    const party = await w.party(`Stalled ${count}`);
    const [gate, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const mail = {
      async send() {
        sent.resolve();
        await gate.promise;
      },
      async close() {},
    };
    const masterKey = createMasterKey(randomBytes(32));
    const server = () => createAdmin({ store, auth, masterKey, mail, config });
    const [first, next] = [server(), server()];
    // The first server is closed before the commit, so the mail is stored but not sent, as after a crash.
    await first.close();
    await first.invitations.create(party.owner, {
      ...{ organizationId: party.organizationId, email: userEmail, roles: [], saml: false },
    });
    await next.sweep();
    await sent.promise;
    await next.sweep();
    gate.resolve();
    await next.close();
  });

  it('invitations are listed by state and resource for people who may invite, and for the invited', async () => {
    const made = await invite({
      invitationResourceRoles: [{ resource: w.acme.projectId, role: 'viewer' }],
    });
    const ids = (found: readonly { id: number }[]) => found.map(({ id }) => id);
    for (const resourceId of [w.acme.organizationId, w.acme.projectId, '']) {
      expect(ids(await list('PENDING', w.acme.owner, { resourceId }))).toContain(made.id);
    }
    expect(await list('PENDING', w.acme.owner, { resourceId: w.other.projectId })).toEqual([]);
    expect(await list('PENDING', w.other.owner)).toEqual([]);
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.organizationUid);
    expect(await list('PENDING', viewer)).toEqual([]);
    await expectProblem(list('LOST'), 'invalid-request');
    expect(await list('PENDING', { ...viewer, serviceId: (await person()).serviceId })).toEqual([made]);
  });

  it('an invalid invitation request is refused with a pointer to each fault', async () => {
    const cases = [
      [() => invite({ organizationId: undefined }), '/organizationId'],
      [() => invite({}, { organizationId: w.other.organizationId }), '/organizationId'],
      [() => invite({ userEmail: 'nobody' }), '/userEmail'],
      [() => invite({ emailSubject: 'a\r\nBcc: x@y' }), '/emailSubject'],
      [() => invite({ message: 'a\u0000b' }), '/message'],
      [() => respond({}), '/invitationState'],
      [() => respond({ invitationState: 'ACCEPTED' }), '/invitationToken'],
      [() => respond({ id: 1, invitationState: 'ACCEPTED' }), '/invitationToken'],
      [() => respond({ invitationToken: 'a', invitationState: 'EXPIRED' }), '/invitationState'],
      [
        () => respond({ invitationToken: 'a', invitationState: 'REJECTED' }, { invitationToken: 'b' }),
        '/invitationToken',
      ],
    ] as const;
    for (const [request, pointer] of cases) {
      const problem = await problemOf(request());
      expect([problem.problem, problem.errors[0]?.pointer]).toEqual(['invalid-request', pointer]);
    }
    await expectProblem(accept('inv_unknown', w.acme.owner), 'not-found');
    const both = await invite({}, { organizationId: w.acme.organizationId });
    expect(both.invitationState).toBe('PENDING');
  });

  it('a user who may invite people can grant a role to a person who accepted an invitation but has no role', async () => {
    const { projectUid } = w.acme.tenant;
    const give = (identity: string, principal = w.acme.owner, resource = projectUid) =>
      w.call('createResourceIdentityRole', principal, { body: { identity, resource, role: 'viewer' } });
    const refusal = async (identity: string, principal?: Principal, resource?: string) => {
      const { problem, message, errors } = await problemOf(give(identity, principal, resource));
      return { problem, message, errors };
    };
    const unknown = await refusal('nobody@example.com');
    expect(unknown.problem).toBe('not-found');
    // Another organization invited this person, acme did not.
    const user = await invited();
    await w.here.change((tx) => w.here.auth.setIdentityStatus(tx, user.serviceId, 'ENABLED'));
    const elsewhere = { organizationId: w.other.organizationId };
    const theirs = await invite(elsewhere, {}, w.other.owner);
    await accept(theirs.invitationToken, user);
    expect(await refusal(userEmail)).toEqual(unknown);
    expect(await refusal(user.serviceId)).toEqual(unknown);
    // Invited people: one has not responded, one invitation is canceled, one is rejected.
    const first = await invite();
    expect(await refusal(userEmail)).toEqual(unknown);
    await respond({ ...first, invitationState: 'CANCELED' });
    expect(await refusal(userEmail)).toEqual(unknown);
    const second = await invite();
    await respond({ ...second, invitationState: 'REJECTED' }, {}, user);
    expect(await refusal(userEmail)).toEqual(unknown);
    const third = await invite();
    await accept(third.invitationToken, user);
    // A project's owner may not invite, and does not see the invited people.
    const owner = await w.member(w.acme, 'owner', projectUid);
    expect(await refusal(userEmail, owner)).toEqual(unknown);
    // The invitation into this organization does not apply to another organization's resource.
    expect((await problemOf(give(userEmail, w.acme.owner, w.other.tenant.projectUid))).problem).toBe(
      'not-found',
    );
    for (const named of [userEmail.toUpperCase(), user.serviceId]) {
      await give(named);
      expect(await may(w.here.auth, user, 'project:read', projectUid)).toBe(true);
      const params = { resourceId: projectUid, serviceId: user.serviceId, name: 'viewer' };
      await w.call('deleteResourceIdentityRole', w.acme.owner, { params });
      expect(await may(w.here.auth, user, 'project:read', projectUid)).toBe(false);
    }
  });
});

import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { invitationMoves, invitationStates } from '../../src/admin/invitation-states.ts';
import type { Principal } from '../../src/index.ts';
import { addResource, expectProblem, may, problemOf } from '../installation.ts';
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
  const accept = (invitationToken: string, principal?: Principal) =>
    respond(undefined, { invitationToken }, principal);
  const list = (invitationState: string, principal = w.acme.owner, query = {}) =>
    w.call('listInvitations', principal, { query: { invitationState, ...query } });
  const identity = async () => {
    const [found] = await w.call('listIdentities', w.administrator, { query: { identifiers: [userEmail] } });
    return found;
  };
  const mails = () => w.sent.filter(({ to }) => to === userEmail);

  it('go out by mail; the token is shown to the inviter once, and stored by its hash only', async () => {
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
    await expect.poll(mails).toHaveLength(1);
    expect(mails()[0]).toMatchObject({ subject: 'Join us' });
    expect(mails()[0]?.text).toContain('Come in.');
    expect(tokenIn(mails()[0], 'invitationToken')).toBe(made.invitationToken);
    const listed = await list('PENDING');
    expect(listed).toContainEqual({ ...made, invitationToken: null });
    const rows = await w.here.store.read.all('select * from invitation');
    expect(JSON.stringify(rows)).not.toContain(made.invitationToken);
  });

  it('when accepted create the identity and its roles, and mail the link that sets a password', async () => {
    const wallet = await addResource(w.here, 'cloud-wallet', w.acme.tenant.projectUid);
    const { invitationToken } = await invite({
      invitationResourceRoles: [
        { resource: w.acme.organizationId, role: 'viewer' },
        { resource: wallet, role: 'transactor' },
      ],
    });
    expect(await identity()).toBeUndefined();
    const accepted = await accept(invitationToken, w.other.owner);
    expect(accepted).toMatchObject({ invitationState: 'ACCEPTED', invitationToken: null });
    const made = await identity();
    expect(made).toMatchObject({ status: 'PENDING', type: 'USER' });
    await expect.poll(mails).toHaveLength(2);
    await w.here.auth.initUser({
      initToken: new Secret(tokenIn(mails().at(-1), 'initToken')),
      acceptTnC: true,
      additional: { name: 'U', password: new Secret('correct horse battery') },
      client: { source: 'test' },
    });
    const user = { ...w.acme.owner, serviceId: made?.serviceId ?? '' };
    expect(await may(w.here.auth, user, 'organization:read', w.acme.tenant.organizationUid)).toBe(true);
    expect(await may(w.here.auth, user, 'wallet:transact', wallet)).toBe(true);
    expect(await may(w.here.auth, user, 'wallet:create', w.acme.tenant.projectUid)).toBe(false);
  });

  it('of SAML users create identities without a password; known people keep theirs', async () => {
    const saml = await invite({}, { saml: 'true' });
    await accept(saml.invitationToken);
    expect(await identity()).toMatchObject({ type: 'SAML', status: 'ENABLED' });
    const before = await identity();
    const again = await invite({
      userEmail: userEmail.toUpperCase(),
      invitationResourceRoles: [{ resource: w.acme.projectId, role: 'viewer' }],
    });
    await accept(again.invitationToken);
    expect((await identity())?.serviceId).toBe(before?.serviceId);
    const held = await w.call('listResourceIdentityRoles', w.acme.owner, {
      query: { resource: w.acme.projectId, identity: before?.serviceId },
    });
    expect(held.pageContent).toHaveLength(1);
  });

  // Every state, and everything that can be done in it.
  for (const state of invitationStates) {
    for (const move of invitationMoves) {
      const legal = state === 'PENDING';
      it(`that are ${state} ${legal ? 'become' : 'never become'} ${move}`, async () => {
        const { invitationToken } = await invite();
        const reach = {
          PENDING: async () => undefined,
          ACCEPTED: () => accept(invitationToken),
          REJECTED: () => respond({ invitationToken, invitationState: 'REJECTED' }),
          CANCELED: () => respond({ invitationToken, invitationState: 'CANCELED' }),
          EXPIRED: async () => {
            w.here.clock.ms += 8 * day;
          },
        };
        await reach[state]();
        const existed = (await identity()) !== undefined;
        const moving = respond({ invitationToken, invitationState: move });
        if (legal) expect((await moving).invitationState).toBe(move);
        else await expectProblem(moving, 'conflict');
        expect((await identity()) !== undefined).toBe(existed || (legal && move === 'ACCEPTED'));
        const now = legal ? move : state;
        for (const one of invitationStates) {
          const named = (await list(one)).filter((invitation) => invitation.userEmail === userEmail);
          expect(named.length, one).toBe(one === now ? 1 : 0);
        }
      });
    }
  }

  it('expire by themselves, are marked by the sweep, and then the address can be invited anew', async () => {
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

  it('are canceled by the inviter and by who may invite, by token or id; nobody else', async () => {
    const { id, invitationToken } = await invite();
    const viewer = await w.member(w.acme, 'viewer', w.acme.tenant.organizationUid);
    const owner = await w.member(w.acme, 'owner', w.acme.tenant.organizationUid);
    const cancel = { id, invitationState: 'CANCELED' };
    await expectProblem(respond(cancel, {}, viewer), 'not-found');
    await expectProblem(respond(cancel, {}, w.other.owner), 'not-found');
    await expectProblem(
      respond({ invitationToken, invitationState: 'CANCELED' }, {}, viewer),
      'not-permitted',
    );
    expect((await respond(cancel, {}, owner)).invitationState).toBe('CANCELED');
    await expectProblem(accept(invitationToken), 'conflict');
  });

  it('are accepted once, however many try at the same moment', async () => {
    const { invitationToken } = await invite();
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => accept(invitationToken)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await identity()).toBeDefined();
  });

  it('offer only what the inviter may give, then and still when they are accepted', async () => {
    const { tenant, organizationId, projectId } = w.acme;
    const roles = (resource: unknown, role: string) => ({ invitationResourceRoles: [{ resource, role }] });
    await expectProblem(invite(roles(organizationId, 'administrator')), 'not-permitted');
    await expectProblem(invite(roles(w.other.projectId, 'viewer')), 'not-found');
    const king = await problemOf(invite(roles(projectId, 'king')));
    expect([king.problem, king.errors[0]?.pointer]).toEqual(['not-found', '/invitationResourceRoles/0/role']);
    const viewer = await w.member(w.acme, 'viewer', tenant.organizationUid);
    await expectProblem(invite({}, {}, viewer), 'not-permitted');
    await expectProblem(invite({}, {}, w.other.owner), 'not-found');
    // A resource of another organization, though the inviter manages both.
    const outside = await problemOf(invite(roles(w.other.projectId, 'viewer'), {}, w.administrator));
    expect(outside.errors[0]?.pointer).toBe('/invitationResourceRoles/0/resource');

    const inviter = await w.member(w.acme, 'owner', tenant.organizationUid);
    const { invitationToken } = await invite(roles(projectId, 'operator'), {}, inviter);
    await w.call('deleteResourceIdentityRole', w.acme.owner, {
      params: { resourceId: organizationId, serviceId: inviter.serviceId, name: 'owner' },
    });
    await expectProblem(accept(invitationToken), 'conflict');
    expect(await identity()).toBeUndefined();
    expect((await respond({ invitationToken, invitationState: 'REJECTED' })).invitationState).toBe(
      'REJECTED',
    );
  });

  it('are listed by state and resource for who may invite, and for the invited', async () => {
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
    const person = await w.call('createIdentity', w.administrator, { body: { identifier: userEmail } });
    expect(ids(await list('PENDING', { ...viewer, serviceId: person.serviceId }))).toEqual([made.id]);
  });

  it('name what is wrong with a request', async () => {
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
    await expectProblem(accept('inv_unknown'), 'not-found');
    const both = await invite({}, { organizationId: w.acme.organizationId });
    expect(both.invitationState).toBe('PENDING');
  });
});

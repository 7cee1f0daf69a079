import { randomBytes } from 'node:crypto';
import { invalidRequest, Problem, Secret } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import { forUpdate, nextId, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, gt, lte, or, type SQL, sql } from 'drizzle-orm';
import { tokenHash } from '../credentials.ts';
import { typeOf } from '../resource-type.ts';
import { giveRole } from '../role-assignments.ts';
import { type Actor, serviceItself } from '../timeline/record-activity.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Permission, Principal } from '../types.ts';
import { changing } from './claim.ts';
import type { AdminContext } from './context.ts';
import { demandOn, notFound } from './find.ts';
import { normalIdentifier } from './find-identity.ts';
import { addIdentity } from './identities.ts';
import {
  type InvitationRow,
  type InvitationView,
  invitationViews,
  offersOf,
  stateOf,
} from './invitation-records.ts';
import { type InvitationMove, type InvitationState, stateAfter } from './invitation-states.ts';
import { invitationMail } from './mails.ts';
import { permissionsOf } from './records.ts';
import { demandHeld } from './role-grants.ts';
import { all, permitted } from './visibility.ts';

/** Whom to invite, and to what. */
export interface NewInvitation {
  readonly organizationId: string;
  readonly userEmail: string;
  readonly emailSubject?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly roles: readonly { readonly resource: string; readonly role: string }[];
  /** Whether accepting creates a SAML identity. */
  readonly saml: boolean;
}

/** The answer to an invitation: by its token, or, to cancel it, by its id. */
export interface InvitationResponse {
  readonly token?: Secret | undefined;
  readonly id?: number | undefined;
  readonly move: InvitationMove;
}

/** Invitations into organizations. */
export interface Invitations {
  /**
   * Those that the caller may make or was sent.
   *
   * @param resourceId of an organization, or of a resource on which a role is offered; empty: all
   */
  list(principal: Principal, state: InvitationState, resourceId?: string): Promise<InvitationView[]>;
  /**
   * Invites somebody by mail. The caller needs `organization:invite`, and for every role what giving it needs.
   *
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`
   */
  create(principal: Principal, input: NewInvitation, claim?: IdempotencyClaim): Promise<InvitationView>;
  /**
   * Accepts or rejects, by whoever shows the token (it was mailed to the invited); or cancels, by the inviter or
   * who may invite. Accepting creates the identity, if need be, and gives the roles, if the inviter may still.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (not PENDING any more)
   */
  respond(principal: Principal, response: InvitationResponse): Promise<InvitationView>;
  /**
   * For somebody who has no account yet: accepts, and answers the token with which the first password is set. The
   * invitation's token serves again until that is done.
   *
   * @throws Problem `not-found`, `conflict` (closed otherwise, or the address has a password already)
   */
  redeem(token: Secret): Promise<Secret>;
  /** Marks those that ran out. */
  sweep(): Promise<void>;
}

const maxRoles = 50;
const service = 'invitations';

/** What the timeline calls the moves of an invitation. */
const actions = {
  ACCEPTED: 'accept-invitation',
  REJECTED: 'reject-invitation',
  CANCELED: 'cancel-invitation',
} as const satisfies Record<InvitationMove, string>;

/** Makes the service. */
export function createInvitations(context: AdminContext): Invitations {
  const { store, auth, outbox, links, now } = context;
  const { read } = store;
  const { invitation } = read.t;

  const mayInvite = (principal: Principal, row: InvitationRow) =>
    auth.decide(principal, ['organization:invite'], row.organizationUid);

  /** What was offered can be given only as long as the inviter may give it. */
  const demandInviter = async (row: InvitationRow): Promise<void> => {
    const inviter = { serviceId: row.createdBy, appUid: row.createdByApp };
    const offered = await offersOf(read, [row.id]);
    const decisions = [
      auth.decide(inviter, ['organization:invite'], row.organizationUid),
      ...offered.map(({ resource, role }) =>
        auth.decide(inviter, [`${typeOf(resource)}:manage`, ...granted(role)], resource.uid),
      ),
    ];
    if ((await Promise.all(decisions)).every(({ result }) => result)) return;
    throw new Problem(
      'conflict',
      'Who made this invitation may not give these roles any more; ask for a new invitation.',
    );
  };

  const find = async ({ token, id }: InvitationResponse): Promise<InvitationRow> => {
    const [row] =
      token !== undefined
        ? await read.db
            .select()
            .from(invitation)
            .where(eq(invitation.tokenHash, tokenHash(token)))
        : id !== undefined
          ? await read.db.select().from(invitation).where(eq(invitation.id, id))
          : [];
    if (row === undefined) throw notFound('invitation');
    return row;
  };

  return {
    async list(principal, state, resourceId) {
      const at = now();
      const own = sql`${invitation.userEmail} in (select identifier from identity where service_id = ${principal.serviceId})`;
      const concerned = resourceId
        ? or(
            sql`${invitation.organizationUid} in (select uid from resource where uid = ${resourceId} or (type = 'organization' and resource_id = ${resourceId}))`,
            sql`${invitation.id} in (select o.invitation_id from invitation_role o join resource r on r.uid = o.resource_uid where r.uid = ${resourceId} or r.resource_id = ${resourceId})`,
          )
        : undefined;
      const rows = await read.db
        .select()
        .from(invitation)
        .where(
          and(
            or(permitted(read, principal, invitation.organizationUid, 'organization:invite'), own),
            inState(invitation, state, at),
            concerned,
          ),
        )
        .orderBy(invitation.id)
        .limit(1_000);
      return await invitationViews(read, rows, at);
    },

    async create(principal, input, claim) {
      const userEmail = normalIdentifier(input.userEmail);
      const organization = await demandOn(context, principal, 'invite', {
        id: input.organizationId,
        type: 'organization',
        pointer: '/organizationId',
      });
      if (input.roles.length > maxRoles) {
        throw invalidRequest([
          { pointer: '/invitationResourceRoles', detail: `must have at most ${maxRoles} items` },
        ]);
      }
      const offers: { resourceUid: string; roleUid: string }[] = [];
      for (const [index, { resource, role }] of input.roles.entries()) {
        const pointer = `/invitationResourceRoles/${index}`;
        offers.push(await offerable(principal, organization.uid, resource, role, pointer));
      }
      const token = new Secret(`inv_${randomBytes(32).toString('base64url')}`);
      return await changing(context, { claim, status: 201, secret: true }, async (tx) => {
        const at = now();
        await refuseSecond(tx, organization.uid, userEmail, at);
        const row: InvitationRow = {
          id: await nextId(tx, 'invitation'),
          organizationUid: organization.uid,
          userEmail,
          emailSubject: input.emailSubject ?? null,
          message: input.message ?? null,
          state: 'PENDING',
          tokenHash: tokenHash(token),
          saml: input.saml,
          createdBy: principal.serviceId,
          createdByApp: principal.appUid,
          createdAt: at,
          updatedAt: at,
          expiresAt: at + context.invitationLifetime,
        };
        await tx.db.insert(tx.t.invitation).values(row);
        await record(tx, principal, 'invite', row, at);
        for (const offer of offers) {
          const id = await nextId(tx, 'invitation_role');
          await tx.db
            .insert(tx.t.invitationRole)
            .values({ id, invitationId: row.id, ...offer })
            .onConflictDoNothing();
        }
        const { organization: table } = tx.t;
        const [named] = await tx.db.select().from(table).where(eq(table.uid, organization.uid));
        await outbox.add(
          tx,
          invitationMail({
            to: userEmail,
            subject: row.emailSubject,
            message: row.message,
            organization: named?.name ?? organization.resourceId,
            link: links.invitation(token),
            until: row.expiresAt,
          }),
        );
        return { ...only(await invitationViews(tx, [row], at)), invitationToken: token.reveal() };
      });
    },

    async respond(principal, response) {
      const row = await find(response);
      const { move } = response;
      if (move === 'CANCELED') {
        const isInviter = row.createdBy === principal.serviceId;
        const decision = isInviter ? undefined : await mayInvite(principal, row);
        if (decision?.result === false) {
          // Who shows no token does not learn that there is such an invitation.
          if (response.token === undefined) throw notFound('invitation');
          throw new Problem(
            'not-permitted',
            'Only who may invite into the organization cancels an invitation.',
          );
        }
      } else if (response.token === undefined) {
        throw invalidRequest([
          { pointer: '/invitationToken', detail: 'is needed to accept or reject an invitation' },
        ]);
      }
      // What is closed is closed, whoever may do what; this tells why before anything else is looked at.
      stateAfter(stateOf(row, now()), move);
      if (move === 'ACCEPTED') await demandInviter(row);
      return await close(row, move, principal);
    },

    async redeem(token) {
      const row = await find({ token, move: 'ACCEPTED' });
      const state = stateOf(row, now());
      if (state !== 'ACCEPTED') {
        stateAfter(state, 'ACCEPTED');
        await demandInviter(row);
        await close(row, 'ACCEPTED');
      }
      return await store.transaction(async (tx) => {
        const { identity } = tx.t;
        const [user] = await tx.db.select().from(identity).where(eq(identity.identifier, row.userEmail));
        if (user?.type !== 'USER' || user.status !== 'PENDING') {
          throw new Problem(
            'conflict',
            'The invitation is accepted, and this address has an account: log in.',
          );
        }
        return (await auth.createInitToken(tx, user.serviceId)).initToken;
      });
    },

    async sweep() {
      const at = now();
      await store.transaction(async (tx) => {
        const expired = await tx.db
          .update(tx.t.invitation)
          .set({ state: 'EXPIRED', updatedAt: at })
          .where(and(eq(tx.t.invitation.state, 'PENDING'), lte(tx.t.invitation.expiresAt, at)))
          .returning();
        for (const row of expired) await record(tx, serviceItself, 'invitation-expired', row, at);
      });
    },
  };

  /**
   * Makes the move, once, whoever else is at it.
   *
   * @param by absent: the invited, who shows the token and is nobody yet
   */
  async function close(row: InvitationRow, move: InvitationMove, by?: Principal): Promise<InvitationView> {
    return await store.transaction(async (tx) => {
      const at = now();
      const { invitation: table } = tx.t;
      const [current] = await forUpdate(tx, tx.db.select().from(table).where(eq(table.id, row.id)));
      if (current === undefined) throw notFound('invitation');
      const state = stateAfter(stateOf(current, at), move);
      await tx.db.update(table).set({ state, updatedAt: at }).where(eq(table.id, row.id));
      const invited = move === 'ACCEPTED' ? await findOrAdd(tx, current, by) : '';
      const actor = by ?? { serviceId: invited, appId: '' };
      await record(tx, actor, actions[move], current, at);
      if (move === 'ACCEPTED') await giveOffers(tx, current, invited, actor, at);
      return only(await invitationViews(tx, [{ ...current, state }], at));
    });
  }

  async function offerable(
    principal: Principal,
    organizationUid: string,
    resource: string,
    role: string,
    pointer: string,
  ): Promise<{ resourceUid: string; roleUid: string }> {
    const target = await demandOn(context, principal, 'manage', {
      id: resource,
      pointer: `${pointer}/resource`,
    });
    const inside = await read.all(
      'select resource_uid from resource_ancestor where resource_uid = $1 and ancestor_uid = $2',
      [target.uid, organizationUid],
    );
    if (inside.length === 0) {
      throw invalidRequest([
        { pointer: `${pointer}/resource`, detail: 'is not the organization and not in it' },
      ]);
    }
    const table = read.t.role;
    const [found] = await read.db
      .select()
      .from(table)
      .where(and(eq(table.roleType, 'IDENTITY'), eq(table.name, role)));
    if (found === undefined) throw notFound('role of type IDENTITY', `${pointer}/role`);
    await demandHeld(context, principal, found, target.uid);
    return { resourceUid: target.uid, roleUid: found.uid };
  }

  /** The serviceId of the invited: creates the identity, if there is none of this address. */
  async function findOrAdd(tx: Tx, row: InvitationRow, by: Actor = serviceItself): Promise<string> {
    const type = row.saml ? 'SAML' : 'USER';
    const created = await addIdentity(context, tx, by, { service, type, identifier: row.userEmail });
    const { identity } = tx.t;
    const known =
      created ?? (await tx.db.select().from(identity).where(eq(identity.identifier, row.userEmail)))[0];
    if (known === undefined) throw notFound('identity');
    return known.serviceId;
  }

  /** Gives what was offered. */
  async function giveOffers(
    tx: Tx,
    row: InvitationRow,
    invited: string,
    actor: Actor,
    at: number,
  ): Promise<void> {
    for (const { resource, role } of await offersOf(tx, [row.id])) {
      const holder = { identity: invited };
      if (!(await giveRole(tx, { holder, role: role.name, resourceUid: resource.uid }, at))) continue;
      const change = { action: 'assign-role', service, targetObject: `${role.name} ${invited}` } as const;
      await recordChange(tx, actor, resource.uid, change, at);
    }
  }
}

/** The invitation by its id: who may see the organization's timeline need not know whom it invites. */
async function record(tx: Tx, actor: Actor, action: string, row: InvitationRow, at: number): Promise<void> {
  await recordChange(tx, actor, row.organizationUid, { action, service, targetObject: String(row.id) }, at);
}

function inState(invitation: Tables['invitation'], state: InvitationState, now: number): SQL | undefined {
  const pending = eq(invitation.state, 'PENDING');
  if (state === 'PENDING') return and(pending, gt(invitation.expiresAt, now));
  if (state !== 'EXPIRED') return eq(invitation.state, state);
  return or(eq(invitation.state, 'EXPIRED'), and(pending, lte(invitation.expiresAt, now)));
}

/** @throws Problem `already-exists` when the address has an invitation into this organization that is open */
async function refuseSecond(tx: Tx, organizationUid: string, userEmail: string, now: number): Promise<void> {
  const { invitation } = tx.t;
  const open = await tx.db
    .select({ id: invitation.id })
    .from(invitation)
    .where(
      all(
        eq(invitation.organizationUid, organizationUid),
        eq(invitation.userEmail, userEmail),
        eq(invitation.state, 'PENDING'),
        gt(invitation.expiresAt, now),
      ),
    );
  if (open.length === 0) return;
  throw new Problem(
    'already-exists',
    'This address has an open invitation into the organization; cancel that one first.',
  );
}

function granted(role: Tables['role']['$inferSelect']): Permission[] {
  return permissionsOf(role).filter((text): text is Permission => text.includes(':'));
}

function only(views: readonly InvitationView[]): InvitationView {
  const [view] = views;
  if (view === undefined) throw notFound('invitation');
  return view;
}

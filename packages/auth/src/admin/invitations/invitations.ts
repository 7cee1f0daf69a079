import { randomBytes } from 'node:crypto';
import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { forUpdate, type IdempotencyClaim, nextId, once, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, gt, lte, or, type SQL, sql } from 'drizzle-orm';
import { bumpAccess } from '../../access/access-version.ts';
import { newToken, tokenHash } from '../../credentials.ts';
import { normalIdentifier } from '../../identifier.ts';
import { unusableInitToken } from '../../login/init-user.ts';
import type { FirstPassword } from '../../login/types.ts';
import { type Actor, serviceItself } from '../../timeline/record-activity.ts';
import { recordChange } from '../../timeline/record-change.ts';
import type { Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { demandOn, notFound } from '../find.ts';
import type { IdentityRow } from '../find-identity.ts';
import { addIdentity } from '../identities.ts';
import { invitationMail } from '../mail/mails.ts';
import { all, permitted } from '../visibility.ts';
import { demandInviter, giveOffers, type Offer, offerOf } from './offers.ts';
import { demandQuota } from './quota.ts';
import { type InvitationRow, type InvitationView, invitationViews, stateOf } from './records.ts';
import { type InvitationMove, type InvitationState, stateAfter } from './states.ts';

/** Whom to invite, and to what. */
export interface NewInvitation {
  readonly organizationId: string;
  readonly userEmail: string;
  readonly emailSubject?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly roles: readonly { readonly resource: string; readonly role: string }[];
  /** For somebody who logs in at a SAML provider: the mail sets no password. */
  readonly saml: boolean;
}

/** The answer to an invitation: by its token, or, to cancel it, by its id. Neither proves anything. */
export interface InvitationResponse {
  readonly token?: string | undefined;
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
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`, `too-many-requests`
   */
  create(principal: Principal, input: NewInvitation, claim?: IdempotencyClaim): Promise<InvitationView>;
  /** For who may cancel or answer it. @throws Problem `not-found` */
  get(principal: Principal, id: number): Promise<InvitationView>;
  /**
   * Accepts or rejects, by the identity of the address that was invited; or cancels, by the inviter or who may invite.
   * Accepting gives the roles, if the inviter may still.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (not PENDING any more)
   */
  respond(principal: Principal, response: InvitationResponse): Promise<InvitationView>;
  /**
   * For somebody who has no account yet, and shows the secret of the mail: makes the account with its first password,
   * and accepts this invitation. Others to the same address stay open.
   *
   * @throws Problem `invalid-request`, `too-many-requests`, `conflict` (the address has an account, or the inviter may
   * not give the roles any more)
   */
  redeem(secret: Secret, input: FirstPassword): Promise<{ email: string }>;
  /** Marks those that ran out. */
  sweep(): Promise<void>;
}

const maxRoles = 50;
const service = 'invitations';

/** Names of an invitation's moves in the timeline. */
const actions = {
  ACCEPTED: 'accept-invitation',
  REJECTED: 'reject-invitation',
  CANCELED: 'cancel-invitation',
} as const satisfies Record<InvitationMove, string>;

/** Makes the service. */
export function createInvitations(context: AdminContext): Invitations {
  const { store, auth, outbox, links, baseUrl, now } = context;
  const { read } = store;
  const { invitation } = read.t;

  const find = async ({ token, id }: Pick<InvitationResponse, 'token' | 'id'>): Promise<InvitationRow> => {
    const by =
      token !== undefined
        ? eq(invitation.token, token)
        : id === undefined
          ? undefined
          : eq(invitation.id, id);
    const [row] = by === undefined ? [] : await read.db.select().from(invitation).where(by);
    if (row === undefined) throw notFound('invitation');
    return row;
  };

  /** Who the caller is to an invitation. */
  const partOf = async ({ serviceId, appUid }: Principal, row: InvitationRow) => {
    const invited = await read.all(
      'select service_id from identity where service_id = $1 and identifier = $2',
      [serviceId, row.userEmail],
    );
    const mayInvite = auth.decide({ serviceId, appUid }, ['organization:invite'], row.organizationUid);
    return {
      isInvited: invited.length > 0,
      isInviter: row.createdBy === serviceId || (await mayInvite).result,
    };
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
      const offers: Offer[] = [];
      for (const [index, role] of input.roles.entries()) {
        const pointer = `/invitationResourceRoles/${index}`;
        offers.push(await offerOf(context, principal, organization.uid, { ...role, pointer }));
      }
      // Who logs in at a SAML provider has no password that it could set.
      const secret = input.saml ? undefined : newToken('invitation');
      const mailedAt = await store.now();
      return await once(store, { claim, status: 201 }, async (tx) => {
        const at = now();
        // First: on PostgreSQL other invitations wait for it, so that what is counted below stays true.
        const id = await nextId(tx, 'invitation');
        await refuseSecond(tx, organization.uid, userEmail, at);
        const mailing = { organizationUid: organization.uid, userEmail, at: mailedAt };
        await demandQuota(tx, mailing, context);
        const row: InvitationRow = {
          id,
          organizationUid: organization.uid,
          userEmail,
          emailSubject: input.emailSubject ?? null,
          message: input.message ?? null,
          state: 'PENDING',
          token: `inv_${randomBytes(32).toString('base64url')}`,
          secretHash: secret === undefined ? null : tokenHash(secret),
          saml: input.saml,
          createdBy: principal.serviceId,
          createdByApp: principal.appUid,
          createdAt: at,
          updatedAt: at,
          expiresAt: at + context.invitationLifetime,
          mailedAt,
        };
        await tx.db.insert(tx.t.invitation).values(row);
        await record(tx, principal, 'invite', row, at);
        for (const offer of offers) {
          await tx.db
            .insert(tx.t.invitationRole)
            .values({ id: await nextId(tx, 'invitation_role'), invitationId: id, ...offer })
            .onConflictDoNothing();
        }
        await mail(tx, row, secret);
        return only(await invitationViews(tx, [row], at));
      });
    },

    async get(principal, id) {
      const row = await find({ id });
      const { isInvited, isInviter } = await partOf(principal, row);
      if (!isInvited && !isInviter) throw notFound('invitation');
      return only(await invitationViews(read, [row], now()));
    },

    async respond(principal, response) {
      const { token, move } = response;
      if (move !== 'CANCELED' && token === undefined) {
        throw invalidRequest([
          { pointer: '/invitationToken', detail: 'is needed to accept or reject an invitation' },
        ]);
      }
      const row = await find(response);
      const { isInvited, isInviter } = await partOf(principal, row);
      // Who is neither does not learn that there is such an invitation.
      if (!isInvited && !isInviter) throw notFound('invitation');
      if (move === 'CANCELED' && !isInviter) {
        throw new Problem(
          'not-permitted',
          'Only who may invite into the organization cancels an invitation.',
        );
      }
      if (move !== 'CANCELED' && !isInvited) {
        throw new Problem(
          'not-permitted',
          'Only who was invited answers: log in as the identity of the address that the invitation names.',
        );
      }
      return await store.transaction(async (tx) => {
        if (move === 'ACCEPTED') await bumpAccess(tx);
        const at = now();
        const [current] = await forUpdate(
          tx,
          tx.db.select().from(tx.t.invitation).where(eq(tx.t.invitation.id, row.id)),
        );
        if (current === undefined) throw notFound('invitation');
        const closed = await close(tx, current, move, principal, at);
        if (move === 'ACCEPTED') await giveOffers(tx, current, principal.serviceId, principal, at);
        return only(await invitationViews(tx, [closed], at));
      });
    },

    async redeem(secret, input) {
      const hash = tokenHash(secret);
      const open = (at: number) =>
        all(eq(invitation.secretHash, hash), eq(invitation.state, 'PENDING'), gt(invitation.expiresAt, at));
      return await auth.setFirstPassword(
        {
          async look() {
            const [row] = await read.db.select().from(invitation).where(open(now()));
            if (row === undefined) throw unusableInitToken();
            await demandInviter(read, row);
            const { identity } = read.t;
            const [known] = await read.db
              .select()
              .from(identity)
              .where(eq(identity.identifier, row.userEmail));
            if (known !== undefined) demandPending(known);
            return row.userEmail;
          },
          async use(tx) {
            const at = now();
            const [row] = await forUpdate(tx, tx.db.select().from(tx.t.invitation).where(open(at)));
            if (row === undefined) throw unusableInitToken();
            const { serviceId } = await newcomer(tx, row.userEmail);
            const actor = { serviceId, appId: '' };
            await close(tx, row, 'ACCEPTED', actor, at);
            await giveOffers(tx, row, serviceId, actor, at);
            return serviceId;
          },
        },
        input,
      );
    },

    async sweep() {
      const at = now();
      await store.transaction(async (tx) => {
        const expired = await tx.db
          .update(tx.t.invitation)
          .set({ state: 'EXPIRED', secretHash: null, updatedAt: at })
          .where(and(eq(tx.t.invitation.state, 'PENDING'), lte(tx.t.invitation.expiresAt, at)))
          .returning();
        for (const row of expired) await record(tx, serviceItself, 'invitation-expired', row, at);
      });
    },
  };

  /** Mails it. The secret goes nowhere else. */
  async function mail(tx: Tx, row: InvitationRow, secret: Secret | undefined): Promise<void> {
    const { organization: table, identity } = tx.t;
    const [organization] = await tx.db.select().from(table).where(eq(table.uid, row.organizationUid));
    const [inviter] = await tx.db.select().from(identity).where(eq(identity.serviceId, row.createdBy));
    if (organization === undefined || inviter === undefined) throw notFound('organization');
    await outbox.add(
      tx,
      invitationMail({
        to: row.userEmail,
        subject: row.emailSubject,
        message: row.message,
        inviter: inviter.identifier,
        organization,
        baseUrl,
        answerLink: links.invitation(row.token),
        initLink: secret === undefined ? undefined : links.init(secret),
        until: row.expiresAt,
      }),
    );
  }

  /** The PENDING user of an address: made, if there is none. */
  async function newcomer(tx: Tx, identifier: string): Promise<IdentityRow> {
    const created = await addIdentity(context, tx, undefined, { service, type: 'USER', identifier });
    if (created !== undefined) return created;
    const { identity } = tx.t;
    const [known] = await tx.db.select().from(identity).where(eq(identity.identifier, identifier));
    if (known === undefined) {
      // Another mailbox, whose address reads the same: what this one proves says nothing of it.
      throw new Problem('conflict', 'There is an account whose address reads the same as the invited one.');
    }
    demandPending(known);
    return known;
  }
}

/** Makes the move. The row is locked, so that it is made once, whoever else is at it. @throws Problem `conflict` */
async function close(
  tx: Tx,
  row: InvitationRow,
  move: InvitationMove,
  actor: Actor,
  at: number,
): Promise<InvitationRow> {
  const { invitation } = tx.t;
  const state = stateAfter(stateOf(row, at), move);
  if (move === 'ACCEPTED') await demandInviter(tx, row);
  const closed = { state, secretHash: null, updatedAt: at };
  await tx.db.update(invitation).set(closed).where(eq(invitation.id, row.id));
  await record(tx, actor, actions[move], row, at);
  return { ...row, ...closed };
}

/** A mailbox gives a password to nobody who has an account already. @throws Problem `conflict` */
function demandPending({ type, status }: IdentityRow): void {
  if (type === 'USER' && status === 'PENDING') return;
  throw new Problem(
    'conflict',
    'This address has an account: log in, and answer the invitation there (PUT /v1/invitations).',
  );
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

function only(views: readonly InvitationView[]): InvitationView {
  const [view] = views;
  if (view === undefined) throw notFound('invitation');
  return view;
}

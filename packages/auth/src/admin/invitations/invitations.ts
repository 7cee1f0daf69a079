import { randomBytes } from 'node:crypto';
import { invalidRequest, Problem, type Secret } from '@ledger-ops/base';
import { forUpdate, type IdempotencyClaim, nextId, once, type Tables, type Tx } from '@ledger-ops/store';
import { and, eq, gt, lte, or, type SQL, sql } from 'drizzle-orm';
import { bumpAccess } from '../../access/access-version.ts';
import { systemUid } from '../../access/system-uid.ts';
import { newToken, tokenHash } from '../../credentials.ts';
import { normalIdentifier } from '../../identifier.ts';
import { unusableInitToken } from '../../login/init-user.ts';
import type { FirstPassword } from '../../login/types.ts';
import { serviceItself } from '../../timeline/record-activity.ts';
import type { Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { demandOn, notFound } from '../find.ts';
import type { IdentityRow } from '../find-identity.ts';
import { addIdentity } from '../identities.ts';
import { invitationMail } from '../mail/mails.ts';
import { all, permitted } from '../visibility.ts';
import { closeInvitation, recordInvitation } from './close.ts';
import { demandInviter, giveOffers, type Offer, offerOf } from './offers.ts';
import { demandQuota } from './quota.ts';
import { type InvitationRow, type InvitationView, invitationViews } from './records.ts';
import type { InvitationMove, InvitationState } from './states.ts';

export interface NewInvitation {
  readonly organizationId: string;
  readonly email: string;
  readonly subject?: string | null | undefined;
  readonly message?: string | null | undefined;
  readonly roles: readonly { readonly resourceId: string; readonly role: string }[];
  /** Set for a user who logs in with a SAML provider. The mail then contains no link to set a password. */
  readonly saml: boolean;
}

/** A newly created invitation. */
export interface NewInvitationView {
  readonly invitation: InvitationView;
  /**
   * Link for setting the first password, as in the mail. Set only if no mail server delivers the mail, and only
   * for callers who may invite people to every organization, because the link opens an account at the invited
   * address. Not stored with an Idempotency-Key.
   */
  readonly initLink: string | undefined;
}

/**
 * An answer to an invitation. The token identifies an invitation to accept or reject; the id identifies an
 * invitation to cancel. Neither authenticates the caller.
 */
export interface InvitationResponse {
  readonly token?: string | undefined;
  readonly id?: number | undefined;
  readonly move: InvitationMove;
}

const maxRoles = 50;
const service = 'invitations';

export class Invitations {
  readonly #context: AdminContext;
  readonly #store: AdminContext['store'];
  readonly #auth: AdminContext['auth'];
  readonly #outbox: AdminContext['outbox'];
  readonly #links: AdminContext['links'];
  readonly #baseUrl: string;
  readonly #now: AdminContext['now'];
  readonly #read: AdminContext['store']['read'];
  readonly #invitation;

  constructor(context: AdminContext) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#outbox = context.outbox;
    this.#links = context.links;
    this.#baseUrl = context.baseUrl;
    this.#now = context.now;
    const { read } = this.#store;
    this.#read = read;
    const { invitation } = this.#read.t;
    this.#invitation = invitation;
  }

  /**
   * Returns the invitations that the caller may make or has received.
   *
   * @param resourceId id of an organization, or of a resource on which a role is offered; empty for all
   */
  async list(principal: Principal, state: InvitationState, resourceId?: string): Promise<InvitationView[]> {
    const at = this.#now();
    const own = sql`${this.#invitation.userEmail} in (select identifier from identity where service_id = ${principal.serviceId})`;
    const concerned = resourceId
      ? or(
          sql`${this.#invitation.organizationUid} in (select uid from resource where uid = ${resourceId} or (type = 'organization' and resource_id = ${resourceId}))`,
          sql`${this.#invitation.id} in (select o.invitation_id from invitation_role o join resource r on r.uid = o.resource_uid where r.uid = ${resourceId} or r.resource_id = ${resourceId})`,
        )
      : undefined;
    const rows = await this.#read.db
      .select()
      .from(this.#invitation)
      .where(
        and(
          or(permitted(this.#read, principal, this.#invitation.organizationUid, 'organization:invite'), own),
          inState(this.#invitation, state, at),
          concerned,
        ),
      )
      .orderBy(this.#invitation.id)
      .limit(1_000);
    return await invitationViews(this.#read, rows, at);
  }

  /**
   * Invites someone by mail. The caller needs `organization:invite` and the permissions to assign
   * each offered role.
   *
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`, `too-many-requests`
   */
  async create(
    principal: Principal,
    input: NewInvitation,
    claim?: IdempotencyClaim,
  ): Promise<NewInvitationView> {
    const userEmail = normalIdentifier(input.email);
    const organization = await demandOn(this.#context, principal, 'invite', {
      id: input.organizationId,
      type: 'organization',
      pointer: '/organizationId',
    });
    if (input.roles.length > maxRoles) {
      throw invalidRequest([{ pointer: '/roles', detail: `must have at most ${maxRoles} items` }]);
    }
    const offers: Offer[] = [];
    for (const [index, role] of input.roles.entries()) {
      const pointer = `/roles/${index}`;
      offers.push(await offerOf(this.#context, principal, organization.uid, { ...role, pointer }));
    }
    // Users of a SAML provider have no password to set.
    const secret = input.saml ? undefined : newToken('invitation');
    const showsLink = this.#context.showsLinks && (await this.#mayInviteEverywhere(principal));
    const mailedAt = await this.#store.now();
    const created = await once(this.#store, { claim, status: 201 }, async (tx) => {
      const at = this.#now();
      // The id is allocated first. On PostgreSQL, this makes concurrent invitations wait, so that the counts below
      // stay correct.
      const id = await nextId(tx, 'invitation');
      await refuseSecond(tx, organization.uid, userEmail, at);
      const mailing = { organizationUid: organization.uid, userEmail, at: mailedAt };
      await demandQuota(tx, mailing, this.#context);
      const row: InvitationRow = {
        id,
        organizationUid: organization.uid,
        userEmail,
        emailSubject: input.subject ?? null,
        message: input.message ?? null,
        state: 'PENDING',
        token: `inv_${randomBytes(32).toString('base64url')}`,
        secretHash: secret === undefined ? null : tokenHash(secret),
        saml: input.saml,
        createdBy: principal.serviceId,
        createdByApp: principal.appUid,
        createdAt: at,
        updatedAt: at,
        expiresAt: at + this.#context.invitationLifetime,
        mailedAt,
      };
      await tx.db.insert(tx.t.invitation).values(row);
      await recordInvitation(tx, principal, 'invite', row, at);
      for (const offer of offers) {
        await tx.db
          .insert(tx.t.invitationRole)
          .values({ id: await nextId(tx, 'invitation_role'), invitationId: id, ...offer })
          .onConflictDoNothing();
      }
      await this.#mail(tx, row, secret);
      return only(await invitationViews(tx, [row], at));
    });
    return {
      invitation: created,
      initLink: showsLink && secret !== undefined ? this.#links.init(secret) : undefined,
    };
  }

  /**
   * Only for callers who may cancel or answer the invitation.
   * @throws Problem `not-found`
   */
  async get(principal: Principal, id: number): Promise<InvitationView> {
    const row = await this.#find({ id });
    const { isInvited, isInviter } = await this.#partOf(principal, row);
    if (!isInvited && !isInviter) throw notFound('invitation');
    return only(await invitationViews(this.#read, [row], this.#now()));
  }

  /**
   * Accepts or rejects an invitation as the invited identity, or cancels it as the inviter or anyone who may
   * invite. Accepting assigns the roles, if the inviter may still do so.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict` (no longer PENDING)
   */
  async respond(principal: Principal, response: InvitationResponse): Promise<InvitationView> {
    const { token, move } = response;
    if (move !== 'CANCELED' && token === undefined) {
      throw invalidRequest([
        { pointer: '/invitationToken', detail: 'is required to accept or reject an invitation' },
      ]);
    }
    const row = await this.#find(response);
    const { isInvited, isInviter } = await this.#partOf(principal, row);
    // Other callers must not learn that the invitation exists.
    if (!isInvited && !isInviter) throw notFound('invitation');
    if (move === 'CANCELED' && !isInviter) {
      throw new Problem(
        'not-permitted',
        'Only users who may invite people to the organization can cancel an invitation.',
      );
    }
    if (move !== 'CANCELED' && !isInvited) {
      throw new Problem(
        'not-permitted',
        'Only the invited user can answer an invitation. Sign in with the invited e-mail address.',
      );
    }
    return await this.#store.transaction(async (tx) => {
      if (move === 'ACCEPTED') await bumpAccess(tx);
      const at = this.#now();
      const [current] = await forUpdate(
        tx,
        tx.db.select().from(tx.t.invitation).where(eq(tx.t.invitation.id, row.id)),
      );
      if (current === undefined) throw notFound('invitation');
      const closed = await closeInvitation(tx, current, move, principal, at);
      if (move === 'ACCEPTED') await giveOffers(tx, current, principal.serviceId, principal, at);
      return only(await invitationViews(tx, [closed], at));
    });
  }

  /**
   * Creates the account of an invited person who has none and who presents the secret from the mail. Sets its
   * first password and accepts this invitation. Other invitations to the same address stay open.
   *
   * @throws Problem `invalid-request`, `too-many-requests`, `conflict` (the address has an account, or the
   * inviter may no longer assign the roles)
   */
  async redeem(secret: Secret, input: FirstPassword): Promise<{ email: string }> {
    const hash = tokenHash(secret);
    const open = (at: number) =>
      all(
        eq(this.#invitation.secretHash, hash),
        eq(this.#invitation.state, 'PENDING'),
        gt(this.#invitation.expiresAt, at),
      );
    return await this.#auth.setFirstPassword(
      {
        look: async () => {
          const [row] = await this.#read.db.select().from(this.#invitation).where(open(this.#now()));
          if (row === undefined) throw unusableInitToken();
          await demandInviter(this.#read, row);
          const { identity } = this.#read.t;
          const [known] = await this.#read.db
            .select()
            .from(identity)
            .where(eq(identity.identifier, row.userEmail));
          if (known !== undefined) demandPending(known);
          return row.userEmail;
        },
        use: async (tx) => {
          const at = this.#now();
          const [row] = await forUpdate(tx, tx.db.select().from(tx.t.invitation).where(open(at)));
          if (row === undefined) throw unusableInitToken();
          const { serviceId } = await this.#newcomer(tx, row.userEmail);
          const actor = { serviceId, appId: '' };
          await closeInvitation(tx, row, 'ACCEPTED', actor, at);
          await giveOffers(tx, row, serviceId, actor, at);
          return serviceId;
        },
      },
      input,
    );
  }

  /** Marks expired invitations. */
  async sweep(): Promise<void> {
    const at = this.#now();
    await this.#store.transaction(async (tx) => {
      const expired = await tx.db
        .update(tx.t.invitation)
        .set({ state: 'EXPIRED', secretHash: null, updatedAt: at })
        .where(and(eq(tx.t.invitation.state, 'PENDING'), lte(tx.t.invitation.expiresAt, at)))
        .returning();
      for (const row of expired) await recordInvitation(tx, serviceItself, 'invitation-expired', row, at);
    });
  }

  async #find({ token, id }: Pick<InvitationResponse, 'token' | 'id'>): Promise<InvitationRow> {
    const by =
      token !== undefined
        ? eq(this.#invitation.token, token)
        : id === undefined
          ? undefined
          : eq(this.#invitation.id, id);
    const [row] = by === undefined ? [] : await this.#read.db.select().from(this.#invitation).where(by);
    if (row === undefined) throw notFound('invitation');
    return row;
  }

  /** Returns the caller's role in an invitation: invited person, inviter, or both. */
  async #partOf({ serviceId, appUid }: Principal, row: InvitationRow) {
    const invited = await this.#read.all(
      'select service_id from identity where service_id = $1 and identifier = $2',
      [serviceId, row.userEmail],
    );
    const mayInvite = this.#auth.decide({ serviceId, appUid }, ['organization:invite'], row.organizationUid);
    return {
      isInvited: invited.length > 0,
      isInviter: row.createdBy === serviceId || (await mayInvite).result,
    };
  }

  async #mayInviteEverywhere({ serviceId, appUid }: Principal) {
    return (await this.#auth.decide({ serviceId, appUid }, ['organization:invite'], systemUid)).result;
  }

  async #mail(tx: Tx, row: InvitationRow, secret: Secret | undefined): Promise<void> {
    const { organization: table, identity } = tx.t;
    const [organization] = await tx.db.select().from(table).where(eq(table.uid, row.organizationUid));
    const [inviter] = await tx.db.select().from(identity).where(eq(identity.serviceId, row.createdBy));
    if (organization === undefined || inviter === undefined) throw notFound('organization');
    await this.#outbox.add(
      tx,
      invitationMail({
        to: row.userEmail,
        subject: row.emailSubject,
        message: row.message,
        inviter: inviter.identifier,
        organization,
        baseUrl: this.#baseUrl,
        answerLink: this.#links.invitation(row.token),
        initLink: secret === undefined ? undefined : this.#links.init(secret),
        until: row.expiresAt,
      }),
    );
  }

  /** Returns the PENDING user with an address. Creates the user if there is none. */
  async #newcomer(tx: Tx, identifier: string): Promise<IdentityRow> {
    const created = await addIdentity(this.#context, tx, undefined, { service, type: 'USER', identifier });
    if (created !== undefined) return created;
    const { identity } = tx.t;
    const [known] = await tx.db.select().from(identity).where(eq(identity.identifier, identifier));
    if (known === undefined) {
      // The addresses look the same but differ, so the secret proves access to another mailbox.
      throw new Problem('conflict', 'An account with a confusingly similar e-mail address already exists.');
    }
    demandPending(known);
    return known;
  }
}

/**
 * Access to a mailbox must not be enough to set the password of an existing account.
 * @throws Problem `conflict`
 */
function demandPending({ type, status }: IdentityRow): void {
  if (type === 'USER' && status === 'PENDING') return;
  throw new Problem(
    'conflict',
    'This address already has an account. Sign in and answer the invitation there (PUT /v1/invitations).',
  );
}

function inState(invitation: Tables['invitation'], state: InvitationState, now: number): SQL | undefined {
  const pending = eq(invitation.state, 'PENDING');
  if (state === 'PENDING') return and(pending, gt(invitation.expiresAt, now));
  if (state !== 'EXPIRED') return eq(invitation.state, state);
  return or(eq(invitation.state, 'EXPIRED'), and(pending, lte(invitation.expiresAt, now)));
}

/** @throws Problem `already-exists` if the address has an open invitation into this organization */
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
    'This address already has an open invitation to the organization. Cancel that invitation first.',
  );
}

function only(views: readonly InvitationView[]): InvitationView {
  const [view] = views;
  if (view === undefined) throw notFound('invitation');
  return view;
}

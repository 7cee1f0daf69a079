import { type Principal, recordActivity, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type SqlValue, type Tx, uuidv7 } from '@ledger-ops/store';
import type { UnknownMatches } from '../actions/unknown-matches.ts';
import {
  deleteSuspension,
  insertSuspension,
  lockLanes,
  type SuspendedKind,
  type SuspensionRow,
  suspensionColumns,
  suspensionsTopic,
} from '../rows/actions/suspensions.ts';
import { readAccount } from '../rows/unknown-matches.ts';
import { acknowledgeUnknown } from '../rows/unknown-transactions.ts';
import { refuseFoundMeanwhile, refuseMatches } from './possibly-executed.ts';
import { type SubjectOptions, type SuspensionSubject, subjectOf } from './suspension-subject.ts';

/** A suspension, without what the caller may not see. */
export interface SuspensionView {
  readonly suspensionId: string;
  readonly kind: SuspendedKind;
  /** Id of the ledger, the wallet or the project. */
  readonly name: string;
  readonly reason: string;
  /** serviceId of the person or service account that suspended the resource. Null if the caller may not see it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  /**
   * `unknown-transactions`: the wallet has unknown transactions, which are on the ledger but not in the
   * database.
   */
  readonly cause: SuspensionRow['cause'];
}

/** Suspends and resumes the actions of a ledger, wallet or project. */
export interface Suspensions {
  /**
   * Suspends a resource. Once the promise resolves, nothing more is signed for it.
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `conflict` if the id matches several
   * projects
   */
  suspend(
    principal: Principal,
    request: SuspensionSubject & { reason: string },
    claim: IdempotencyClaim | undefined,
  ): Promise<SuspensionView>;
  /**
   * Lists the suspensions that the caller may see, newest first: those of the caller's project and of the
   * installation's ledgers or, with the permission `system:read`, those of all projects. `next` is the `after` of the
   * next page; null if there is none.
   * @param query with `of`, only the suspension of this resource is listed, of any project
   * @throws Problem `not-found` if the caller may not see `of`, `conflict` if its id matches several projects
   */
  list(
    principal: Principal,
    query: { after: string | undefined; size: number; of?: SuspensionSubject | undefined },
  ): Promise<{ items: SuspensionView[]; next: string | null }>;
  get(principal: Principal, suspensionId: string): Promise<SuspensionView>;
  /** Returns all suspensions of ledgers, by ledger uid. Not filtered by permissions. */
  ofLedgers(): Promise<ReadonlyMap<string, SuspensionView>>;
  /**
   * @throws Problem `not-found`, `not-permitted`, `possibly-executed` if an unknown transaction may already have
   * executed an action that would be signed, `conflict` if another such transaction is found during the request
   */
  resume(principal: Principal, suspensionId: string): Promise<void>;
}

export interface SuspensionsOptions extends SubjectOptions {
  unknownMatches: Pick<UnknownMatches, 'compare'>;
  now: () => number;
}

const rowsPerQuery = 100;

export function createSuspensions(options: SuspensionsOptions): Suspensions {
  const { store, auth, now } = options;
  const { read } = store;

  /** Returns what the caller may see of a suspension; null if the caller may not see the suspended resource. */
  async function viewOf(principal: Principal, row: SuspensionRow): Promise<SuspensionView | null> {
    const can = async (verb: 'read' | 'update') =>
      (await auth.decide(principal, [`${row.kind}:${verb}`], row.subject)).result;
    if (!(await can('read'))) return null;
    const showsCreator = row.kind !== 'ledger' || (await can('update'));
    return { ...shown(row), createdBy: showsCreator ? row.created_by : null };
  }

  async function find(suspensionId: string): Promise<SuspensionRow> {
    const [row] = await rows('id = $1', [suspensionId], 1);
    if (row === undefined) throw nothingHere(suspensionId);
    return row;
  }

  function rows(condition: string, params: readonly SqlValue[], limit: number): Promise<SuspensionRow[]> {
    return read.all<SuspensionRow>(
      `SELECT ${suspensionColumns.join(', ')} FROM suspension WHERE ${condition} ORDER BY id DESC LIMIT ${limit}`,
      params,
    );
  }

  async function record(tx: Tx, principal: Principal, action: 'suspend' | 'resume', row: SuspensionRow) {
    const activity = {
      action,
      service: 'ledger-operations',
      resourceUid: row.subject,
      resourceId: row.name,
      resourceType: row.kind === 'wallet' ? 'cloud-wallet' : row.kind,
      scope: row.scope,
      targetObject: row.id,
    } as const;
    await recordActivity(tx, principal, activity, now());
  }

  return {
    async suspend(principal, { reason, ...named }, claim) {
      const { kind } = named;
      const { uid, scope, name } = await subjectOf(options, principal, 'update', named);
      const row: SuspensionRow = {
        ...{ subject: uid, id: uuidv7(), kind, name, scope, reason },
        ...{ created_by: principal.serviceId, created_at: now(), cause: null },
      };
      const view = await once(store, { claim, status: 201 }, async (tx) => {
        if (!(await insertSuspension(tx, row)))
          throw new Problem('already-exists', `The ${kind} ${name} is already suspended.`);
        await record(tx, principal, 'suspend', row);
        return shown(row);
      });
      store.notify(suspensionsTopic);
      return view;
    },

    async list(principal, { after, size, of }) {
      if (of !== undefined) {
        const { uid } = await subjectOf(options, principal, 'read', of);
        const views = await Promise.all(
          (await rows('subject = $1', [uid], 1)).map((row) => viewOf(principal, row)),
        );
        return { items: views.filter((view) => view !== null), next: null };
      }
      const sees = await auth.decide(principal, ['system:read'], systemUid);
      const params: SqlValue[] = sees.result ? [] : [systemUid, principal.projectUid];
      const scopes = sees.result ? 'true' : 'scope IN ($1, $2)';
      const items: SuspensionView[] = [];
      let last = after;
      for (;;) {
        const place = last === undefined ? [] : [last];
        const isBefore = last === undefined ? '' : ` AND id < $${params.length + 1}`;
        const found = await rows(scopes + isBefore, [...params, ...place], rowsPerQuery);
        for (const row of found) {
          const view = await viewOf(principal, row);
          if (view === null) continue;
          if (items.length === size) return { items, next: items.at(-1)?.suspensionId ?? null };
          items.push(view);
        }
        last = found.at(-1)?.id;
        if (found.length < rowsPerQuery || last === undefined) return { items, next: null };
      }
    },

    async get(principal, suspensionId) {
      const view = await viewOf(principal, await find(suspensionId));
      if (view === null) throw nothingHere(suspensionId);
      return view;
    },

    async ofLedgers() {
      const all = await read.all<SuspensionRow>(
        `SELECT ${suspensionColumns.join(', ')} FROM suspension WHERE kind = 'ledger' ORDER BY id`,
      );
      return new Map(all.map((row) => [row.subject, shown(row)]));
    },

    async resume(principal, suspensionId) {
      const row = await find(suspensionId);
      await auth.demand(principal, `${row.kind}:update`, row.subject).catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? nothingHere(suspensionId) : error;
      });
      const wallet = row.kind === 'wallet' ? await readAccount(read, row.subject) : undefined;
      const compared = wallet === undefined ? [] : await options.unknownMatches.compare(wallet);
      await refuseMatches(options, principal, row.name, compared);
      await store.transaction(async (tx) => {
        await lockLanes(tx);
        if (wallet !== undefined) await refuseFoundMeanwhile(tx, wallet, compared);
        if (!(await deleteSuspension(tx, suspensionId))) return;
        if (wallet !== undefined) await acknowledgeUnknown(tx, wallet);
        await record(tx, principal, 'resume', row);
      });
      store.notify(suspensionsTopic);
    },
  };
}

function nothingHere(suspensionId: string): Problem {
  return new Problem('not-found', `The suspension ${suspensionId} does not exist or is not visible to you.`);
}

function shown(row: SuspensionRow): SuspensionView {
  const { id, kind, name, reason, created_by: createdBy, created_at: createdAt, cause } = row;
  return { suspensionId: id, kind, name, reason, createdBy, createdAt, cause };
}

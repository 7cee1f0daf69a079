import { type Auth, type Principal, recordActivity, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type SqlValue, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { namedProject } from '../actions/named-project.ts';
import { notFoundAt } from '../actions/resolve.ts';
import type { RegistryPort } from '../registry-port.ts';
import {
  deleteSuspension,
  insertSuspension,
  type SuspendedKind,
  type SuspensionRow,
  suspensionColumns,
  suspensionsTopic,
} from '../rows/actions/suspensions.ts';
import type { Wallets } from '../wallets/types.ts';

/** A suspension, as far as its reader may know. */
export interface SuspensionView {
  readonly suspensionId: string;
  readonly kind: SuspendedKind;
  /** Id of the ledger, the wallet or the project. */
  readonly name: string;
  readonly reason: string;
  /** serviceId; null: the caller may see what is suspended, and no more. */
  readonly createdBy: string | null;
  readonly createdAt: number;
}

/** Names that which is to be suspended, as a request has it. */
interface SuspensionSubject {
  kind: SuspendedKind;
  /** Id of the ledger, the wallet or the project; of a project also its uid. */
  name: string;
  pointer: string;
}

/** Holds actions of a ledger, a wallet or a project back, and lets them go on. */
export interface Suspensions {
  /**
   * Once it resolves nothing more is signed.
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `conflict` where the id names several projects
   */
  suspend(
    principal: Principal,
    request: SuspensionSubject & { reason: string },
    claim: IdempotencyClaim | undefined,
  ): Promise<SuspensionView>;
  /** Those of what the caller may see, newest first. `next`: the `after` of the next page; null: there is none. */
  list(
    principal: Principal,
    query: { after: string | undefined; size: number },
  ): Promise<{ items: SuspensionView[]; next: string | null }>;
  get(principal: Principal, suspensionId: string): Promise<SuspensionView>;
  resume(principal: Principal, suspensionId: string): Promise<void>;
}

export interface SuspensionsOptions {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand'>;
  registry: Pick<RegistryPort, 'ledgerByLedgerId'>;
  wallets: Pick<Wallets, 'demand'>;
  now: () => number;
}

/** Uids of a resource and of the project, or the system, in which it stands, and its id. */
interface Subject {
  uid: string;
  scope: string;
  name: string;
}

/** Rows that are looked at in one step of a page. */
const lookedAt = 100;

export function createSuspensions({ store, auth, registry, wallets, now }: SuspensionsOptions): Suspensions {
  const { read } = store;

  async function subjectOf(principal: Principal, named: SuspensionSubject): Promise<Subject> {
    const { kind, name } = named;
    if (kind === 'wallet') {
      const { uid, projectId } = await wallets.demand(principal, 'wallet:update', name);
      return { uid, scope: projectId, name };
    }
    const subject = kind === 'ledger' ? await ledgerOf(principal, name) : await projectOf(principal, named);
    if (subject === undefined) throw new Problem('not-found', '');
    await auth.demand(principal, `${kind}:update`, subject.uid);
    return subject;
  }

  async function ledgerOf({ projectUid }: Principal, name: string): Promise<Subject | undefined> {
    const ledger = await registry.ledgerByLedgerId(name, projectUid);
    return ledger === null ? undefined : { uid: ledger.uid, scope: ledger.projectUid ?? systemUid, name };
  }

  async function projectOf(principal: Principal, named: SuspensionSubject): Promise<Subject | undefined> {
    const project = await namedProject(read, auth, principal, named);
    return project === undefined
      ? undefined
      : { uid: project.uid, scope: project.uid, name: project.projectId };
  }

  /** Null: the caller may not see what is suspended. */
  async function viewOf(principal: Principal, row: SuspensionRow): Promise<SuspensionView | null> {
    const can = async (verb: 'read' | 'update') =>
      (await auth.decide(principal, [`${row.kind}:${verb}`], row.subject)).result;
    if (!(await can('read'))) return null;
    const isToldBy = row.kind !== 'ledger' || (await can('update'));
    return { ...shown(row), createdBy: isToldBy ? row.created_by : null };
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
      const { kind, pointer } = named;
      const subject = await subjectOf(principal, named).catch((error: unknown) => {
        throw notFoundAt(error, pointer, `There is no ${kind} ${named.name} that you may see.`);
      });
      const { uid, scope, name } = subject;
      const row: SuspensionRow = {
        ...{ subject: uid, id: uuidv7(), kind, name, scope, reason },
        ...{ created_by: principal.serviceId, created_at: now() },
      };
      const view = await once(store, { claim, status: 201 }, async (tx) => {
        if (!(await insertSuspension(tx, row)))
          throw new Problem('already-exists', `The ${kind} ${name} is suspended already.`);
        await record(tx, principal, 'suspend', row);
        return shown(row);
      });
      store.notify(suspensionsTopic);
      return view;
    },

    async list(principal, { after, size }) {
      const sees = await auth.decide(principal, ['system:read'], systemUid);
      const params: SqlValue[] = sees.result ? [] : [systemUid, principal.projectUid];
      const scopes = sees.result ? 'true' : 'scope IN ($1, $2)';
      const items: SuspensionView[] = [];
      let last = after;
      for (;;) {
        const place = last === undefined ? [] : [last];
        const isBefore = last === undefined ? '' : ` AND id < $${params.length + 1}`;
        const found = await rows(scopes + isBefore, [...params, ...place], lookedAt);
        for (const row of found) {
          const view = await viewOf(principal, row);
          if (view === null) continue;
          if (items.length === size) return { items, next: items.at(-1)?.suspensionId ?? null };
          items.push(view);
        }
        last = found.at(-1)?.id;
        if (found.length < lookedAt || last === undefined) return { items, next: null };
      }
    },

    async get(principal, suspensionId) {
      const view = await viewOf(principal, await find(suspensionId));
      if (view === null) throw nothingHere(suspensionId);
      return view;
    },

    async resume(principal, suspensionId) {
      const row = await find(suspensionId);
      await auth.demand(principal, `${row.kind}:update`, row.subject).catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? nothingHere(suspensionId) : error;
      });
      await store.transaction(async (tx) => {
        if (await deleteSuspension(tx, suspensionId)) await record(tx, principal, 'resume', row);
      });
      store.notify(suspensionsTopic);
    },
  };
}

function nothingHere(suspensionId: string): Problem {
  return new Problem('not-found', `There is no suspension ${suspensionId} that you may see.`);
}

function shown({ id, kind, name, reason, created_by, created_at }: SuspensionRow): SuspensionView {
  return { suspensionId: id, kind, name, reason, createdBy: created_by, createdAt: created_at };
}

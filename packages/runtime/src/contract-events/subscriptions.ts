import { type Auth, demandRecord, type Principal, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { once, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { recordEventActivity } from '../events/record-activity.ts';
import type { Ledgers } from '../ledgers.ts';
import type { RegistryPort } from '../registry-port.ts';
import {
  deleteSubscription,
  insertSubscription,
  namesOf,
  positionColumns,
  readContractName,
  readLate,
  readSubject,
  readSubscription,
  readSubscriptions,
  type SubscriptionRow,
  subscriptionView,
  updateSubscription,
} from './rows.ts';
import { demandEvents, startPosition } from './start-position.ts';
import type { ContractSubscriptions } from './types.ts';

/** Maximum number of subscriptions per project. */
const mostSubscriptions = 20;
/**
 * Maximum number of delayed or stopped subscriptions in a list. If more of them are late, the cause is usually the
 * same.
 */
const mostLate = 100;

export interface SubscriptionsContext {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'contract'>;
  ledgers: Pick<Ledgers, 'open'>;
  now: () => number;
}

/**
 * Creates the subscription service. Callers must administer the project and may subscribe only to contracts
 * that they may read.
 */
export function createSubscriptions(context: SubscriptionsContext): ContractSubscriptions {
  const { store, auth, registry, ledgers, now } = context;
  const { read } = store;

  async function readableContract(principal: Principal, contractId: string) {
    const contract = await registry.contract(principal.projectUid, contractId);
    if (contract === null || !(await mayRead(principal, contract.uid))) throw noContract(contractId);
    return contract;
  }

  async function mayRead(principal: Principal, contractUid: string): Promise<boolean> {
    return (await auth.decide(principal, ['smart-contract-instance:read'], contractUid)).result;
  }

  async function find(principal: Principal, id: string): Promise<SubscriptionRow> {
    const row = await readSubscription(read, principal.projectUid, id);
    if (row === undefined) throw noSubscription(id);
    return row;
  }

  async function record(
    tx: Tx,
    principal: Principal,
    action: string,
    row: SubscriptionRow,
    changed?: SubscriptionRow,
  ): Promise<void> {
    const update = changed && { before: setOf(row), after: setOf(changed) };
    const subject = { type: 'contract subscription', id: row.uid } as const;
    const target = { ...subject, name: await readContractName(tx, row), ...(update && { update }) };
    await recordEventActivity(tx, principal, action, target, now());
  }

  return {
    async create(principal, { contractId, events, fromBlock }, claim) {
      const {
        uid: contract_uid,
        ledgerUid: ledger_uid,
        ledgerId: ledger_id,
      } = await readableContract(principal, contractId);
      const of = {
        ...{ project_id: principal.projectUid, contract_uid, contract_id: contractId, ledger_uid, ledger_id },
      };
      const { genesis, after } = await startPosition({ read, ledgers }, of, { events, fromBlock });
      const row: SubscriptionRow = {
        ...{ uid: uuidv7(), ...of, events: events === null ? null : JSON.stringify(events), genesis },
        ...positionColumns(after),
        ...{ status: 'ACTIVE', reason: null, failures: 0, failing_since: null, error: null },
        ...{ behind: null, behind_since: null, created_at: now() },
      };
      return await once(store, { claim, status: 201 }, async (tx) => {
        if ((await readSubscriptions(tx, principal.projectUid)).length >= mostSubscriptions) {
          throw new Problem(
            'conflict',
            `A project can have at most ${mostSubscriptions} contract subscriptions. Delete one that is not needed.`,
          );
        }
        await insertSubscription(tx, row);
        await demandRecord(tx, principal.projectUid, 'contract-subscriptions');
        await record(tx, principal, 'create', row);
        return subscriptionView(row);
      });
    },

    list: async (principal) => (await readSubscriptions(read, principal.projectUid)).map(subscriptionView),

    get: async (principal, id) => subscriptionView(await find(principal, id)),

    async update(principal, id, { status, events }) {
      const row = await find(principal, id);
      // A caller that can no longer read the contract may still pause the subscription.
      const isLess = status === 'PAUSED' && events === undefined;
      if (!isLess && !(await mayRead(principal, row.contract_uid))) throw noContract(row.contract_id);
      if (events != null && row.status !== 'STOPPED') {
        const subject = await readSubject(read, row);
        const { definition } = await ledgers.open(row.ledger_uid, { projectUid: row.project_id });
        if (subject !== undefined) await demandEvents(definition, row.contract_id, subject, events);
      }
      const change = {
        ...(status === undefined ? {} : { status }),
        ...(events === undefined ? {} : { events: events === null ? null : JSON.stringify(events) }),
      };
      return await store.transaction(async (tx) => {
        const changed = await updateSubscription(tx, row.uid, change);
        if (changed === undefined) {
          if ((await readSubscription(tx, principal.projectUid, id)) === undefined) throw noSubscription(id);
          const detail =
            'The subscription was stopped permanently; see its error for the reason. Delete it and create a new one.';
          throw new Problem('conflict', detail);
        }
        await record(tx, principal, 'update', row, changed);
        return subscriptionView(changed);
      });
    },

    async late(principal) {
      await auth.demand(principal, 'system:read', systemUid);
      return await readLate(read, await store.now(), mostLate);
    },

    async delete(principal, id) {
      const row = await find(principal, id);
      await store.transaction(async (tx) => {
        if (!(await deleteSubscription(tx, row.uid))) throw noSubscription(id);
        await record(tx, principal, 'delete', row);
      });
    },
  };
}

/** Returns the members that an update can change. */
const setOf = (row: SubscriptionRow) => ({ status: row.status, events: namesOf(row) });

function noContract(contractId: string): Problem {
  return new Problem('not-found', `The contract ${contractId} does not exist or is not visible to you.`);
}

function noSubscription(id: string): Problem {
  return new Problem('not-found', `This project has no contract subscription ${id}.`);
}

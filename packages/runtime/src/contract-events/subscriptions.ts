import type { AdapterDefinition, EventPosition } from '@ledger-ops/adapter';
import { type Activity, type Auth, type Principal, recordActivity, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { once, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers } from '../open-ledger.ts';
import type { RegistryPort } from '../registry-port.ts';
import {
  contractOf,
  deleteSubscription,
  insertSubscription,
  positionColumns,
  readLate,
  readSubject,
  readSubscription,
  readSubscriptions,
  type Subject,
  type SubscriptionRow,
  subscriptionView,
  updateSubscription,
} from './rows.ts';
import type { ContractSubscriptions, NewContractSubscription } from './types.ts';

/** Subscriptions that a project can have. */
const mostSubscriptions = 20;
/** Of those that are late that are listed: whoever has more has one cause. */
const mostLate = 100;

export interface SubscriptionsContext {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'contract'>;
  ledgers: Pick<Ledgers, 'open'>;
  now: () => number;
}

/** Subscriptions for callers: whoever administers a project, of contracts that they may read. */
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

  /** Where it begins, on which chain. */
  async function begin(
    row: Pick<SubscriptionRow, 'contract_uid' | 'contract_id' | 'project_id' | 'ledger_uid' | 'ledger_id'>,
    { events, fromBlock }: Omit<NewContractSubscription, 'contractId'>,
  ): Promise<{ genesis: string; after: EventPosition }> {
    const subject = await readSubject(read, row);
    const { session, definition } = await ledgers.open(row.ledger_uid, { projectUid: row.project_id });
    if (definition.capabilities.contractEvents !== true || session.contractEvents === undefined) {
      const detail = `The plugin of the ledger ${row.ledger_id} does not read events of contracts.`;
      throw new Problem('unsupported-operation', detail);
    }
    if (subject === undefined) throw new Problem('not-found', 'The contract was deleted meanwhile.');
    await demandEvents(definition, row.contract_id, subject, events);
    try {
      const { genesis } = await session.chain();
      // No contract tells anything in the first block.
      if (fromBlock !== null) return { genesis, after: { height: Math.max(0, fromBlock - 1) } };
      const { after } = await session.contractEvents({
        contract: contractOf(subject),
        after: null,
        limit: 1,
      });
      return { genesis, after };
    } catch (error) {
      throw problemFrom(error);
    }
  }

  async function find(principal: Principal, id: string): Promise<SubscriptionRow> {
    const row = await readSubscription(read, principal.projectUid, id);
    if (row === undefined) throw noSubscription(id);
    return row;
  }

  async function record(tx: Tx, principal: Principal, action: string, id: string): Promise<void> {
    const { projectUid, projectId } = principal;
    const activity: Activity = {
      ...{ action, service: 'events', targetObject: id },
      ...{ resourceUid: projectUid, resourceId: projectId, resourceType: 'project', scope: projectUid },
    };
    await recordActivity(tx, principal, activity, now());
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
      const { genesis, after } = await begin(of, { events, fromBlock });
      const row: SubscriptionRow = {
        ...{ uid: uuidv7(), ...of, events: events === null ? null : JSON.stringify(events), genesis },
        ...positionColumns(after),
        ...{ status: 'ACTIVE', reason: null, failures: 0, failing_since: null, error: null },
        ...{ behind: null, behind_since: null, created_at: now() },
      };
      return await once(store, { claim, status: 201 }, async (tx) => {
        if ((await readSubscriptions(tx, principal.projectUid)).length >= mostSubscriptions) {
          throw new Problem('conflict', `A project has ${mostSubscriptions} contract subscriptions at most.`);
        }
        await insertSubscription(tx, row);
        await record(tx, principal, 'create', row.uid);
        return subscriptionView(row);
      });
    },

    list: async (principal) => (await readSubscriptions(read, principal.projectUid)).map(subscriptionView),

    get: async (principal, id) => subscriptionView(await find(principal, id)),

    async update(principal, id, { status, events }) {
      const row = await find(principal, id);
      // Whoever may no longer read the contract may still have it tell nothing.
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
            'The subscription was stopped for good, for the reason that it says: delete it, and subscribe anew.';
          throw new Problem('conflict', detail);
        }
        await record(tx, principal, 'update', row.uid);
        return subscriptionView(changed);
      });
    },

    async late(principal) {
      await auth.demand(principal, 'system:read', systemUid);
      return await readLate(read, await store.now(), mostLate);
    },

    async delete(principal, id) {
      const { uid } = await find(principal, id);
      await store.transaction(async (tx) => {
        if (!(await deleteSubscription(tx, uid))) throw noSubscription(id);
        await record(tx, principal, 'delete', uid);
      });
    },
  };
}

/** That the contract can tell these, where its interface names all that it tells. @throws Problem `unknown-event` */
async function demandEvents(
  { readInterface }: Pick<AdapterDefinition, 'readInterface'>,
  contractId: string,
  subject: Subject,
  events: readonly string[] | null,
): Promise<void> {
  const { interface: text } = contractOf(subject);
  if (events === null || text === undefined) return;
  const { eventNames } = await readInterface(text).catch((error: unknown) => {
    throw problemFrom(error);
  });
  if (eventNames === undefined) return;
  const has = eventNames.length === 0 ? 'its interface has none' : `it has: ${eventNames.join(', ')}`;
  const errors = events.flatMap((name, index) =>
    eventNames.includes(name)
      ? []
      : [{ pointer: `/events/${index}`, detail: `The contract ${contractId} has no event ${name}; ${has}.` }],
  );
  const [first] = errors;
  if (first !== undefined) throw new Problem('unknown-event', first.detail, { errors });
}

function noContract(contractId: string): Problem {
  return new Problem('not-found', `There is no contract ${contractId} that you may read.`);
}

function noSubscription(id: string): Problem {
  return new Problem('not-found', `There is no contract subscription ${id} in this project.`);
}

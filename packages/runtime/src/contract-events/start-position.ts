import type { AdapterDefinition, EventPosition } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers } from '../ledgers.ts';
import { contractOf, readSubject, type Subject, type SubscriptionRow } from './rows.ts';
import type { NewContractSubscription } from './types.ts';

/** Determines the chain and the position where a subscription starts. */
export async function startPosition(
  { read, ledgers }: { read: Queries; ledgers: Pick<Ledgers, 'open'> },
  row: Pick<SubscriptionRow, 'contract_uid' | 'contract_id' | 'project_id' | 'ledger_uid' | 'ledger_id'>,
  { events, fromBlock }: Omit<NewContractSubscription, 'contractId'>,
): Promise<{ genesis: string; after: EventPosition }> {
  const subject = await readSubject(read, row);
  const { session, definition } = await ledgers.open(row.ledger_uid, { projectUid: row.project_id });
  if (definition.capabilities.contractEvents !== true || session.contractEvents === undefined) {
    const detail = `The plugin of the ledger ${row.ledger_id} does not support contract events.`;
    throw new Problem('unsupported-operation', detail);
  }
  if (subject === undefined) throw new Problem('not-found', 'The contract was deleted in the meantime.');
  await demandEvents(definition, row.contract_id, subject, events);
  try {
    const { genesis } = await session.chain();
    // The first block cannot contain contract events.
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

/** @throws Problem `unknown-event` if the contract's interface lists its events and one of `events` is not among them */
export async function demandEvents(
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
  const has = eventNames.length === 0 ? 'its interface declares none' : `it has: ${eventNames.join(', ')}`;
  const errors = events.flatMap((name, index) =>
    eventNames.includes(name)
      ? []
      : [{ pointer: `/events/${index}`, detail: `The contract ${contractId} has no event ${name}; ${has}.` }],
  );
  const [first] = errors;
  if (first !== undefined) throw new Problem('unknown-event', first.detail, { errors });
}

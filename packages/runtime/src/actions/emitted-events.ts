import {
  type ContractEvent,
  type ContractEvents,
  type EventPosition,
  withoutLongContent,
} from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { Queries, SqlValue } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { contractOf } from '../contract-events/rows.ts';
import type { Ledgers } from '../ledgers.ts';
import { type OverviewRow, operationOf } from './action-details.ts';
import type { ActionOverviews } from './overview.ts';

/** Number of events that are requested from the adapter per page. */
const pageSize = 100;
/**
 * Maximum number of pages that are read per request. Other transactions of the block may have emitted events before
 * those of the action.
 */
const mostPages = 5;
/** Maximum total length of the contents of all events in a response, in characters. */
const longestContents = 2 ** 20;

export interface EmittedEventsOptions {
  read: Queries;
  ledgers: Pick<Ledgers, 'open'>;
  /** @throws Problem `not-found` if the caller may not see the action */
  describe: ActionOverviews['describe'];
}

/** The events that a contract emitted in an action's transaction. */
export interface EmittedEvents {
  /**
   * Whether the events are complete: false if the ledger's plugin does not report events, or did not report
   * the action's block.
   */
  supported: boolean;
  events: Pick<ContractEvent, 'id' | 'name' | 'args' | 'raw' | 'contentOmitted'>[];
}

interface Row extends Pick<OverviewRow, 'operation' | 'height' | 'locator' | 'contract_address'> {
  ledger_uid: string;
  project_id: string;
  [column: string]: SqlValue;
}

/** Reads from the ledger the events that the called or deployed contract emitted in an action's transaction. */
export class EmittedEventsReader {
  readonly #read: Queries;
  readonly #ledgers: Pick<Ledgers, 'open'>;
  readonly #describe: ActionOverviews['describe'];

  constructor({ read, ledgers, describe }: EmittedEventsOptions) {
    this.#read = read;
    this.#ledgers = ledgers;
    this.#describe = describe;
  }

  /** @throws Problem `not-found`, `ledger-unavailable`, `ledger-timeout`, `no-plugin`, `plugin-fault` */
  async emittedEvents(principal: Principal, actionId: string): Promise<EmittedEvents> {
    const { uid, status } = await this.#describe(principal, actionId);
    const [row] = await this.#read.all<Row>(
      'SELECT ledger_uid, project_id, operation, height, locator, contract_address FROM action WHERE id = $1',
      [uid],
    );
    const contract = row === undefined ? undefined : await this.#contractOf(row);
    if (status !== 'SUCCEEDED' || row === undefined || contract === undefined) {
      return { supported: true, events: [] };
    }
    // Events can be searched only by block, and the block is unknown.
    if (row.height === null) return { supported: false, events: [] };
    const { session, definition } = await this.#ledgers.open(row.ledger_uid, { projectUid: row.project_id });
    if (definition.capabilities.contractEvents !== true || session.contractEvents === undefined) {
      return { supported: false, events: [] };
    }
    const { height, locator } = row;
    const events: EmittedEvents['events'] = [];
    let remaining = longestContents;
    // The position before the first event of the block.
    let after: EventPosition = { height, index: 0 };
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page: ContractEvents = await session
        .contractEvents({ contract, after, limit: pageSize })
        .catch((error: unknown) => {
          throw problemFrom(error);
        });
      const own = page.events.filter((one) => one.height === height && one.txId === locator);
      for (const one of own) {
        const { id, name, args, raw, contentOmitted } = withoutLongContent(one);
        remaining -= JSON.stringify({ args, raw }).length;
        const isOmitted = contentOmitted === true || remaining < 0;
        const content = isOmitted
          ? { raw: {}, contentOmitted: true as const }
          : { ...(args && { args }), raw };
        events.push({ id, ...(name && { name }), ...content });
      }
      after = page.after;
      if (!page.more || after.height > height || page.events.some((one) => one.height > height)) break;
    }
    return { supported: true, events };
  }

  /** Returns the called or deployed contract, with its interface if the contract is registered. */
  async #contractOf({ operation, contract_address, ledger_uid, project_id }: Row) {
    const { contract } = operationOf({ operation });
    const named = contract?.resource ?? contract_address;
    if (named === null || named === undefined) return undefined;
    const [registered] = await this.#read.all<{ address: string; interface: string }>(
      `SELECT address, interface FROM (
          SELECT id, native_reference AS address, parsed_interface AS interface FROM contract
            WHERE project_id = $1 AND contract_id = $3 AND ledger_uid = $2
          UNION ALL SELECT id, native_reference, parsed_interface FROM contract
            WHERE project_id = $1 AND lower(native_reference) = lower($4) AND ledger_uid = $2
        ) AS found ORDER BY id LIMIT 1`,
      [project_id, ledger_uid, named, contract_address ?? named],
    );
    if (registered !== undefined) return contractOf({ ...registered, suspended: null });
    const address = contract_address ?? (contract?.type === 'ledger' ? named : undefined);
    return address === undefined ? undefined : { address };
  }
}

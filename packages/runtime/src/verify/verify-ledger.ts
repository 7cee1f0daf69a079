import type { LookupResult } from '@ledger-ops/adapter';
import type { Queries } from '@ledger-ops/store';
import type { OpenLedger } from '../open-ledger.ts';
import { chainBase } from '../rows/chains/chain-key.ts';
import type { Discrepancy } from './types.ts';

/** Result of comparing the database with a ledger. */
export interface VerifiedLedger {
  /** Number of final actions whose transactions were looked up. */
  readonly actions: number;
  /** Number of accounts whose transactions were counted. */
  readonly accounts: number;
  /** Sentences about checks that the ledger's adapter does not support. */
  readonly unsupportedChecks: readonly string[];
  readonly discrepancies: readonly Discrepancy[];
}

interface Ended extends Record<string, string | number | null> {
  id: string;
  status: string;
  locator: string;
  /** Null if the plugin did not report the height. */
  height: number | null;
  /** 1 if an empty transaction was executed instead of the action's own transaction. */
  emptied: number;
}

interface Account extends Record<string, string | number | null> {
  address: string;
  next: number;
  /** The highest nonce that an action of this service is known to have used; null if there is none. */
  used: number | null;
}

type Read = Pick<Queries, 'all'>;

const lookedUpAtOnce = 20;
const countedAtOnce = 50;

/**
 * Compares the results of final actions, and the accounts that sent them, with the current state of the ledger. Skips
 * actions that are marked as retracted after a reorg, and actions on a former chain, which cannot be queried.
 *
 * @throws AdapterError
 */
export async function verifyLedger(
  read: Read,
  { session, definition, record }: OpenLedger,
): Promise<VerifiedLedger> {
  const { capabilities } = definition;
  const base = chainBase(await session.chain());
  const chains = await read.all<{ chain: string }>(
    `SELECT DISTINCT chain FROM action WHERE ledger_uid = $1 AND (chain = $2 OR substr(chain, 1, length($2) + 1) = $2 || '/')`,
    [record.uid, base],
  );
  const discrepancies: Discrepancy[] = [];
  let actions = 0;
  let accounts = 0;
  for (const { chain } of chains) {
    if (capabilities.lookup) {
      for await (const ended of endedActions(read, record.uid, chain)) {
        const shown = await Promise.all(ended.map(({ locator }) => session.lookup(locator)));
        actions += ended.length;
        discrepancies.push(...ended.flatMap((action, at) => compare(action, shown[at] ?? null)));
      }
    }
    if (capabilities.sequence === 'account') {
      const all = await accountsOf(read, chain);
      accounts += all.length;
      for (let from = 0; from < all.length; from += countedAtOnce) {
        const some = all.slice(from, from + countedAtOnce);
        const counts = await session.sequences(
          some.map(({ address }) => address),
          { everyNode: true },
        );
        discrepancies.push(...some.flatMap((account, at) => count(account, Number(counts[at]))));
      }
    }
  }
  const unsupportedChecks = [
    ...(capabilities.lookup ? [] : ['The plugin of this ledger cannot look up transactions.']),
    ...(capabilities.sequence === 'account'
      ? []
      : ['This ledger has no nonces, so transactions that were sent outside this service are not detected.']),
  ];
  return { actions, accounts, unsupportedChecks, discrepancies };
}

async function* endedActions(read: Read, ledgerUid: string, chain: string): AsyncGenerator<Ended[]> {
  let after = '';
  for (;;) {
    const page = await read.all<Ended>(
      `SELECT id, status, locator, height, CASE WHEN EXISTS (SELECT 1 FROM attempt WHERE attempt.action_id = action.id
          AND attempt.tx_id = action.locator AND attempt.kind = 'noop') THEN 1 ELSE 0 END AS emptied FROM action WHERE ledger_uid = $1 AND chain = $2 AND id > $3 AND status <> 'PENDING'
        AND locator IS NOT NULL AND (status = 'SUCCEEDED' OR height IS NOT NULL) AND retracted IS NULL ORDER BY id LIMIT ${lookedUpAtOnce}`,
      [ledgerUid, chain, after],
    );
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < lookedUpAtOnce) return;
    after = last.id;
  }
}

function compare({ id, status, locator, height, emptied }: Ended, shown: LookupResult | null): Discrepancy[] {
  const rule =
    'The transaction of a final action is on the ledger, in the stored block and with the stored outcome.';
  const detail =
    shown === null
      ? `The ledger does not contain the transaction ${locator}.`
      : shown.status !== status && emptied === 0
        ? `The action is ${status}, but its transaction ${locator} is ${shown.status}.`
        : shown.height !== undefined && height !== null && shown.height !== height
          ? `The action's transaction ${locator} is in block ${shown.height}, but was in block ${height}.`
          : undefined;
  return detail === undefined ? [] : [{ rule, subject: id, detail }];
}

async function accountsOf(read: Read, chain: string): Promise<Account[]> {
  return await read.all<Account>(
    `SELECT sequence.address, sequence.next, MAX(CASE WHEN action.id IS NULL THEN NULL ELSE attempt.sequence END) AS used
      FROM sequence LEFT JOIN attempt ON attempt.chain = sequence.chain AND attempt.address = sequence.address AND attempt.n >= 0
      LEFT JOIN action ON action.id = attempt.action_id AND action.locator = attempt.tx_id
      WHERE sequence.chain = $1 GROUP BY sequence.address, sequence.next ORDER BY sequence.address`,
    [chain],
  );
}

function count({ address, next, used }: Account, shown: number): Discrepancy[] {
  if (shown > next) {
    const rule = 'Every transaction of a wallet belongs to an action.';
    const detail = `The ledger reports ${shown} transactions, but the database has ${next}: ${shown - next} were sent by another program, or after the backup that was restored.`;
    return [{ rule, subject: address, detail }];
  }
  if (used !== null && shown <= used) {
    const rule = 'The ledger contains the transaction of every final action.';
    const detail = `The ledger reports only ${shown} transactions of the account, but an action used the nonce ${used}.`;
    return [{ rule, subject: address, detail }];
  }
  return [];
}

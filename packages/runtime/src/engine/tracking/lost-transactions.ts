import type { Submission } from '@ledger-ops/adapter';
import type { Store } from '@ledger-ops/store';
import { ledgerFailure } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import {
  isForgotten,
  readHighestKept,
  readKeptBetween,
  readKeptFrom,
  readKeptUnsequenced,
} from '../../rows/attempts/kept.ts';
import type { LiveAction } from '../../rows/model.ts';
import { lossUnsure } from '../chains/chain-reset.ts';
import { readGap, type SeenGap } from '../replacing/sequence-gaps.ts';

/** Number of accounts whose transaction counts are read in one call. */
const accountsAtOnce = 500;
/** Maximum number of transactions of one account that are resent in one step. */
const lostAtOnce = 1_000;

/** Transactions that the chain no longer has. */
export interface Lost {
  /** Transactions that can be resent, ordered by sequence within each account. */
  kept: Submission[];
  /**
   * True if a lost transaction with a lower sequence cannot be resent, because its bytes were deleted. The kept
   * transactions after it can then never be executed.
   */
  isBeyondRepair: boolean;
}

/** Reads the transaction count of each address from the ledger. */
export type Count = (addresses: string[]) => Promise<bigint[]>;

interface Counting {
  readonly open: OpenLedger;
}

/** Reads the counts from one node of the tracker's ledger. */
export function countByOne({ open }: Counting): Count {
  return (addresses) => open.session.sequences(addresses);
}

/**
 * Reads the transaction counts from every node of every ledger on the chain, because giving up the chain affects all of
 * these ledgers. Returns the maximum for each account.
 * @param others trackers of the other ledgers, which may belong to other projects
 * @throws Problem `ledger-unavailable` if a node does not return its counts
 */
export function countByAll(tracker: Counting, others: readonly Counting[]): Count {
  const counting = others.filter(({ open }) => open.definition.capabilities.sequence === 'account');
  return async (addresses) => {
    const answers = await Promise.all(
      [tracker, ...counting].map(async (one) => {
        try {
          return await one.open.session.sequences(addresses, { everyNode: true });
        } catch (error) {
          throw lossUnsure(
            one === tracker
              ? ledgerFailure(error).detail
              : 'A node of another ledger on the chain does not report its transaction counts.',
          );
        }
      }),
    );
    return addresses.map((_, index) =>
      answers.reduce((most, counts) => {
        const count = counts[index] ?? 0n;
        return count > most ? count : most;
      }, 0n),
    );
  };
}

/**
 * Returns the kept transactions of a tracker's ledger, for ledgers without sequences. Without sequences, it cannot be
 * determined which of them are lost.
 */
export async function readUnsequenced(
  store: Store,
  { open, chain, adopted }: Counting & { readonly chain: string; readonly adopted: ReadonlySet<string> },
  shards: readonly number[],
): Promise<Submission[]> {
  if (shards.length === 0) return [];
  const plugins = [open.pluginUid, ...adopted];
  const rows = await readKeptUnsequenced(store.read, { chain, ledgerUid: open.record.uid, plugins }, shards);
  return rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes }));
}

/**
 * Returns the kept transactions whose sequences the ledger does not count as used.
 * @param ended if true, only transactions of finished actions
 */
export async function readLost(
  store: Store,
  chain: string,
  shards: readonly number[],
  { ended, count }: { ended: boolean; count: Count },
): Promise<Lost> {
  const lost: Lost = { kept: [], isBeyondRepair: false };
  if (shards.length === 0) return lost;
  const accounts = await readHighestKept(store.read, chain, shards, ended);
  for (let at = 0; at < accounts.length; at += accountsAtOnce) {
    const some = accounts.slice(at, at + accountsAtOnce);
    const counts = await count(some.map(({ address }) => address));
    for (const [index, { address, highest }] of some.entries()) {
      const next = Number(counts[index] ?? 0n);
      if (highest < next) continue;
      const rows = await readKeptFrom(store.read, chain, address, next, ended, lostAtOnce);
      const lowest = rows[0]?.sequence ?? next;
      lost.isBeyondRepair ||= lowest > next && (await isForgotten(store.read, chain, address, next, lowest));
      lost.kept.push(...rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })));
    }
  }
  return lost;
}

/** The sequences of an account from the one that the ledger expects next up to its first unsettled action. */
export interface Between {
  head: LiveAction;
  /** The sequence that the ledger expects next. */
  next: number;
  /** Transactions of finished actions with these sequences. A reorg removed them, and they are not mined again yet. */
  kept: Submission[];
  /** Fillers for these sequences, in the order in which they were signed. */
  fillers: Filler[];
  /** Those of the sequences for which no transaction is known; null if there are none. */
  gap: SeenGap | null;
}

/** An empty transaction that fills a sequence without a known transaction. */
export interface Filler extends Submission {
  sequence: number;
  createdAt: number;
}

/** Reads these values for the accounts of `heads`, which are the first unsettled actions of each account. */
export async function readBetween(
  store: Store,
  { open: { session }, chain }: Counting & { readonly chain: string },
  heads: readonly LiveAction[],
): Promise<Between[]> {
  const onChain = await session.sequences(heads.map(({ address }) => address));
  const between: Between[] = [];
  for (const [index, head] of heads.entries()) {
    const { address, sequence } = head;
    const next = Number(onChain[index] ?? sequence);
    if (sequence === null || next >= sequence) {
      between.push({ head, next, kept: [], fillers: [], gap: null });
      continue;
    }
    const rows = await readKeptBetween(store.read, chain, address, next, sequence);
    const fillers = rows.filter(({ kind }) => kind === 'filler');
    between.push({
      head,
      next,
      kept: rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes })),
      fillers: fillers.map(({ tx_id, bytes, sequence, created_at }) => ({
        ...{ txId: tx_id, bytes, sequence, createdAt: created_at },
      })),
      gap: await readGap(store.read, session, { chain, address }, next, sequence),
    });
  }
  return between;
}

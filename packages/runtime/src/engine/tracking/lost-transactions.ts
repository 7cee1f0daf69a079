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

/** Number of accounts whose sequences are read in one call. */
const accountsAtOnce = 500;
/** Maximum number of transactions of one account that are resent in one step. */
const lostAtOnce = 1_000;

/** Transactions that the chain no longer has. */
export interface Lost {
  /** Transactions that can be resent, ordered by sequence within each account. */
  kept: Submission[];
  /**
   * True if the service signed a lower sequence whose transaction bytes were deleted. The transactions above
   * it can then never be executed.
   */
  isBeyondRepair: boolean;
}

/** Reads the chain's next sequence of each address. */
export type Count = (addresses: string[]) => Promise<bigint[]>;

/** The ledger whose nodes are queried. */
interface Counting {
  readonly open: OpenLedger;
}

/** Reads the counts from one node of the tracker's ledger. */
export function countByOne({ open }: Counting): Count {
  return (addresses) => open.session.sequences(addresses);
}

/**
 * Reads the counts from every node of every ledger on the chain and returns the maximum of each account,
 * because giving up the chain affects all of these ledgers.
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
 * Returns the kept transactions of a tracker's ledger that have no sequence. Without a sequence, it cannot be
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
 * Returns the kept transactions that the chain's transaction counts no longer include.
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

/** The sequences between the chain's count of an account and its first unsettled action. */
export interface Between {
  head: LiveAction;
  /** The sequence that the ledger expects next. */
  next: number;
  /**
   * Transactions of finished actions with these nonces: lost in a reorg, or not accepted when they were
   * resent.
   */
  kept: Submission[];
  /** Fillers (empty transactions that close a nonce gap) for these nonces, in signing order. */
  fillers: Filler[];
  /** Sequences without a known transaction. */
  gap: SeenGap | null;
}

/** An empty transaction that fills a sequence without a known transaction. */
export interface Filler extends Submission {
  sequence: number;
  createdAt: number;
}

/** Reads these values for several accounts, given the first unsettled action of each. */
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

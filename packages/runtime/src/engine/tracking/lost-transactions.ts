import type { Submission } from '@ledger-ops/adapter';
import type { Store } from '@ledger-ops/store';
import { troubleFrom } from '../../adapter-problem.ts';
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
import type { Tracker } from './types.ts';

/** Accounts whose sequences are asked for in one call. */
const accountsAtOnce = 500;
/** Transactions of one account that are sent again at once. */
const lostAtOnce = 1_000;

/** Transactions that the chain does not have any more. */
export interface Lost {
  /** Those that are kept, of each account in the order of their sequences. */
  kept: Submission[];
  /** Something below them was signed here and is kept no more, so that they can never be executed. */
  isBeyondRepair: boolean;
}

/** The chain's next sequence of each address. */
export type Count = (addresses: string[]) => Promise<bigint[]>;

type Counting = Pick<Tracker, 'open'>;

/** By one node of the tracker's ledger. */
export function countByOne({ open }: Counting): Count {
  return (addresses) => open.session.sequences(addresses);
}

/**
 * By every node of every ledger on the chain, the highest of each account: what is given up is signed for all of them.
 * @param others what follows the other ledgers, which may be other projects'
 * @throws Problem `ledger-unavailable` where a node does not say what it counts
 */
export function countByAll(tracker: Counting, others: readonly Counting[]): Count {
  const counting = others.filter(({ open }) => open.definition.capabilities.sequence === 'account');
  return async (addresses) => {
    const answers = await Promise.all(
      [tracker, ...counting].map(async (one) => {
        try {
          return await one.open.session.sequences(addresses, { everyNode: true });
        } catch (error) {
          const isOwn = one === tracker;
          throw lossUnsure(
            isOwn ? troubleFrom(error).detail : 'A node of another ledger on the chain does not say.',
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

/** The kept transactions of a tracker's ledger that have no sequence, by which it would be seen whether they are lost. */
export async function readUnsequenced(
  store: Store,
  { open, chain, adopted }: Pick<Tracker, 'open' | 'chain' | 'adopted'>,
  shards: readonly number[],
): Promise<Submission[]> {
  if (shards.length === 0) return [];
  const plugins = [open.pluginUid, ...adopted];
  const rows = await readKeptUnsequenced(store.read, { chain, ledgerUid: open.record.uid, plugins }, shards);
  return rows.map(({ tx_id, bytes }) => ({ txId: tx_id, bytes }));
}

/**
 * The kept transactions of a chain that it does not count any more.
 * @param ended only those of actions that have ended
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

/** The sequences between the chain's count of an account and its first action that is not settled. */
export interface Between {
  head: LiveAction;
  /** The sequence that the ledger wants next. */
  next: number;
  /** Those of actions that have ended: lost with their blocks, or by a node that did not take them when sent again. */
  kept: Submission[];
  /** Of those what only fills a sequence, in the order in which it was signed. */
  fillers: Filler[];
  /** Those that nobody here can send. */
  gap: SeenGap | null;
}

/** An empty transaction at a sequence that the ledger wanted and nobody could send. */
export interface Filler extends Submission {
  sequence: number;
  createdAt: number;
}

/** The same of several accounts, by the first actions of each. */
export async function readBetween(
  store: Store,
  tracker: Tracker,
  heads: readonly LiveAction[],
): Promise<Between[]> {
  const { chain } = tracker;
  const { session } = tracker.open;
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

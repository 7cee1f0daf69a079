import type { Queries } from '@ledger-ops/store';
import { type PendingCode, readPendingCode } from '../pending-codes.ts';
import { codeOfStage, type KnownReasons, readRetracted, readWaiting } from '../rows/actions/waiting.ts';
import type { ChainWorker } from './chains/chain-worker.ts';
import type { Tracker } from './tracking/tracker.ts';
import { unminedCode } from './tracking/unmined-reason.ts';

export interface PendingCount {
  readonly ledgerId: string;
  readonly stage: 'blocked' | 'ready' | 'signed';
  readonly code: PendingCode;
  readonly count: number;
  /** When the oldest of these actions was accepted, in milliseconds since the epoch. */
  readonly oldest: number;
}

/** Snapshot of an engine for monitoring. */
export interface EngineState {
  /** Numbers of pending actions by stage, of which at most 1,000 unsigned ones per shard and stage are counted. */
  readonly pending: readonly PendingCount[];
  /**
   * Ledgers that this server follows or should follow: whether each is reachable, and how many shards of its
   * chain this server holds.
   */
  readonly ledgers: readonly {
    readonly ledgerId: string;
    readonly isReached: boolean;
    readonly lanes: number;
  }[];
  /** Number of retracted actions of the whole installation, by ledger. */
  readonly retracted: readonly { readonly ledgerId: string; readonly count: number }[];
}

/**
 * Reads the state with queries of limited cost. Each server of an installation counts only the actions of its own
 * shards.
 */
export async function readEngineState(
  read: Pick<Queries, 'all' | 'dialect'>,
  workers: readonly ChainWorker[],
  trackers: readonly Tracker[],
  unreached: readonly { readonly ledgerId: string }[],
  unavailable: KnownReasons['unavailable'],
): Promise<EngineState> {
  const counts = new Map<string, PendingCount>();
  const add = ({ ledgerId, stage, code, count, oldest }: PendingCount) => {
    const key = JSON.stringify([ledgerId, stage, code]);
    const known = counts.get(key);
    const sum = { count: count + (known?.count ?? 0), oldest: Math.min(oldest, known?.oldest ?? oldest) };
    counts.set(key, { ledgerId, stage, code, ...sum });
  };
  for (const { context } of workers) {
    const { chain, leases } = context;
    for (const row of await readWaiting(read, chain, leases.held(), { unavailable })) {
      const stage = row.stage === 'blocked' ? 'blocked' : 'ready';
      const code = readPendingCode(row.code) ?? codeOfStage[stage];
      add({ ledgerId: row.ledger_id, stage, code, count: row.count, oldest: row.oldest });
    }
  }
  const ledgers = new Map<string, EngineState['ledgers'][number]>();
  for (const { chain, open, live, lastError } of trackers) {
    const { uid, ledgerId } = open.record;
    const isUnavailable = unavailable.some(
      (one) => one.ledgerUid === uid && one.plugin === open.pluginUid && !one.isUnsignedOnly,
    );
    const isReached = lastError === null && ledgers.get(ledgerId)?.isReached !== false;
    const lanes = workers.find(({ context }) => context.chain === chain)?.context.leases.held().length ?? 0;
    ledgers.set(ledgerId, { ledgerId, isReached, lanes });
    for (const action of live.values()) {
      const code = isUnavailable
        ? 'ledger-unavailable'
        : (action.pendingReason.stored?.code ?? unminedCode(action));
      const oldest = action.acceptedAt ?? action.signedAt;
      add({ ledgerId, stage: 'signed', code, count: 1, oldest });
    }
  }
  for (const { ledgerId } of unreached)
    ledgers.set(ledgerId, { ledgerId, isReached: false, lanes: ledgers.get(ledgerId)?.lanes ?? 0 });
  const retracted = await readRetracted(read);
  return {
    pending: [...counts.values()],
    ledgers: [...ledgers.values()],
    retracted: retracted.map(({ ledger_id, count }) => ({ ledgerId: ledger_id, count })),
  };
}

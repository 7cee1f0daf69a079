import type { Queries } from '@ledger-ops/store';
import { type PendingCode, readPendingCode } from '../pending-codes.ts';
import { codeOfStage, type KnownReasons, readRetracted, readWaiting } from '../rows/actions/waiting.ts';
import type { ChainWorker } from './chains/chain-worker.ts';
import type { Tracker } from './tracking/types.ts';
import { unminedCode } from './tracking/unmined-reason.ts';

/** Actions of a ledger that are pending for one reason, on the lanes of this server. */
export interface PendingCount {
  readonly ledgerId: string;
  readonly stage: 'blocked' | 'ready' | 'signed';
  readonly code: PendingCode;
  readonly count: number;
  /** When the oldest of them was accepted, milliseconds since the epoch. */
  readonly oldest: number;
}

/** An engine at one moment, for whoever watches it. */
export interface EngineState {
  /** Of what waits unsigned no more than a thousand are counted on each lane and stage. */
  readonly pending: readonly PendingCount[];
  /** Ledgers that this server follows or should: whether each is reached, and how many lanes of its chain are held here. */
  readonly ledgers: readonly {
    readonly ledgerId: string;
    readonly isReached: boolean;
    readonly lanes: number;
  }[];
  /** Actions of the whole installation whose ends their ledgers took back at some time. */
  readonly retracted: readonly { readonly ledgerId: string; readonly count: number }[];
}

/** Reads it with bounded queries: each server of an installation counts its own lanes alone. */
export async function readEngineState(
  read: Pick<Queries, 'all' | 'dialect'>,
  workers: readonly ChainWorker[],
  trackers: readonly Tracker[],
  unreached: readonly { readonly ledgerId: string }[],
  troubled: KnownReasons['troubled'],
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
    for (const row of await readWaiting(read, chain, leases.held(), { troubled })) {
      const stage = row.stage === 'blocked' ? 'blocked' : 'ready';
      const code = readPendingCode(row.code) ?? codeOfStage[stage];
      add({ ledgerId: row.ledger_id, stage, code, count: row.count, oldest: row.oldest });
    }
  }
  const ledgers = new Map<string, EngineState['ledgers'][number]>();
  for (const { chain, open, live, trouble } of trackers) {
    const { uid, ledgerId } = open.record;
    const isTroubled = troubled.some((one) => one.ledgerUid === uid && one.plugin === open.pluginUid);
    const isReached = trouble() === null && ledgers.get(ledgerId)?.isReached !== false;
    const lanes = workers.find(({ context }) => context.chain === chain)?.context.leases.held().length ?? 0;
    ledgers.set(ledgerId, { ledgerId, isReached, lanes });
    for (const action of live.values()) {
      const code = isTroubled ? 'ledger-unavailable' : (action.remarkCode ?? unminedCode(action));
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

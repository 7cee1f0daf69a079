import type {
  AdapterDefinition,
  AdapterHost,
  Cursor,
  LedgerConfig,
  LedgerSession,
  Outcome,
  PendingTransaction,
} from '../../types.ts';
import { problemMessageOf, toMessage } from '../problem.ts';
import type { ActionEnd, AttemptRow, ServedStore } from './store.ts';

/** A ledger that is served: its session, and what follows its transactions to their end. */
export interface ServedLedger {
  readonly config: LedgerConfig;
  readonly session: LedgerSession;
  /** Names the chain, also after it was reset. @throws AdapterError */
  chain(): Promise<string>;
  /** Attempts of unfinished actions of an account. */
  openAttempts(address: string): AttemptRow[];
  /** Follows what was signed, and submits it. */
  take(attempts: readonly AttemptRow[]): Promise<void>;
  close(): Promise<void>;
}

/** What a served ledger is made of. */
export interface ServedLedgerOptions {
  definition: AdapterDefinition;
  config: LedgerConfig;
  store: ServedStore;
  now(): number;
  log: AdapterHost['log'];
  /** Milliseconds between two looks at the chain when there is no new head. */
  pollMs: number;
  /** Milliseconds after which unfinished transactions are submitted again. */
  resendMs: number;
}

const submitBatch = 100;

/** Opens a ledger, and goes on with what was unfinished when the plugin ended. */
export async function openServedLedger(options: ServedLedgerOptions): Promise<ServedLedger> {
  const { definition, config, store, now, log, pollMs, resendMs } = options;
  const { ledgerId } = config;
  const end = new AbortController();
  const session = await definition.open(config, { now, log, signal: end.signal });
  const open = new Map(store.openAttempts(ledgerId).map((attempt) => [attempt.txId, attempt]));
  let progress = store.progress(ledgerId);
  let chainKey: string | undefined;
  let sentAt = 0;
  let wake: () => void = () => undefined;
  let woken = false;
  const ring = () => {
    woken = true;
    wake();
  };

  const chain = async () => {
    if (chainKey === undefined) {
      const { id, genesis } = await session.chain();
      chainKey = `${id} ${genesis}`;
    }
    return chainKey;
  };

  const submit = async (attempts: readonly AttemptRow[]) => {
    for (let from = 0; from < attempts.length; from += submitBatch) {
      const batch = attempts.slice(from, from + submitBatch);
      try {
        const answers = await session.submit(batch.map(({ txId, bytes }) => ({ txId, bytes })));
        for (const { txId, status, problem } of answers) {
          if (status === 'refused') log('info', 'submit.refused', { txId, code: problem?.code ?? 'refused' });
        }
      } catch (error) {
        // A node that refuses or is silent proves nothing: the bytes are sent again.
        log('warn', 'submit.failed', { ledgerId, error: error instanceof Error ? error.message : 'unknown' });
      }
    }
  };

  /** Replacements are due one after another, each after the ledger's `replace_after` seconds. */
  const due = (): AttemptRow[] => {
    const after = Number(config.properties.replace_after ?? Number.NaN) * 1_000;
    const places = new Map<string, number>();
    return [...open.values()].filter(({ actionId, kind, signedAt }) => {
      const place = places.get(actionId) ?? 0;
      places.set(actionId, place + 1);
      return kind === 'main' || now() - signedAt >= place * after;
    });
  };

  const resend = async () => {
    sentAt = now();
    await submit(due());
  };

  const settle = (outcomes: readonly Outcome[], cursor: Cursor | null, key: string) => {
    const ends = new Map<string, ActionEnd>();
    const closed: string[] = [];
    for (const outcome of outcomes) {
      const attempt = open.get(outcome.txId);
      if (attempt === undefined) continue;
      closed.push(attempt.txId);
      open.delete(attempt.txId);
      const ended = endOf(attempt, outcome);
      if (ended !== undefined) ends.set(attempt.actionId, ended);
    }
    for (const attempt of [...open.values()]) if (ends.has(attempt.actionId)) open.delete(attempt.txId);
    // Every attempt superseded: another transaction has the sequence.
    const left = new Set([...open.values()].map(({ actionId }) => actionId));
    for (const { txId } of outcomes) {
      const actionId = store.actionOfAttempt(txId)?.actionId;
      if (actionId === undefined || left.has(actionId) || ends.has(actionId)) continue;
      const detail = 'Another transaction of the account took its sequence.';
      ends.set(actionId, { status: 'FAILED', problem: problemMessageOf('nonce-taken', 409, detail) });
    }
    store.settle(ledgerId, key, cursor, ends, closed);
    if (cursor !== null) progress = { chain: key, cursor };
  };

  /** What was signed for a chain that was reset can never be executed. */
  const failForeign = (key: string) => {
    const foreign = [...open.values()].filter((attempt) => attempt.chain !== key);
    if (foreign.length === 0) return;
    const detail = 'The chain was reset: it begins with another block.';
    const problem = problemMessageOf('chain-reset', 409, detail);
    const ends = foreign.map(({ actionId }): [string, ActionEnd] => [
      actionId,
      { status: 'FAILED', problem },
    ]);
    store.settle(ledgerId, key, null, new Map(ends), []);
    for (const { txId } of foreign) open.delete(txId);
  };

  const step = async () => {
    const key = await chain();
    if (progress?.chain !== key) progress = undefined;
    failForeign(key);
    const pending = new Map<string, PendingTransaction>(
      [...open.values()].map(({ txId, address, sequence }) => [
        txId,
        sequence === null ? { address } : { address, sequence },
      ]),
    );
    const confirmed = await session.confirm({ cursor: progress?.cursor ?? null, pending });
    settle(confirmed.outcomes, confirmed.cursor, key);
    if (confirmed.reorganised) chainKey = undefined;
    if (confirmed.reorganised || now() - sentAt >= resendMs) await resend();
  };

  const follow = async () => {
    let failures = 0;
    while (!end.signal.aborted) {
      woken = false;
      try {
        if (open.size > 0) await step();
        failures = 0;
      } catch (error) {
        failures += 1;
        const what = error instanceof Error ? error.message : 'unknown';
        if (failures === 1) log('warn', 'ledger.trouble', { ledgerId, error: what });
      }
      if (woken || end.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(pollMs * 2 ** failures, 30_000));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const stopHeads = session.onHead(ring);
  const following = follow();

  return {
    config,
    session,
    chain,
    openAttempts: (address) => [...open.values()].filter((attempt) => attempt.address === address),
    async take(attempts) {
      for (const attempt of attempts) open.set(attempt.txId, attempt);
      await submit(attempts.slice(0, 1));
      ring();
    },
    async close() {
      if (end.signal.aborted) return;
      stopHeads();
      end.abort();
      ring();
      await session.close();
      await following;
    },
  };
}

function endOf(attempt: AttemptRow, outcome: Outcome): ActionEnd | undefined {
  if (outcome.status === 'superseded') return undefined;
  if (outcome.status === 'failed') {
    return { status: 'FAILED', locator: outcome.txId, problem: toMessage(outcome.problem) };
  }
  if (attempt.kind === 'noop') {
    const detail = 'The ledger did not take the transaction in time; its place was given up.';
    return { status: 'FAILED', problem: problemMessageOf('not-included', 422, detail) };
  }
  if (outcome.status === 'continue') {
    return { status: 'FAILED', problem: problemMessageOf('refused', 422, outcome.detail) };
  }
  return { status: 'SUCCEEDED', locator: outcome.txId, contractAddress: outcome.contractAddress };
}

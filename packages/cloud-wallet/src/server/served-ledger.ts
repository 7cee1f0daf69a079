import type {
  AdapterDefinition,
  AdapterHost,
  AdapterProblem,
  ChainIdentity,
  Cursor,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  Outcome,
  PendingTransaction,
} from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { backoff } from '@ledger-ops/backoff';
import { problemMessageOf, toMessage } from '../problem.ts';
import type { Timing } from '../timing.ts';
import type { NodeRequest } from '../types.ts';
import { continueAction } from './continue-action.ts';
import type { Custody } from './custody.ts';
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
  /** Requests to nodes that ended since this was asked last. */
  takeRequests(): NodeRequest[];
  close(): Promise<void>;
}

/** The parts of a served ledger. */
export interface ServedLedgerOptions {
  definition: AdapterDefinition;
  config: LedgerConfig;
  store: ServedStore;
  custody: Custody;
  now(): number;
  log: AdapterHost['log'];
  timing: Timing;
}

const submitBatch = 100;
/** Transactions of one action, as hosts allow modules: one that asks for ever more of them would go on for good. */
const mostTransactions = 100;

function chainKeyOf({ id, genesis }: ChainIdentity): string {
  return `${id} ${genesis}`;
}

/** Opens a ledger, and goes on with what was unfinished when the plugin ended. */
export async function openServedLedger(options: ServedLedgerOptions): Promise<ServedLedger> {
  const { definition, config, store, custody, now, log, timing } = options;
  const { ledgerId } = config;
  const ending = new AbortController();
  // Replacements cannot be signed later: the caller's secret, which opens the key, is here only while an action is taken.
  const properties = { ...config.properties, presigned_replacements: true };
  let requests: NodeRequest[] = [];
  // Before the session, which nobody would close where they cannot be read.
  const open = new Map(store.openAttempts(ledgerId).map((attempt) => [attempt.txId, attempt]));
  let progress = store.progress(ledgerId);
  const session = await definition.open(
    { ...config, properties },
    {
      ...{ now, log, signal: ending.signal },
      requested(method, result, milliseconds) {
        // Where no host asks, nobody counts them.
        if (requests.length < protocolLimits.nodeRequests) requests.push({ method, result, milliseconds });
      },
    },
  );
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
      const key = chainKeyOf(await session.chain());
      const foreign = [...open.values()].some((attempt) => attempt.chain !== key);
      chainKey = foreign ? await sureKey() : key;
    }
    return chainKey;
  };

  /** One node that was made anew proves no reset: what was signed is given up when all of them say so. */
  const sureKey = async () => {
    const identity = await session.chain({ everyNode: true });
    if (identity.unsure === undefined) return chainKeyOf(identity);
    const detail = `A node of the ledger ${ledgerId} shows another chain than the one that was signed for, and not every node could be asked: ${identity.unsure}`;
    throw adapterError('unavailable', detail, { phase: 'open' });
  };

  /** Ends an action whatever the chain may say. */
  const end = (actionId: string, how: ActionEnd) => {
    if (chainKey === undefined) return;
    store.settle(ledgerId, chainKey, null, new Map([[actionId, how]]), []);
    for (const attempt of [...open.values()]) if (attempt.actionId === actionId) open.delete(attempt.txId);
  };

  const submit = async (attempts: readonly AttemptRow[]) => {
    for (let from = 0; from < attempts.length; from += submitBatch) {
      const batch = attempts.slice(from, from + submitBatch);
      try {
        const answers = await session.submit(batch.map(({ txId, bytes }) => ({ txId, bytes })));
        for (const { txId, status, problem, note } of answers) {
          const attempt = open.get(txId);
          if (attempt !== undefined && note !== undefined) {
            store.note(txId, note);
            attempt.note = note;
          }
          if (attempt !== undefined && status === 'rejected' && attempt.sequence === null) {
            end(attempt.actionId, { status: 'FAILED', problem: toMessage(problem ?? neverTaken) });
          }
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
    return [...open.values()].filter(({ actionId, kind, signedAt, note }) => {
      if (note !== null) return false;
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
    const goOn = (actionId: string, plan: JsonObject | null, due: number, why: string) => {
      if (store.transactionsOf(actionId) >= mostTransactions) {
        const detail = `It had ${mostTransactions} transactions, and no end: ${why}`;
        const problem =
          plan === null
            ? problemMessageOf('expired', 422, detail)
            : problemMessageOf('adapter-fault', 500, detail);
        ends.set(actionId, { status: 'FAILED', problem });
        return;
      }
      if (store.continueAction(actionId, plan, due)) return;
      const detail = `Nothing is left that could sign on: ${why}`;
      const problem = problemMessageOf('adapter-fault', 500, detail);
      ends.set(actionId, { status: 'FAILED', problem });
    };
    for (const outcome of outcomes) {
      const attempt = open.get(outcome.txId);
      if (attempt === undefined) continue;
      if (outcome.status === 'continue') {
        open.delete(attempt.txId);
        const { plan, delay = 0, detail } = outcome;
        goOn(attempt.actionId, plan, now() + delay, detail);
        continue;
      }
      if (outcome.status === 'expired') {
        const { actionId, validUntil, sequence } = attempt;
        if (validUntil === null || sequence !== null || outcome.height <= validUntil) {
          log('warn', 'outcome.impossible', {
            ledgerId,
            actionId,
            txId: attempt.txId,
            height: outcome.height,
          });
          continue;
        }
        closed.push(attempt.txId);
        open.delete(attempt.txId);
        // As long as one of its transactions may be executed, no other is signed.
        if ([...open.values()].every((other) => other.actionId !== actionId))
          goOn(actionId, null, now(), 'The transaction expired.');
        continue;
      }
      closed.push(attempt.txId);
      open.delete(attempt.txId);
      const ended = endOf(attempt, outcome);
      if (ended !== undefined) ends.set(attempt.actionId, ended);
    }
    for (const attempt of [...open.values()]) if (ends.has(attempt.actionId)) open.delete(attempt.txId);
    // Every attempt superseded: another transaction has the sequence.
    const left = new Set([...open.values()].map(({ actionId }) => actionId));
    for (const { txId, status } of outcomes) {
      if (status !== 'superseded') continue;
      const actionId = store.actionOfAttempt(txId)?.actionId;
      if (actionId === undefined || left.has(actionId) || ends.has(actionId)) continue;
      const detail = 'Another transaction of the account took its sequence.';
      ends.set(actionId, { status: 'FAILED', problem: problemMessageOf('nonce-taken', 409, detail) });
    }
    store.settle(ledgerId, key, cursor, ends, closed);
    if (cursor !== null) progress = { chain: key, cursor };
  };

  /** Fails the actions that are signed for a chain that was reset: they can never be executed. */
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
      [...open.values()].map(({ txId, address, sequence, note, validUntil }) => [
        txId,
        {
          address,
          ...(sequence === null ? {} : { sequence }),
          ...(note === null ? {} : { note }),
          ...(validUntil === null ? {} : { validUntil }),
        },
      ]),
    );
    const confirmed = await session.confirm({ cursor: progress?.cursor ?? null, pending });
    settle(confirmed.outcomes, confirmed.cursor, key);
    if (confirmed.reorganised) chainKey = undefined;
    if (confirmed.reorganised || now() - sentAt >= timing.resend) await resend();
  };

  const continueDue = async () => {
    const due = store.continuations(ledgerId).filter((row) => row.due <= now());
    const key = due.length === 0 ? '' : await chain();
    for (const row of due) {
      const at = { chain: key, ledgerId, signedAt: now() };
      const continued = await continueAction({ definition, session, store, custody }, { ...row, ...at });
      if (continued.status === 'ended') end(row.actionId, continued.end);
      if (continued.status !== 'signed') continue;
      for (const attempt of continued.attempts) open.set(attempt.txId, attempt);
      await submit(continued.attempts.slice(0, 1));
    }
  };

  const follow = async () => {
    let failures = 0;
    while (!ending.signal.aborted) {
      woken = false;
      try {
        if (open.size > 0) await step();
        await continueDue();
        failures = 0;
      } catch (error) {
        failures += 1;
        const what = error instanceof Error ? error.message : 'unknown';
        if (failures === 1) log('warn', 'ledger.trouble', { ledgerId, error: what });
      }
      if (woken || ending.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, backoff(failures + 1, timing.poll));
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
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async close() {
      if (ending.signal.aborted) return;
      stopHeads();
      ending.abort();
      ring();
      try {
        await session.close();
      } finally {
        await following;
      }
    },
  };
}

const neverTaken: AdapterProblem = {
  code: 'refused',
  phase: 'submit',
  detail: 'The ledger did not take the transaction, and never will.',
};

function endOf(
  attempt: AttemptRow,
  outcome: Exclude<Outcome, { status: 'continue' | 'expired' }>,
): ActionEnd | undefined {
  if (outcome.status === 'superseded') return undefined;
  if (outcome.status === 'failed') {
    return {
      status: 'FAILED',
      locator: outcome.locator ?? outcome.txId,
      problem: toMessage(outcome.problem),
    };
  }
  if (attempt.kind === 'noop') {
    const detail = 'The ledger did not take the transaction in time; its place was given up.';
    return { status: 'FAILED', problem: problemMessageOf('dropped', 422, detail) };
  }
  return {
    status: 'SUCCEEDED',
    locator: outcome.locator ?? outcome.txId,
    contractAddress: outcome.contractAddress,
  };
}

import { setImmediate as turn } from 'node:timers/promises';
import { isTransient, type Submission, type Submitted } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/backoff';
import { adapterProblemFrom, toProblem } from '../../adapter-problem.ts';
import { type Attempt, failure, type LiveAction } from '../../rows/model.ts';
import type { SettlementWriter } from '../chains/settlement-writer.ts';
import type { LedgerContext } from '../context.ts';
import { createRefusals } from './refusals.ts';
import type { Tracker } from './types.ts';

/** Transactions in one call of `submit`, and calls under way at once. */
const inOrder = { batch: 200, streams: 2 };
/** The same where transactions are independent: one in each call, so that a slow one delays no other. */
const independently = { batch: 1, streams: 256 };

/** Of the transactions of one action those that are sent again and again; all of them go out when it is late. */
const againMost = 12;

/** Bytes of finished actions are sent so often until a node takes them. */
const lostTries = 8;

/** Sends a tracker's bytes, any number of times, until there is an outcome. */
export interface Broadcaster {
  /** Sends the attempts of an action that have been released. */
  release(action: LiveAction): void;
  /** Sends all that was released of these actions to every node of the ledger; resolves when they have answered. */
  everywhere(actions: readonly LiveAction[]): Promise<void>;
  /** Sends bytes that belong to no live action. */
  resend(submissions: readonly Submission[]): void;
  /** The action is this tracker's no more. */
  forget(action: LiveAction): void;
  /** Resolves when nothing is being sent any more. */
  stop(): Promise<void>;
}

export function createBroadcaster(
  { faults, log, meter, traces, now, timing }: LedgerContext,
  tracker: Tracker,
  settlements: Pick<SettlementWriter, 'reject' | 'note'>,
): Broadcaster {
  const { session, record, definition } = tracker.open;
  const independent = definition.capabilities.sequence === 'none';
  const { batch: most, streams } = independent ? independently : inOrder;
  const queue: Submission[] = [];
  const extra: Submission[] = [];
  /** Queued; independent ones also while they are sent: what a node says of one must be said of all its sends. */
  const out = new Set<string>();
  /** Final answers of nodes that are not stored yet, by action and by transaction. */
  const rejected = new Map<string, ReturnType<typeof failure>>();
  const noted = new Map<string, string>();
  const sends = new Set<Promise<void>>();
  /** Transactions of finished actions that the chain has lost and no node has taken again, with how often they were sent. */
  const lost = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const refusals = createRefusals({ log, timing }, record.ledgerId);
  let stopped = false;

  function pump(): void {
    while (!stopped && sends.size < streams && (queue.length > 0 || extra.length > 0)) {
      const batch = queue.splice(0, most);
      batch.push(...extra.splice(0, most - batch.length));
      if (!independent) for (const { txId } of batch) out.delete(txId);
      // An adapter may answer within the same turn of the event loop, and the queue may be long.
      void owned(send(batch).finally(() => turn())).finally(pump);
    }
  }

  async function send(batch: readonly Submission[]): Promise<void> {
    try {
      faults('submit:before');
      const asked = new Map(batch.map(({ txId }) => [txId, tracker.actionOf(txId)?.attempt]));
      const actions = batch.map(({ txId }) => tracker.actionOf(txId)?.action);
      const answers = await traces.call(
        { name: 'send', ledgerId: record.ledgerId, actions },
        () => session.submit(batch.map(firstOrAgain)),
        failureOf,
      );
      faults('submit:after');
      for (const { txId } of batch) out.delete(txId);
      for (const { txId, status } of answers)
        if (status === 'accepted' || status === 'known') lost.delete(txId);
      for (const answer of answers) await apply(answer, asked.get(answer.txId));
    } catch (error) {
      const problem = adapterProblemFrom(error);
      for (const { txId } of batch) {
        out.delete(txId);
        const entry = tracker.actionOf(txId);
        if (entry === undefined) continue;
        entry.action.complaint = problem.detail;
        entry.action.sentAt = 0;
      }
      log(isTransient(problem) ? 'info' : 'error', 'submit.failed', {
        ledgerId: record.ledgerId,
        code: problem.code,
      });
    }
    for (const submission of batch) if (lost.has(submission.txId)) sendLater(submission);
  }

  function sendLater(submission: Submission): void {
    const times = (lost.get(submission.txId) ?? 0) + 1;
    lost.set(submission.txId, times);
    if (stopped || times >= lostTries) {
      lost.delete(submission.txId);
      return;
    }
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        extra.push(submission);
        pump();
      },
      backoff(times, timing.resendLost),
    );
    timers.add(timer);
  }

  /** An empty transaction is sent in its place, with its action. */
  function isCancelled({ txId }: Submission): boolean {
    const entry = tracker.actionOf(txId);
    return (
      entry !== undefined &&
      entry.action.change?.kind === 'cancel' &&
      !toSend(entry.action).includes(entry.attempt)
    );
  }

  function firstOrAgain(submission: Submission): Submission {
    const attempt = tracker.actionOf(submission.txId)?.attempt;
    if (attempt?.unsent !== true) return submission;
    attempt.unsent = false;
    return { ...submission, first: true };
  }

  async function apply(
    { txId, status, problem, note }: Submitted,
    asked: Attempt | undefined,
  ): Promise<void> {
    const entry = tracker.actionOf(txId);
    if (entry === undefined) return;
    const { action, attempt } = entry;
    action.complaint = problem === undefined ? null : plainWords(problem.detail);
    if (status === 'accepted' || status === 'known') taken(action);
    if (note !== undefined && attempt.note === null) {
      noted.set(txId, note);
      await keepNote(action, attempt, note);
    }
    // An attempt that was read anew meanwhile may have been sent by another server.
    if (status === 'rejected' && independent && attempt === asked) {
      const why = problem ?? { code: 'refused', phase: 'submit', detail: 'The ledger did not take it.' };
      const end = failure(action.id, true, toProblem(why).toDocument());
      rejected.set(action.id, end);
      await reject(action, end);
      return;
    }
    if (status === 'refused' || status === 'rejected') {
      refusals.add({ actionId: action.id, txId });
    }
    // Bytes that did not arrive go out again with the next round of resends.
    if (status === 'unavailable') action.sentAt = 0;
  }

  function taken(action: LiveAction): void {
    if (action.takenAt !== undefined || action.readBack === true) return;
    action.takenAt = now();
    meter.step(record.ledgerId, 'sent', action.takenAt - action.signedAt);
  }

  /** Until it is stored nothing of the action is sent: the rows would have it sent, and fail, at once. */
  function reject(action: LiveAction, end: ReturnType<typeof failure>): Promise<void> {
    return store('submit.reject', action, () => settlements.reject(tracker, [end]));
  }

  function keepNote(action: LiveAction, attempt: Attempt, note: string): Promise<void> {
    return store('submit.note', action, async () => {
      await settlements.note(action, attempt.txId, note);
      tracker.noted(action, attempt, note);
      noted.delete(attempt.txId);
    });
  }

  /** A write that fails is tried again when the action would be sent again. */
  async function store(event: string, { id }: LiveAction, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : 'unknown';
      log('warn', event, { ledgerId: record.ledgerId, actionId: id, detail });
    });
  }

  function owned(work: Promise<void>): Promise<void> {
    const one: Promise<void> = work.finally(() => sends.delete(one));
    sends.add(one);
    return one;
  }

  return {
    release(action) {
      action.sentAt = now();
      const end = rejected.get(action.id);
      if (end !== undefined) {
        void owned(reject(action, end));
        return;
      }
      for (const attempt of toSend(action).slice(-againMost)) {
        const { txId, bytes } = attempt;
        const note = noted.get(txId);
        if (note !== undefined) void owned(keepNote(action, attempt, note));
        if (note !== undefined || attempt.note !== null || out.has(txId)) continue;
        out.add(txId);
        queue.push({ txId, bytes });
      }
      pump();
    },
    async everywhere(actions) {
      const at = now();
      const all = actions.flatMap((action) => {
        action.sentAt = at;
        return toSend(action);
      });
      const submissions = all.map(({ txId, bytes }) => ({ txId, bytes, everyNode: true }));
      for (let start = 0; start < submissions.length && !stopped; start += most)
        await owned(send(submissions.slice(start, start + most)));
    },
    resend(submissions) {
      for (const submission of submissions) {
        if (out.has(submission.txId) || isCancelled(submission)) continue;
        if (!independent && tracker.actionOf(submission.txId) === undefined) {
          // It is on its way already.
          if (lost.has(submission.txId)) continue;
          lost.set(submission.txId, 0);
        }
        out.add(submission.txId);
        extra.push(submission);
      }
      pump();
    },
    forget(action) {
      rejected.delete(action.id);
      for (const { txId } of action.attempts) noted.delete(txId);
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([...sends]);
      refusals.stop();
    },
  };
}

function failureOf(answers: readonly Submitted[], place: number): string | undefined {
  const answer = answers[place];
  if (answer === undefined || answer.status === 'accepted' || answer.status === 'known') return undefined;
  return answer.problem?.code ?? answer.status;
}

/** The attempts that were released; of a cancelled action the empty transactions alone, once there are any. */
function toSend({ attempts, released, change }: LiveAction): Attempt[] {
  const out = attempts.slice(0, released + 1);
  const isNoop = ({ kind }: Attempt) => kind === 'noop';
  return change?.kind === 'cancel' && out.some(isNoop) ? out.filter(isNoop) : out;
}

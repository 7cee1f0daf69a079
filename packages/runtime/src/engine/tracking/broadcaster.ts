import { setImmediate as turn } from 'node:timers/promises';
import { isTransient, type Submission, type Submitted } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { backoff } from '@ledger-ops/base/backoff';
import { adapterProblemFrom, toProblem } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { type Attempt, failure, type LiveAction, type Settlement } from '../../rows/model.ts';
import type { LedgerContext } from '../context.ts';
import type { FollowedActions } from './followed-actions.ts';
import { Refusals } from './refusals.ts';

/**
 * Limits for ledgers on which the order of transactions matters: transactions per `submit` call (`batch`), and
 * concurrent calls (`streams`).
 */
const inOrder = { batch: 200, streams: 2 };
/**
 * Limits for ledgers with independent transactions: each call sends one transaction, so that a slow one does not delay
 * the others.
 */
const independently = { batch: 1, streams: 256 };

/**
 * Maximum number of an action's newest transactions that are resent regularly. If the action is late, all of its
 * transactions are resent.
 */
const againMost = 12;

/**
 * Maximum number of times that a transaction is sent again after a reorg removed it, if its action had already
 * finished.
 */
const lostTries = 8;

export interface SubmissionWrites {
  /** Fails actions whose transactions the ledger rejected and that are not sent again. */
  reject(settlements: readonly Settlement[]): Promise<void>;
  /** Records the ledger's own id of a transaction, in the database and in memory. */
  note(action: LiveAction, attempt: Attempt, note: string): Promise<void>;
}

/**
 * Sends a tracker's signed transactions repeatedly until there is an outcome.
 *
 * A transaction is queued (`#queue` in order, `#extra` if resent), then sent (`#sends`), and queued again by the next
 * `release` or `resend`. A node's final response (`#rejected`: a rejection; `#noted`: the ledger's own id) stays in
 * memory until it is stored. The transaction is not sent again before that.
 */
export class Broadcaster {
  readonly #context: LedgerContext;
  readonly #ledger: OpenLedger;
  readonly #ledgerId: string;
  readonly #actions: Pick<FollowedActions, 'actionOf'>;
  readonly #writes: SubmissionWrites;
  /** Whether the order of the ledger's transactions does not matter. */
  readonly #isIndependent: boolean;
  readonly #batchSize: number;
  readonly #streams: number;
  readonly #queue: Submission[] = [];
  readonly #extra: Submission[] = [];
  /**
   * Ids of queued transactions. If the order of transactions does not matter, also of those being sent. Prevents a
   * transaction from being sent twice at the same time.
   */
  readonly #out = new Set<string>();
  /** Settlements of rejected actions, by action id. */
  readonly #rejected = new Map<string, Settlement>();
  /** Ids that the ledger itself uses, as nodes returned them, by transaction id. */
  readonly #noted = new Map<string, string>();
  readonly #sends = new Set<Promise<void>>();
  /**
   * Transactions that a reorg removed after their actions finished and that no node has accepted since, each with the
   * number of times that it was sent since.
   */
  readonly #lost = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #refusals: Refusals;
  #isStopped = false;

  constructor(
    context: LedgerContext,
    ledger: OpenLedger,
    actions: Pick<FollowedActions, 'actionOf'>,
    writes: SubmissionWrites,
  ) {
    this.#context = context;
    this.#ledger = ledger;
    this.#ledgerId = ledger.record.ledgerId;
    this.#actions = actions;
    this.#writes = writes;
    this.#isIndependent = ledger.definition.capabilities.sequence === 'none';
    const { batch, streams } = this.#isIndependent ? independently : inOrder;
    this.#batchSize = batch;
    this.#streams = streams;
    this.#refusals = new Refusals(context, this.#ledgerId);
  }

  /** Queues the attempts of an action that may be sent (up to `action.released`). */
  release(action: LiveAction): void {
    action.sentAt = this.#context.now();
    const end = this.#rejected.get(action.id);
    if (end !== undefined) {
      void this.#track(this.#reject(action, end));
      return;
    }
    for (const attempt of toSend(action).slice(-againMost)) {
      const { txId, bytes } = attempt;
      const note = this.#noted.get(txId);
      if (note !== undefined) void this.#track(this.#keepNote(action, attempt, note));
      if (note !== undefined || attempt.note !== null || this.#out.has(txId)) continue;
      this.#out.add(txId);
      this.#queue.push({ txId, bytes });
    }
    this.#pump();
  }

  /**
   * Sends those attempts of these actions that may be sent (up to `action.released`) to every node of the ledger.
   * Resolves when the nodes have responded.
   */
  async sendEverywhere(actions: readonly LiveAction[]): Promise<void> {
    const at = this.#context.now();
    const all = actions.flatMap((action) => {
      action.sentAt = at;
      return toSend(action);
    });
    const submissions = all.map(({ txId, bytes }) => ({ txId, bytes, everyNode: true }));
    for (let start = 0; start < submissions.length && !this.#isStopped; start += this.#batchSize)
      await this.#track(this.#send(submissions.slice(start, start + this.#batchSize)));
  }

  /** Resends transactions that the chain may have lost. */
  resend(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      if (this.#out.has(submission.txId) || this.#isCancelled(submission)) continue;
      if (!this.#isIndependent && this.#actions.actionOf(submission.txId) === undefined) {
        // This transaction is already being resent.
        if (this.#lost.has(submission.txId)) continue;
        this.#lost.set(submission.txId, 0);
      }
      this.#out.add(submission.txId);
      this.#extra.push(submission);
    }
    this.#pump();
  }

  /** Removes an action that the tracker no longer follows. */
  forget(action: LiveAction): void {
    this.#rejected.delete(action.id);
    for (const { txId } of action.attempts) this.#noted.delete(txId);
  }

  /** Resolves when nothing is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#sends]);
    this.#refusals.stop();
  }

  #pump(): void {
    while (
      !this.#isStopped &&
      this.#sends.size < this.#streams &&
      (this.#queue.length > 0 || this.#extra.length > 0)
    ) {
      const batch = this.#queue.splice(0, this.#batchSize);
      batch.push(...this.#extra.splice(0, this.#batchSize - batch.length));
      if (!this.#isIndependent) for (const { txId } of batch) this.#out.delete(txId);
      // Yields to the event loop, because the adapter may respond in the same turn of the loop, and the queue may be
      // long.
      void this.#track(this.#send(batch).finally(() => turn())).finally(() => this.#pump());
    }
  }

  async #send(batch: readonly Submission[]): Promise<void> {
    try {
      this.#context.faults('submit:before');
      const asked = new Map(batch.map(({ txId }) => [txId, this.#actions.actionOf(txId)?.attempt]));
      const actions = batch.map(({ txId }) => this.#actions.actionOf(txId)?.action);
      const answers = await this.#context.traces.call(
        { name: 'send', ledgerId: this.#ledgerId, actions },
        () => this.#ledger.session.submit(batch.map((one) => this.#firstOrAgain(one))),
        failureOf,
      );
      this.#context.faults('submit:after');
      for (const { txId } of batch) this.#out.delete(txId);
      for (const { txId, status } of answers)
        if (status === 'accepted' || status === 'known') this.#lost.delete(txId);
      for (const answer of answers) await this.#apply(answer, asked.get(answer.txId));
    } catch (error) {
      const problem = adapterProblemFrom(error);
      for (const { txId } of batch) {
        this.#out.delete(txId);
        const entry = this.#actions.actionOf(txId);
        if (entry === undefined) continue;
        refuse(entry, problem.detail);
        entry.action.sentAt = 0;
      }
      this.#context.log(isTransient(problem) ? 'info' : 'error', 'submit.failed', {
        ledgerId: this.#ledgerId,
        code: problem.code,
      });
    }
    for (const submission of batch) if (this.#lost.has(submission.txId)) this.#sendLater(submission);
  }

  #sendLater(submission: Submission): void {
    const times = (this.#lost.get(submission.txId) ?? 0) + 1;
    this.#lost.set(submission.txId, times);
    if (this.#isStopped || times >= lostTries) {
      this.#lost.delete(submission.txId);
      return;
    }
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.#extra.push(submission);
        this.#pump();
      },
      backoff(times, this.#context.timing.resendLost),
    );
    this.#timers.add(timer);
  }

  /** Whether the action was canceled, so that only empty transactions are sent for it. */
  #isCancelled({ txId }: Submission): boolean {
    const entry = this.#actions.actionOf(txId);
    return (
      entry !== undefined &&
      entry.action.change?.kind === 'cancel' &&
      !toSend(entry.action).includes(entry.attempt)
    );
  }

  #firstOrAgain(submission: Submission): Submission {
    const attempt = this.#actions.actionOf(submission.txId)?.attempt;
    if (attempt?.unsent !== true) return submission;
    attempt.unsent = false;
    return { ...submission, first: true };
  }

  async #apply(
    { txId, status, problem, feeTooLow, note }: Submitted,
    asked: Attempt | undefined,
  ): Promise<void> {
    const entry = this.#actions.actionOf(txId);
    if (entry === undefined) return;
    const { action, attempt } = entry;
    const isTaken = status === 'accepted' || status === 'known';
    if (status === 'refused') markFee(action, attempt, feeTooLow);
    else if (status !== 'unavailable') delete attempt.feeTooLow;
    if (isTaken) {
      attempt.refusal = null;
      action.pendingReason.refusal = null;
      this.#markTaken(action);
    } else refuse(entry, plainWords(problem?.detail ?? 'The transaction was not accepted.'));
    if (note !== undefined && attempt.note === null) {
      this.#noted.set(txId, note);
      await this.#keepNote(action, attempt, note);
    }
    // The rejection is final only if the attempt was not reloaded in the meantime: another server may have sent a
    // reloaded attempt. It completes the action only if the action has no other transaction, which might still be
    // executed.
    const isOnly = action.attempts.length === 1;
    if (status === 'rejected' && this.#isIndependent && attempt === asked && isOnly) {
      const why = problem ?? {
        code: 'refused',
        phase: 'submit',
        detail: 'The ledger rejected the transaction.',
      };
      const end = failure(action.id, true, toProblem(why).toDocument());
      this.#rejected.set(action.id, end);
      await this.#reject(action, end);
      return;
    }
    if (status === 'refused' || status === 'rejected') {
      this.#refusals.add({ actionId: action.id, txId });
    }
    // A transaction that no node received is resent in the next round.
    if (status === 'unavailable') action.sentAt = 0;
  }

  #markTaken(action: LiveAction): void {
    if (action.takenAt !== undefined || action.readBack === true) return;
    action.takenAt = this.#context.now();
    this.#context.meter.step(this.#ledgerId, 'sent', action.takenAt - action.signedAt);
  }

  /** Stores the rejection. Until the rejection is stored, no transaction of the action is sent again. */
  #reject(action: LiveAction, end: Settlement): Promise<void> {
    return this.#store('submit.reject', action, () => this.#writes.reject([end]));
  }

  #keepNote(action: LiveAction, attempt: Attempt, note: string): Promise<void> {
    return this.#store('submit.note', action, async () => {
      await this.#writes.note(action, attempt, note);
      this.#noted.delete(attempt.txId);
    });
  }

  /** Runs a write and logs its failure. A failed write is repeated when the action is next released. */
  async #store(event: string, { id }: LiveAction, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : 'unknown';
      this.#context.log('warn', event, { ledgerId: this.#ledgerId, actionId: id, detail });
    });
  }

  #track(work: Promise<void>): Promise<void> {
    const one: Promise<void> = work.finally(() => this.#sends.delete(one));
    this.#sends.add(one);
    return one;
  }
}

function failureOf(answers: readonly Submitted[], place: number): string | undefined {
  const answer = answers[place];
  if (answer === undefined || answer.status === 'accepted' || answer.status === 'known') return undefined;
  return answer.problem?.code ?? answer.status;
}

/**
 * Records a node's error message for an attempt. The action shows the message only if no node accepted another of its
 * attempts, because nodes refuse all other attempts once one is mined.
 */
function refuse({ action, attempt }: { action: LiveAction; attempt: Attempt }, words: string): void {
  attempt.refusal = words;
  const sent = toSend(action);
  const newest = sent.findLast(({ refusal }) => refusal !== undefined);
  action.pendingReason.refusal = sent.some(({ refusal }) => refusal === null)
    ? null
    : (newest?.refusal ?? words);
}

/**
 * Records whether a node refused an attempt because of its fee. If the newest attempt was refused for another reason,
 * earlier ones may still be accepted, so they are sent again.
 */
function markFee(action: LiveAction, attempt: Attempt, feeTooLow: Submitted['feeTooLow']): void {
  attempt.feeTooLow = feeTooLow;
  const isNewest = action.attempts[action.released] === attempt;
  if (feeTooLow === undefined && isNewest) for (const other of action.attempts) delete other.feeTooLow;
}

/**
 * Returns the attempts to send: those up to `released`, but not those that a node refused because of their fee if there
 * is a newer one. For a canceled action with empty transactions, returns only these.
 */
function toSend({ attempts, released, change }: LiveAction): Attempt[] {
  const out = attempts
    .slice(0, released + 1)
    .filter(({ feeTooLow }, n) => feeTooLow === undefined || n === released);
  const isNoop = ({ kind }: Attempt) => kind === 'noop';
  return change?.kind === 'cancel' && out.some(isNoop) ? out.filter(isNoop) : out;
}

import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AdapterDefinition,
  AdapterHost,
  Checked,
  Cursor,
  JsonObject,
  LedgerSession,
  Outcome,
  PendingTransaction,
  PrepareRequest,
  ResolvedOperation,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { finishRounds, prepareAndSign, type SignedAttempt } from './drive.ts';
import type { ConformanceHarness, FaultHooks, HarnessSigner, SampleOperations } from './harness.ts';
import { timing } from './timing.ts';
import { inTime, overTheWire } from './wire.ts';

/** A session and a wallet, usually the harness's wallet. */
export interface Actor {
  session: LedgerSession;
  wallet: WalletIdentity;
  signer: HarnessSigner;
}

/** Maximum number of blocks until a submitted transaction is final, if the kit mines. */
const enoughBlocks = 64;
/** Maximum number of transactions of one action. */
const enoughSteps = 32;

/** The host's side of the adapter interface, as the server implements it. */
export class Stage {
  /** Timeout of one step in milliseconds. */
  readonly patience: number;
  readonly harness: ConformanceHarness;
  readonly definition: AdapterDefinition;
  readonly #end = new AbortController();
  readonly #open: LedgerSession[] = [];
  /** Claims of signed transactions without a final outcome, by transaction id. */
  readonly #unsettled = new Map<string, readonly string[]>();
  readonly #secrets;

  constructor(definition: AdapterDefinition, harness: ConformanceHarness) {
    this.definition = definition;
    this.harness = harness;
    this.patience = harness.patience ?? timing.patience;
    this.#secrets = harness.ledger.nodes.flatMap(({ uri }) => {
      const url = URL.parse(uri);
      return url === null ? [] : [url.password].filter((text) => text !== '');
    });
  }

  /**
   * Opens a session through `overTheWire`, with additional ledger properties. The stage's `close()` closes the
   * session.
   */
  async open(properties: JsonObject = {}, signal: AbortSignal = this.#end.signal): Promise<LedgerSession> {
    const host: AdapterHost = {
      now: Date.now,
      log: (_level, event, fields) => {
        const text = `${event} ${JSON.stringify(structuredClone(fields ?? {}))}`;
        for (const secret of this.#secrets)
          assert.ok(!text.includes(secret), `${event}: the log contains a credential`);
      },
      signal,
    };
    const ledger = {
      ...this.harness.ledger,
      properties: { ...this.harness.ledger.properties, ...properties },
    };
    const session = await inTime('open()', this.patience, () => this.definition.open(ledger, host));
    this.#open.push(session);
    return overTheWire(session, {
      definition: this.definition,
      secrets: this.#secrets,
      patience: this.patience,
    });
  }

  /** Opens a session and creates the wallet of a signer. */
  async enter(properties?: JsonObject, signer: HarnessSigner = this.harness.signer): Promise<Actor> {
    const session = await this.open(properties);
    const first = await session.createWallet({
      walletId: 'conformance',
      publicKey: signer.publicKey,
      parameters: this.harness.walletParameters ?? {},
    });
    const wallet = await finishRounds(first, signer.sign, (state, signatures) =>
      session.advanceWallet({ state, signatures }),
    );
    return { session, wallet, signer };
  }

  sample<Name extends keyof SampleOperations>(name: Name): NonNullable<SampleOperations[Name]> {
    const found = this.harness.samples[name];
    assert.ok(found !== undefined, `the harness has no sample '${name}'`);
    return found;
  }

  hook<Name extends keyof FaultHooks>(name: Name): NonNullable<FaultHooks[Name]> {
    const found = this.harness.hooks?.[name];
    assert.ok(found !== undefined, `the harness has no hook '${name}'`);
    return found;
  }

  /** Returns the first sample that can be executed. */
  operation(): ResolvedOperation {
    const { transfer, call, deploy } = this.harness.samples;
    const found = transfer ?? call ?? deploy;
    assert.ok(found !== undefined, 'the harness has no executable sample');
    return found;
  }

  check({ session, wallet }: Actor, operation: ResolvedOperation): Promise<Checked> {
    return session.check({ wallet, operation });
  }

  /**
   * Checks the operation and, if needed, estimates it. Returns a request for `prepare`, whose plan has made a
   * round trip through JSON.
   */
  async plan(
    actor: Actor,
    operation: ResolvedOperation,
    ahead = 0,
    others: WalletIdentity[] = [],
  ): Promise<PrepareRequest> {
    const { session, wallet } = actor;
    const named = others.length === 0 ? {} : { others };
    const checked = await session.check({ wallet, ...named, operation });
    let plan = stored(checked.plan);
    if (checked.readiness === 'estimate') {
      const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
      assert.ok(
        estimated?.status === 'ready',
        `the estimate of a valid ${operation.type} is ${estimated?.status}: ${problemText(estimated)}`,
      );
      plan = stored(estimated.plan);
    }
    const { secret } = checked;
    const request: PrepareRequest = {
      actionId: randomUUID(),
      wallet,
      ...named,
      plan,
      ...(secret === undefined ? {} : { secret: stored(secret) }),
      ...this.#claimed(),
    };
    if (this.definition.capabilities.sequence === 'none') return request;
    const [next] = await session.sequences([wallet.address]);
    assert.equal(typeof next, 'bigint', 'sequences() did not return a bigint for each address');
    return { ...request, sequence: (next ?? 0n) + BigInt(ahead) };
  }

  /**
   * Plans, prepares and signs. Returns all attempts, the main one first. `ahead` is added to the next free
   * sequence.
   */
  async sign(
    actor: Actor,
    operation: ResolvedOperation,
    ahead?: number,
  ): Promise<{ request: PrepareRequest; main: SignedAttempt; attempts: SignedAttempt[] }> {
    const request = await this.plan(actor, operation, ahead);
    const attempts = await prepareAndSign(actor.session, request, actor.signer.sign);
    const [main] = attempts;
    assert.ok(main !== undefined, 'prepare() returned no attempt');
    this.hold(attempts);
    assert.ok(
      main.validUntil === undefined || this.harness.samples.expiring !== undefined,
      "the harness has no sample 'expiring', which is required because the transaction expires",
    );
    return { request, main, attempts };
  }

  /** Records signed transactions. Transactions that are prepared later must not hold the same claims. */
  hold(attempts: readonly SignedAttempt[]): void {
    for (const { txId, claims } of attempts) if (claims !== undefined) this.#unsettled.set(txId, claims);
  }

  /** Returns the member `unsettled` of a request. */
  #claimed(): Pick<PrepareRequest, 'unsettled'> {
    if (this.#unsettled.size === 0) return {};
    return { unsettled: [...this.#unsettled].map(([txId, claims]) => ({ txId, claims })) };
  }

  /** Returns pending transactions in the form that `confirm` accepts. */
  pending(
    { wallet }: Actor,
    { sequence }: PrepareRequest,
    attempts: readonly SignedAttempt[],
  ): Map<string, PendingTransaction> {
    const one = { address: wallet.address, ...(sequence === undefined ? {} : { sequence }) };
    return new Map(
      attempts.map(({ txId, validUntil, claims, needs }) => [
        txId,
        {
          ...one,
          ...(validUntil === undefined ? {} : { validUntil }),
          ...(claims === undefined ? {} : { claims }),
          ...(needs === undefined ? {} : { needs }),
        },
      ]),
    );
  }

  /** Mines, or waits for blocks, until all pending transactions have an outcome. */
  async settle(
    { session }: Actor,
    pending: ReadonlyMap<string, PendingTransaction>,
    from: Cursor | null = null,
  ): Promise<{ outcomes: Map<string, Outcome>; cursor: Cursor }> {
    const outcomes = new Map<string, Outcome>();
    const until = Date.now() + this.patience;
    let cursor = from;
    for (let blocks = 0; outcomes.size < pending.size || cursor === null; blocks += 1) {
      const left = new Map([...pending].filter(([txId]) => !outcomes.has(txId)));
      const give = `${left.size} of ${pending.size} transactions have no outcome`;
      if (this.harness.hooks?.mine !== undefined) {
        assert.ok(blocks < enoughBlocks, `${give} after ${enoughBlocks} blocks`);
        await this.harness.hooks.mine(1);
      } else {
        assert.ok(Date.now() < until, `${give} after ${this.patience} ms`);
        if (blocks > 0) await delay(timing.poll);
      }
      const confirmed = await session.confirm({ cursor, pending: left });
      for (const outcome of confirmed.outcomes) {
        assert.ok(
          left.has(outcome.txId),
          `confirm() returned an outcome for ${outcome.txId}, which is not pending`,
        );
        outcomes.set(outcome.txId, outcome);
        this.#unsettled.delete(outcome.txId);
      }
      cursor = confirmed.cursor;
    }
    return { outcomes, cursor };
  }

  /** Signs, submits and settles one operation. */
  async execute(
    actor: Actor,
    operation: ResolvedOperation,
  ): Promise<{ main: SignedAttempt; outcome: Outcome; cursor: Cursor }> {
    const first = await this.sign(actor, operation);
    return this.carryOut(actor, first.request, first.main);
  }

  /** Submits and settles signed attempts, and continues as long as outcomes require another transaction. */
  async carryOut(
    actor: Actor,
    first: PrepareRequest,
    firstMain: SignedAttempt,
  ): Promise<{ main: SignedAttempt; outcome: Outcome; cursor: Cursor }> {
    const { session } = actor;
    let [request, main] = [first, firstMain];
    for (let steps = 0; steps < enoughSteps; steps += 1) {
      const notes = assertTaken(await session.submit([{ ...main, first: true }]));
      const note = notes.get(main.txId);
      const pending = new Map(
        [...this.pending(actor, request, [main])].map(([txId, one]) => [
          txId,
          note === undefined ? one : { ...one, note },
        ]),
      );
      const { outcomes, cursor } = await this.settle(actor, pending);
      const outcome = outcomes.get(main.txId);
      assert.ok(outcome !== undefined, `confirm() returned no outcome for ${main.txId}`);
      if (outcome.status !== 'continue' && outcome.status !== 'expired') return { main, outcome, cursor };
      ({ request, main } = await this.goOn(actor, request, main, outcome));
    }
    throw new assert.AssertionError({
      message: `the action has not completed after ${enoughSteps} transactions`,
    });
  }

  /** Returns the next transaction of an action whose last outcome was `continue` or `expired`. */
  async goOn(
    { session, signer }: Actor,
    former: PrepareRequest,
    last: SignedAttempt,
    outcome: Outcome & { status: 'continue' | 'expired' },
  ): Promise<{ request: PrepareRequest; main: SignedAttempt }> {
    const { unsettled: _, ...next } =
      outcome.status === 'continue' ? await nextRequest(former, last, outcome) : former;
    const request = { ...next, ...this.#claimed() };
    const [main] = await prepareAndSign(session, request, signer.sign);
    assert.ok(main !== undefined && main.txId !== last.txId, 'a step has no new transaction');
    this.hold([main]);
    return { request, main };
  }

  async close(): Promise<void> {
    this.#end.abort();
    const parts = new AsyncDisposableStack();
    parts.defer(() => this.harness.close());
    for (const session of this.#open)
      parts.defer(() => inTime('close()', this.patience, () => session.close()));
    await parts.disposeAsync();
  }
}

/** Waits for the outcome's delay, then returns the request for the next transaction, with the plan from the outcome. */
async function nextRequest(
  former: PrepareRequest,
  last: SignedAttempt,
  { plan, delay: pause }: Outcome & { status: 'continue' },
): Promise<PrepareRequest> {
  assert.equal(last.mayContinue, true, "a transaction has the outcome 'continue', but not mayContinue");
  if (pause !== undefined) await delay(pause);
  return { ...former, plan: stored(plan) };
}

/**
 * Fails unless each response means that the node has the transaction. Returns the ids that the ledger
 * assigned.
 */
export function assertTaken(
  answers: readonly { txId: string; status: string; problem?: unknown; note?: string }[],
): Map<string, string> {
  for (const { txId, status, problem } of answers) {
    assert.ok(
      status === 'accepted' || status === 'known',
      `submit() of ${txId} returned ${status}: ${JSON.stringify(problem ?? null)}`,
    );
  }
  return new Map(answers.flatMap(({ txId, note }) => (note === undefined ? [] : [[txId, note]])));
}

/** Returns the value as the host's database returns it: serialized to JSON and parsed. */
export function stored(plan: JsonObject): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(plan);
  } catch (cause) {
    throw new assert.AssertionError({
      message: `the plan is not JSON: ${String(cause)}`,
    });
  }
  const parsed: JsonObject = JSON.parse(text);
  assert.deepStrictEqual(parsed, plan, 'the plan is not JSON, or changed when it was stored in the database');
  return parsed;
}

function problemText(estimated: unknown): string {
  return JSON.stringify(estimated, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

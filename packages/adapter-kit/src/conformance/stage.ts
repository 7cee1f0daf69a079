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
import type { ConformanceHarness, FaultHooks, SampleOperations } from './harness.ts';
import { timing } from './timing.ts';
import { inTime, overTheWire } from './wire.ts';

/** A session of the stage with the wallet of the harness in it. */
export interface Actor {
  session: LedgerSession;
  wallet: WalletIdentity;
}

/** Where checks act: the host's part of the contract, done as the server does it. */
export interface Stage {
  definition: AdapterDefinition;
  harness: ConformanceHarness;
  /** Milliseconds that anything may take. */
  patience: number;
  /** Opens a session over the wire; it is closed at the end. Properties are added to the ledger's. */
  open(properties?: JsonObject, signal?: AbortSignal): Promise<LedgerSession>;
  /** Opens a session and makes the wallet. */
  enter(properties?: JsonObject): Promise<Actor>;
  sample<Name extends keyof SampleOperations>(name: Name): NonNullable<SampleOperations[Name]>;
  hook<Name extends keyof FaultHooks>(name: Name): NonNullable<FaultHooks[Name]>;
  /** The first sample that can be executed. */
  operation(): ResolvedOperation;
  check(actor: Actor, operation: ResolvedOperation): Promise<Checked>;
  /** Check and, where it is needed, estimate: a request that can be prepared, after a trip through JSON. */
  plan(
    actor: Actor,
    operation: ResolvedOperation,
    ahead?: number,
    others?: WalletIdentity[],
  ): Promise<PrepareRequest>;
  /** Plan, prepare and sign: every attempt, main first. `ahead` counts sequences from the next free one. */
  sign(
    actor: Actor,
    operation: ResolvedOperation,
    ahead?: number,
  ): Promise<{ request: PrepareRequest; main: SignedAttempt; attempts: SignedAttempt[] }>;
  /** The pending transactions of an actor, as `confirm` takes them. */
  pending(
    actor: Actor,
    request: PrepareRequest,
    attempts: readonly SignedAttempt[],
  ): Map<string, PendingTransaction>;
  /** Makes blocks, or waits for them, until everything pending has its outcome. */
  settle(
    actor: Actor,
    pending: ReadonlyMap<string, PendingTransaction>,
    from?: Cursor | null,
  ): Promise<{ outcomes: Map<string, Outcome>; cursor: Cursor }>;
  /** Signs, submits and settles one operation. */
  execute(
    actor: Actor,
    operation: ResolvedOperation,
  ): Promise<{ main: SignedAttempt; outcome: Outcome; cursor: Cursor }>;
  /** The same with what is signed: submits, settles, and goes on for as long as outcomes ask for it. */
  carryOut(
    actor: Actor,
    request: PrepareRequest,
    main: SignedAttempt,
  ): Promise<{ main: SignedAttempt; outcome: Outcome; cursor: Cursor }>;
  /** The next transaction of an action whose last one had the outcome `continue` or `expired`. */
  goOn(
    actor: Actor,
    request: PrepareRequest,
    main: SignedAttempt,
    outcome: Outcome & { status: 'continue' | 'expired' },
  ): Promise<{ request: PrepareRequest; main: SignedAttempt }>;
  close(): Promise<void>;
}

/** Blocks within which a submitted transaction is final, when the kit makes them. */
const enoughBlocks = 64;
/** Transactions within which an action is done. */
const enoughSteps = 32;

/** Sets a stage for one check. */
export function createStage(definition: AdapterDefinition, harness: ConformanceHarness): Stage {
  const patience = harness.patience ?? timing.patience;
  const end = new AbortController();
  const open: LedgerSession[] = [];
  const secrets = harness.ledger.nodes.flatMap(({ uri }) => {
    const url = URL.parse(uri);
    return url === null ? [] : [url.password].filter((text) => text !== '');
  });

  const stage: Stage = {
    definition,
    harness,
    patience,
    async open(properties = {}, signal = end.signal) {
      const host: AdapterHost = {
        now: Date.now,
        log(_level, event, fields) {
          const text = `${event} ${JSON.stringify(structuredClone(fields ?? {}))}`;
          for (const secret of secrets)
            assert.ok(!text.includes(secret), `${event}: the log shows a credential`);
        },
        signal,
      };
      const ledger = {
        ...harness.ledger,
        properties: { ...harness.ledger.properties, ...properties },
      };
      const session = await inTime('open()', patience, () => definition.open(ledger, host));
      open.push(session);
      return overTheWire(session, { definition, secrets, patience });
    },
    async enter(properties) {
      const session = await stage.open(properties);
      const first = await session.createWallet({
        walletId: 'conformance',
        publicKey: harness.signer.publicKey,
        parameters: harness.walletParameters ?? {},
      });
      const wallet = await finishRounds(first, harness.signer.sign, (state, signatures) =>
        session.advanceWallet({ state, signatures }),
      );
      return { session, wallet };
    },
    sample(name) {
      const found = harness.samples[name];
      assert.ok(found !== undefined, `the harness has no sample '${name}'`);
      return found;
    },
    hook(name) {
      const found = harness.hooks?.[name];
      assert.ok(found !== undefined, `the harness has no hook '${name}'`);
      return found;
    },
    operation() {
      const { transfer, call, deploy } = harness.samples;
      const found = transfer ?? call ?? deploy;
      assert.ok(found !== undefined, 'the harness has no sample that can be executed');
      return found;
    },
    check: ({ session, wallet }, operation) => session.check({ wallet, operation }),
    async plan(actor, operation, ahead = 0, others = []) {
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
      };
      if (definition.capabilities.sequence === 'none') return request;
      const [next] = await session.sequences([wallet.address]);
      assert.equal(typeof next, 'bigint', 'sequences() gives a bigint for each address');
      return { ...request, sequence: (next ?? 0n) + BigInt(ahead) };
    },
    async sign(actor, operation, ahead) {
      const request = await stage.plan(actor, operation, ahead);
      const attempts = await prepareAndSign(actor.session, request, harness.signer.sign);
      const [main] = attempts;
      assert.ok(main !== undefined, 'prepare() gives at least one attempt');
      assert.ok(
        main.validUntil === undefined || harness.samples.expiring !== undefined,
        "its transaction expires: the harness needs the sample 'expiring'",
      );
      return { request, main, attempts };
    },
    pending({ wallet }, { sequence }, attempts) {
      const one = { address: wallet.address, ...(sequence === undefined ? {} : { sequence }) };
      return new Map(
        attempts.map(({ txId, validUntil }) => [
          txId,
          validUntil === undefined ? one : { ...one, validUntil },
        ]),
      );
    },
    async settle({ session }, pending, from = null) {
      const outcomes = new Map<string, Outcome>();
      const until = Date.now() + patience;
      let cursor = from;
      for (let blocks = 0; outcomes.size < pending.size || cursor === null; blocks += 1) {
        const left = new Map([...pending].filter(([txId]) => !outcomes.has(txId)));
        const give = `${left.size} of ${pending.size} transactions have no outcome`;
        if (harness.hooks?.mine !== undefined) {
          assert.ok(blocks < enoughBlocks, `${give} after ${enoughBlocks} blocks`);
          await harness.hooks.mine(1);
        } else {
          assert.ok(Date.now() < until, `${give} after ${patience} ms`);
          if (blocks > 0) await delay(timing.poll);
        }
        const confirmed = await session.confirm({ cursor, pending: left });
        for (const outcome of confirmed.outcomes) {
          assert.ok(
            left.has(outcome.txId),
            `confirm() gave an outcome for ${outcome.txId}, which is not pending`,
          );
          outcomes.set(outcome.txId, outcome);
        }
        cursor = confirmed.cursor;
      }
      return { outcomes, cursor };
    },
    async execute(actor, operation) {
      const first = await stage.sign(actor, operation);
      return stage.carryOut(actor, first.request, first.main);
    },
    async carryOut(actor, first, firstMain) {
      const { session } = actor;
      let [request, main] = [first, firstMain];
      for (let steps = 0; steps < enoughSteps; steps += 1) {
        const notes = assertTaken(await session.submit([{ ...main, first: true }]));
        const note = notes.get(main.txId);
        const pending = new Map(
          [...stage.pending(actor, request, [main])].map(([txId, one]) => [
            txId,
            note === undefined ? one : { ...one, note },
          ]),
        );
        const { outcomes, cursor } = await stage.settle(actor, pending);
        const outcome = outcomes.get(main.txId);
        assert.ok(outcome !== undefined, `confirm() gave no outcome for ${main.txId}`);
        if (outcome.status !== 'continue' && outcome.status !== 'expired') return { main, outcome, cursor };
        ({ request, main } = await stage.goOn(actor, request, main, outcome));
      }
      throw new assert.AssertionError({ message: `an action goes on after ${enoughSteps} transactions` });
    },
    async goOn({ session }, former, last, outcome) {
      const request = outcome.status === 'continue' ? await planned(former, last, outcome) : former;
      const [main] = await prepareAndSign(session, request, harness.signer.sign);
      assert.ok(main !== undefined && main.txId !== last.txId, 'each step has a transaction of its own');
      return { request, main };
    },
    async close() {
      end.abort();
      const parts = new AsyncDisposableStack();
      parts.defer(() => harness.close());
      for (const session of open) parts.defer(() => inTime('close()', patience, () => session.close()));
      await parts.disposeAsync();
    },
  };
  return stage;
}

/** By the plan of the outcome, after its delay. */
async function planned(
  former: PrepareRequest,
  last: SignedAttempt,
  { plan, delay: pause }: Outcome & { status: 'continue' },
): Promise<PrepareRequest> {
  assert.equal(last.mayContinue, true, 'a transaction whose outcome is continue said that it may be');
  if (pause !== undefined) await delay(pause);
  return { ...former, plan: stored(plan) };
}

/** Fails unless every answer says that the node has the transaction. Answers the ledger's own ids of them. */
export function assertTaken(
  answers: readonly { txId: string; status: string; problem?: unknown; note?: string }[],
): Map<string, string> {
  for (const { txId, status, problem } of answers) {
    assert.ok(
      status === 'accepted' || status === 'known',
      `submit() of ${txId} answered ${status}: ${JSON.stringify(problem ?? null)}`,
    );
  }
  return new Map(answers.flatMap(({ txId, note }) => (note === undefined ? [] : [[txId, note]])));
}

/** JSON as the host's database gives it back. */
export function stored(plan: JsonObject): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(plan);
  } catch (cause) {
    throw new assert.AssertionError({ message: `a plan is JSON, this one is not: ${String(cause)}` });
  }
  const parsed: JsonObject = JSON.parse(text);
  assert.deepStrictEqual(parsed, plan, 'a plan is JSON: it comes back from the database as it was');
  return parsed;
}

function problemText(estimated: unknown): string {
  return JSON.stringify(estimated, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

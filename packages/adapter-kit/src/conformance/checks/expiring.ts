import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cursor, LedgerSession, Outcome, PendingTransaction, PrepareRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, hook, sample, sequences } from '../check.ts';
import type { SignedAttempt } from '../drive.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';
import { timing } from '../timing.ts';

const deep = 3;
/**
 * Maximum number of blocks until a transaction has expired. Generous, because a block may become final at a
 * greater depth than the ledger's `confirmations`.
 */
const latest = 64;
const needs = [sequences('none'), sample('expiring'), hook('mine')];

/** Checks about transactions that expire after a height. */
export const expiringChecks: readonly AdapterCheck[] = [
  {
    name: 'a transaction is reported as expired only once its last valid height has the required depth',
    needs,
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { session } = actor;
      const below = stage.harness.finalAtOnce === true ? 0 : deep - 1;
      const { request, main, validUntil } = await signExpiring(stage, actor);
      const pending = stage.pending(actor, request, [main]);
      await reach(stage, session, validUntil - 1);
      let cursor: Cursor | null = null;
      for (let past = 0; past <= latest; past += 1) {
        const confirmed = await session.confirm({ cursor, pending });
        ({ cursor } = confirmed);
        const [outcome] = confirmed.outcomes;
        if (outcome !== undefined) {
          assert.equal(outcome.status, 'expired');
          assert.ok(
            outcome.height > validUntil,
            `the transaction is reported as expired at ${outcome.height}, but it is valid until ${validUntil}`,
          );
          assert.ok(
            outcome.height <= confirmed.head.height - below,
            `the transaction is reported as expired at ${outcome.height}, which is not final yet`,
          );
          assert.ok(outcome.blockHash !== '', 'the outcome does not contain its block hash');
          return;
        }
        await reach(stage, session, confirmed.head.height + 1);
      }
      assert.fail(`the transaction is valid until ${validUntil}, but did not expire`);
    },
  },
  {
    name: 'an expired transaction is never executed, even if it is sent again and again',
    needs: [...needs, hook('executions')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { main, pending } = await letExpire(stage, actor);
      for (const everyNode of [false, true, false]) {
        await session.submit([{ ...main, everyNode }]);
        await stage.hook('mine')(1);
      }
      assert.equal(await stage.hook('executions')(main.txId), 0, 'the expired transaction was executed');
      assert.equal((await soon(stage, session, pending)).get(main.txId)?.status, 'expired');
    },
  },
  {
    name: 'a transaction that is executed at its last valid height succeeds and does not expire',
    needs,
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { session } = actor;
      const { request, main, validUntil } = await signExpiring(stage, actor);
      const pending = stage.pending(actor, request, [main]);
      await reach(stage, session, validUntil - 1);
      assertTaken(await session.submit([{ ...main, first: true }]));
      const { outcomes } = await stage.settle(actor, pending);
      const outcome = outcomes.get(main.txId);
      assert.equal(outcome?.status, 'succeeded');
      const { height } = outcome;
      assert.ok(height !== undefined, 'the outcome has no height, which is required if transactions expire');
      assert.ok(
        height <= validUntil,
        `the transaction was executed at ${height}, but was valid until ${validUntil}`,
      );
    },
  },
  {
    name: 'a new session reports which transactions expired and which succeeded',
    needs,
    async run(stage) {
      const actor = await stage.enter();
      const sent = await signExpiring(stage, actor);
      assertTaken(await actor.session.submit([sent.main]));
      const { main, pending } = await letExpire(stage, actor);
      await actor.session.close();
      const session = await stage.open();
      const both = new Map([...pending, ...stage.pending(actor, sent.request, [sent.main])]);
      const outcomes = await soon(stage, session, both);
      assert.equal(outcomes.get(sent.main.txId)?.status, 'succeeded');
      assert.equal(outcomes.get(main.txId)?.status, 'expired');
    },
  },
  {
    name: 'after a transaction expires, preparing its plan again creates a different transaction, which is executed',
    needs,
    async run(stage) {
      const actor = await stage.enter();
      const { request, main, outcome } = await letExpire(stage, actor);
      const next = await stage.goOn(actor, request, main, outcome);
      const { outcome: end } = await stage.carryOut(actor, next.request, next.main);
      assert.equal(end.status, 'succeeded');
    },
  },
];

async function signExpiring(stage: Stage, actor: Actor) {
  const { request, main } = await stage.sign(actor, stage.sample('expiring'));
  const { validUntil } = main;
  assert.ok(Number.isSafeInteger(validUntil), 'the transaction has no last valid height');
  return { request, main, validUntil: validUntil ?? 0 };
}

/** A transaction that was signed, never sent, and has expired. */
interface Expired {
  request: PrepareRequest;
  main: SignedAttempt;
  pending: Map<string, PendingTransaction>;
  outcome: Outcome & { status: 'expired' };
}

/** Signs a transaction without sending it, and waits until it has expired. */
export async function letExpire(stage: Stage, actor: Actor): Promise<Expired> {
  const { request, main, validUntil } = await signExpiring(stage, actor);
  const pending = stage.pending(actor, request, [main]);
  await reach(stage, actor.session, validUntil);
  const outcome = (await stage.settle(actor, pending)).outcomes.get(main.txId);
  assert.ok(
    outcome?.status === 'expired',
    `the transaction was not sent, but its outcome is ${outcome?.status}`,
  );
  return { request, main, pending, outcome };
}

/** Mines until the session's newest block has this height. */
async function reach(stage: Stage, session: LedgerSession, height: number): Promise<void> {
  const newest = async () => (await session.confirm({ cursor: null, pending: new Map() })).head.height;
  const missing = height - (await newest());
  if (missing > 0) await stage.hook('mine')(missing);
  const until = Date.now() + stage.patience;
  while ((await newest()) < height) {
    assert.ok(Date.now() < until, `block ${height} was mined, but the session does not return it`);
    await delay(timing.poll);
  }
}

/** Returns the outcomes that a session without a cursor reports after reading the available blocks. */
async function soon(
  stage: Stage,
  session: LedgerSession,
  pending: ReturnType<Stage['pending']>,
): Promise<Map<string, Outcome>> {
  const until = Date.now() + stage.patience;
  for (;;) {
    const { outcomes } = await session.confirm({ cursor: null, pending });
    if (outcomes.length === pending.size) return new Map(outcomes.map((one) => [one.txId, one]));
    assert.ok(Date.now() < until, `only ${outcomes.length} of ${pending.size} transactions have an outcome`);
    await delay(timing.poll);
  }
}

import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cursor, LedgerSession, Outcome } from '@ledger-ops/adapter';
import { type AdapterCheck, hook, sample, sequences } from '../check.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';
import { timing } from '../timing.ts';

const deep = 3;
/** Blocks after which it has expired at the latest: what nothing undoes may be deeper than what outcomes are given in. */
const latest = 64;
const needs = [sequences('none'), sample('expiring'), hook('mine')];

/** Transactions that are valid up to a height: when they have expired, and what holds of them then. */
export const expiringChecks: readonly AdapterCheck[] = [
  {
    name: 'a transaction expires when the chain has passed its last height as deep as the ledger asks, and not before',
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
          assert.ok(outcome.height > validUntil, `expired at ${outcome.height}, valid until ${validUntil}`);
          assert.ok(outcome.height <= confirmed.head.height - below, `${outcome.height} is not final yet`);
          assert.ok(outcome.blockHash !== '', 'its block is named');
          return;
        }
        await reach(stage, session, confirmed.head.height + 1);
      }
      assert.fail(`it is valid until ${validUntil} and does not expire`);
    },
  },
  {
    name: 'a transaction that expired is never executed, however often its bytes are sent',
    needs: [...needs, hook('executions')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { main, pending } = await letExpire(stage, actor);
      for (const everyNode of [false, true, false]) {
        await session.submit([{ ...main, everyNode }]);
        await stage.hook('mine')(1);
      }
      assert.equal(await stage.hook('executions')(main.txId), 0, 'what expired was executed');
      assert.equal((await soon(stage, session, pending)).get(main.txId)?.status, 'expired');
    },
  },
  {
    name: 'a transaction that is executed at its last height has succeeded, and does not expire',
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
      assert.ok(outcome.height <= validUntil, `executed at ${outcome.height}, valid until ${validUntil}`);
    },
  },
  {
    name: 'a session that knows nothing of them says which transactions expired and which succeeded',
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
    name: 'what expired is prepared again by the same plan under the same id, as another transaction, and is executed',
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
  assert.ok(Number.isSafeInteger(validUntil), 'it says until which height it is valid');
  return { request, main, validUntil: validUntil ?? 0 };
}

/** Signs a transaction that is not sent, and waits until it has expired. */
async function letExpire(stage: Stage, actor: Actor) {
  const { request, main, validUntil } = await signExpiring(stage, actor);
  const pending = stage.pending(actor, request, [main]);
  await reach(stage, actor.session, validUntil);
  const outcome = (await stage.settle(actor, pending)).outcomes.get(main.txId);
  assert.ok(outcome?.status === 'expired', `it was not sent, and its outcome is ${outcome?.status}`);
  return { request, main, pending, outcome };
}

/** Makes blocks until the newest that the session shows is at this height. */
async function reach(stage: Stage, session: LedgerSession, height: number): Promise<void> {
  const newest = async () => (await session.confirm({ cursor: null, pending: new Map() })).head.height;
  const missing = height - (await newest());
  if (missing > 0) await stage.hook('mine')(missing);
  const until = Date.now() + stage.patience;
  while ((await newest()) < height) {
    assert.ok(Date.now() < until, `block ${height} was made, and the session does not show it`);
    await delay(timing.poll);
  }
}

/** The outcomes that a session gives without a cursor, once it has read what there is. */
async function soon(
  stage: Stage,
  session: LedgerSession,
  pending: ReturnType<Stage['pending']>,
): Promise<Map<string, Outcome>> {
  const until = Date.now() + stage.patience;
  for (;;) {
    const { outcomes } = await session.confirm({ cursor: null, pending });
    if (outcomes.length === pending.size) return new Map(outcomes.map((one) => [one.txId, one]));
    assert.ok(Date.now() < until, `${outcomes.length} of ${pending.size} transactions have an outcome`);
    await delay(timing.poll);
  }
}

import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { PrepareRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, hook, sample, sequences } from '../check.ts';
import { prepareAndSign } from '../drive.ts';
import { assertTaken } from '../stage.ts';
import { timing } from '../timing.ts';

/**
 * Checks about transactions without sequences: parallel preparation, several steps, permanent rejection,
 * secrets.
 */
export const independentChecks: readonly AdapterCheck[] = [
  {
    name: 'actions without sequences are prepared in parallel, each with a unique id, and executed in any order',
    needs: [anyOperation, sequences('none')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const request = await stage.plan(actor, stage.operation());
      const other = await stage.plan(actor, stage.operation());
      const sign = (one: PrepareRequest) => prepareAndSign(session, one, stage.harness.signer.sign);
      const [[first], [early]] = await Promise.all([sign(request), sign(other)]);
      assert.ok(
        first !== undefined && early !== undefined,
        "prepare() returned no transaction of kind 'main' for an action",
      );
      const { txId, claims = [] } = first;
      // If both actions hold the same claim, the host prepares the second again.
      const isTaken = early.claims?.some((claim) => claims.includes(claim)) === true;
      const [second] = isTaken ? await sign({ ...other, unsettled: [{ txId, claims }] }) : [early];
      assert.ok(
        second !== undefined,
        "prepare() returned no transaction of kind 'main' for the second action",
      );
      assert.notEqual(first.txId, second.txId, 'two actions of the same operation have the same id');
      for (const [one, main] of [[other, second] as const, [request, first] as const]) {
        const { outcome } = await stage.carryOut(actor, one, main);
        assert.equal(outcome.status, 'succeeded');
      }
    },
  },
  {
    name: "an action with several steps can continue in any session from the last outcome's plan, and completes exactly once",
    needs: [sample('steps'), sequences('none')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.sample('steps'));
      assert.equal(main.mayContinue, true, 'the first transaction does not have mayContinue');
      await actor.session.close();
      const session = await stage.open();
      const { outcome, main: last } = await stage.carryOut({ ...actor, session }, request, main);
      assert.equal(outcome.status, 'succeeded');
      assert.notEqual(last.txId, main.txId, 'the action took only one transaction');
    },
  },
  {
    name: 'a transaction that the ledger records as invalid is replaced by a new transaction, or fails as invalidated',
    needs: [anyOperation, sequences('none'), hook('invalidate')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      await stage.hook('invalidate')();
      const { outcome, main: last } = await stage.carryOut(actor, request, main);
      if (outcome.status === 'failed') assert.equal(outcome.problem.code, 'invalidated');
      else assert.notEqual(last.txId, main.txId, 'the invalid transaction is reported as the executed one');
    },
  },
  {
    name: 'a rejected transaction has a reason and never has an outcome',
    needs: [anyOperation, sequences('none'), hook('rejectForCertain'), hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { request, main } = await stage.sign(actor, stage.operation());
      await stage.hook('rejectForCertain')();
      let [answer] = await session.submit([{ ...main, first: true }]);
      // The node may return `refused` several times before the rejection is final.
      const until = Date.now() + stage.patience;
      while (answer?.status === 'refused' && Date.now() < until) {
        await delay(timing.poll);
        [answer] = await session.submit([main]);
      }
      assert.equal(answer?.status, 'rejected');
      assert.ok(answer.problem !== undefined, 'the rejection has no reason');
      await stage.hook('mine')(3);
      const { outcomes } = await session.confirm({
        cursor: null,
        pending: stage.pending(actor, request, [main]),
      });
      assert.deepStrictEqual(outcomes, []);
    },
  },
  {
    name: 'a secret is neither in the plan nor in the transaction, and nothing is prepared without it',
    needs: [sample('secret')],
    async run(stage) {
      const actor = await stage.enter();
      const { operation, text } = stage.sample('secret');
      const request = await stage.plan(actor, operation);
      assert.ok(request.secret !== undefined, 'check() did not return the secret separately');
      assert.ok(!JSON.stringify(request.plan).includes(text), 'the plan contains the secret');
      const [main] = await prepareAndSign(actor.session, request, stage.harness.signer.sign);
      assert.ok(main !== undefined, "prepare() returned no transaction of kind 'main'");
      assert.ok(!Buffer.from(main.bytes).includes(text), 'the transaction contains the secret');
      const { secret: _, ...without } = request;
      const [prepared] = await actor.session.prepare([without]).catch(() => [{ status: 'failed' as const }]);
      assert.equal(prepared?.status, 'failed', 'the action is prepared without its secret');
      assertTaken(await actor.session.submit([main]));
    },
  },
];

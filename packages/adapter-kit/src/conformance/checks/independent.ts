import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdapterCheck, anyOperation, hook, sample, sequences } from '../check.ts';
import { prepareAndSign } from '../drive.ts';
import { assertTaken } from '../stage.ts';
import { timing } from '../timing.ts';

/** Transactions without sequences: each by itself, in several steps, refused for good, with secrets. */
export const independentChecks: readonly AdapterCheck[] = [
  {
    name: 'actions without sequences are prepared side by side, each with an id of its own, and carried out in any order',
    needs: [anyOperation, sequences('none')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const request = await stage.plan(actor, stage.operation());
      const other = await stage.plan(actor, stage.operation());
      const sign = (one: typeof request) => prepareAndSign(session, one, stage.harness.signer.sign);
      const [[first], [second]] = await Promise.all([sign(request), sign(other)]);
      assert.ok(first !== undefined && second !== undefined, 'each has a main attempt');
      assert.notEqual(first.txId, second.txId, 'two actions of the same operation have ids of their own');
      for (const [one, main] of [[other, second] as const, [request, first] as const]) {
        const { outcome } = await stage.carryOut(actor, one, main);
        assert.equal(outcome.status, 'succeeded');
      }
    },
  },
  {
    name: 'an action of several steps is carried out by the plans of its outcomes, in any session, and ends once',
    needs: [sample('steps'), sequences('none')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.sample('steps'));
      assert.equal(main.mayContinue, true, 'the first transaction says that there may be another');
      await actor.session.close();
      const session = await stage.open();
      const { outcome, main: last } = await stage.carryOut({ ...actor, session }, request, main);
      assert.equal(outcome.status, 'succeeded');
      assert.notEqual(last.txId, main.txId, 'it took more than one transaction');
    },
  },
  {
    name: 'a transaction that came into its block as invalid is made again, or has failed as invalidated',
    needs: [anyOperation, sequences('none'), hook('invalidate')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      await stage.hook('invalidate')();
      const { outcome, main: last } = await stage.carryOut(actor, request, main);
      if (outcome.status === 'failed') assert.equal(outcome.problem.code, 'invalidated');
      else assert.notEqual(last.txId, main.txId, 'an invalid transaction executes nothing');
    },
  },
  {
    name: 'a transaction that was rejected says why, and never has an outcome',
    needs: [anyOperation, sequences('none'), hook('rejectForCertain'), hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { request, main } = await stage.sign(actor, stage.operation());
      await stage.hook('rejectForCertain')();
      let [answer] = await session.submit([{ ...main, first: true }]);
      // Proof may take a while, and more than one refusal.
      const until = Date.now() + stage.patience;
      while (answer?.status === 'refused' && Date.now() < until) {
        await delay(timing.poll);
        [answer] = await session.submit([main]);
      }
      assert.equal(answer?.status, 'rejected');
      assert.ok(answer.problem !== undefined, 'a rejection says why');
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
      assert.ok(request.secret !== undefined, 'check() gives what may not be stored in the clear apart');
      assert.ok(!JSON.stringify(request.plan).includes(text), 'the plan shows the secret');
      const [main] = await prepareAndSign(actor.session, request, stage.harness.signer.sign);
      assert.ok(main !== undefined, 'there is a main attempt');
      assert.ok(!Buffer.from(main.bytes).includes(text), 'the transaction shows the secret');
      const { secret: _, ...without } = request;
      const [prepared] = await actor.session.prepare([without]).catch(() => [{ status: 'failed' as const }]);
      assert.equal(prepared?.status, 'failed', 'without its secret nothing is prepared');
      assertTaken(await actor.session.submit([main]));
    },
  },
];

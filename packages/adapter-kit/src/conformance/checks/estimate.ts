import { strict as assert } from 'node:assert';
import { isTransient } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, sample, sequences } from '../check.ts';
import { type Stage, stored } from '../stage.ts';

const beyond = 1_000_000_000;

async function requestOf(
  stage: Stage,
  actor: Awaited<ReturnType<Stage['enter']>>,
  operation = stage.operation(),
) {
  const { plan } = await stage.check(actor, operation);
  return { wallet: actor.wallet, plan: stored(plan), minHeight: 0 };
}

export const estimateChecks: readonly AdapterCheck[] = [
  {
    name: 'the estimate of a valid operation is ready, with a plan that is JSON and a cost',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const [estimated] = await actor.session.estimate([await requestOf(stage, actor)]);
      assert.ok(estimated?.status === 'ready', `the estimate is ${estimated?.status} instead of ready`);
      stored(estimated.plan);
      const { cost = 0n } = estimated;
      assert.ok(typeof cost === 'bigint' && cost >= 0n, 'the cost is not a quantity');
    },
  },
  {
    name: 'an estimated plan can be estimated again, because hosts do this if prepare() has to wait',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const request = await requestOf(stage, actor);
      const [first] = await actor.session.estimate([request]);
      assert.ok(first?.status === 'ready', `the estimate is ${first?.status} instead of ready`);
      const [second] = await actor.session.estimate([{ ...request, plan: stored(first.plan) }]);
      assert.ok(second?.status === 'ready', `the second estimate is ${second?.status} instead of ready`);
      stored(second.plan);
      const { cost = 0n } = second;
      assert.ok(typeof cost === 'bigint' && cost >= 0n, 'the cost is neither a quantity nor absent');
    },
  },
  {
    name: "estimating a call that the contract rejects fails with 'reverted' and does not affect other estimates",
    // Without sequences, a rejection during signing leaves no gap, so an estimate need not detect it.
    needs: [sample('refusedCall'), anyOperation, sequences('account')],
    async run(stage) {
      const actor = await stage.enter();
      const good = await requestOf(stage, actor);
      const refused = await requestOf(stage, actor, stage.sample('refusedCall'));
      const answers = await actor.session.estimate([refused, good, refused]);
      assert.deepStrictEqual(
        answers.map((answer) => answer.status),
        ['failed', 'ready', 'failed'],
        'the responses are not in the order of the requests',
      );
      const [first] = answers;
      assert.ok(first?.status === 'failed');
      assert.equal(first.problem.code, 'reverted');
    },
  },
  {
    name: 'an estimate waits if the node does not have the block that it needs',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const request = await requestOf(stage, actor);
      const [estimated] = await actor.session.estimate([{ ...request, minHeight: beyond }]);
      assert.ok(estimated?.status === 'wait', `the estimate is ${estimated?.status} instead of wait`);
      assert.ok(isTransient(estimated.problem), `the code ${estimated.problem.code} is not retryable`);
    },
  },
];

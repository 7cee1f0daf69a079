import { strict as assert } from 'node:assert';
import type { FeeRaise, PrepareRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, capability, hook, sample, sequences } from '../check.ts';
import { prepareAndSign } from '../drive.ts';
import { type Actor, type Stage, stored } from '../stage.ts';
import { letExpire } from './expiring.ts';

const needs = [sequences('none'), capability('raisesExpired'), sample('expiring')];
const reasons = ['expired', 'hurried'] as const;
/** Number of raises after which any fee has reached the ledger's cap, even if each raise adds only 25%. */
const enough = 64;

/** Checks about fees that are raised after a transaction has expired. */
export const raisingChecks: readonly AdapterCheck[] = [
  {
    name: 'after a transaction expires, preparing the action again with a raised fee creates a transaction that pays more and is executed',
    needs: [...needs, hook('mine')],
    async run(stage) {
      for (const reason of reasons) {
        const actor = await stage.enter();
        const { request, main, outcome } = await letExpire(stage, actor);
        const { raised, cost } = await raise(actor, request, { reason });
        const next = await stage.goOn(actor, raised, main, outcome);
        assert.ok(
          next.main.cost > main.cost,
          `${reason}: the next transaction does not cost more than the first (${next.main.cost}, not more than ${main.cost})`,
        );
        assert.ok(
          cost !== undefined && cost >= next.main.cost,
          `${reason}: the estimated cost ${cost} is below the cost of the transaction, ${next.main.cost}`,
        );
        const { outcome: end } = await stage.carryOut(actor, next.request, next.main);
        assert.equal(end.status, 'succeeded');
      }
    },
  },
  {
    name: "a raised fee exceeds neither the request's cap nor the ledger's cap",
    needs,
    async run(stage) {
      const actor = await stage.enter();
      let request = await stage.plan(actor, stage.sample('expiring'));
      const first = await costOf(stage, actor, request);
      for (const reason of reasons) {
        const { raised } = await raise(actor, request, { reason, cap: 0n });
        const cost = await costOf(stage, actor, raised);
        assert.ok(cost <= first, `${reason}: with a cap of 0 the cost rises from ${first} to ${cost}`);
      }
      let [before, raises] = [-1n, 0];
      for (let cost = first; cost > before; raises += 1) {
        assert.ok(raises < enough, `after ${raises} raises the cost still rises, from ${before} to ${cost}`);
        before = cost;
        request = (await raise(actor, request, { reason: 'hurried' })).raised;
        cost = await costOf(stage, actor, request);
      }
    },
  },
];

/** Estimates the plan again and raises the fee. */
async function raise(
  { session, wallet }: Actor,
  request: PrepareRequest,
  how: FeeRaise,
): Promise<{ raised: PrepareRequest; cost: bigint | undefined }> {
  const [estimated] = await session.estimate([{ wallet, plan: request.plan, minHeight: 0, raise: how }]);
  assert.ok(
    estimated?.status === 'ready',
    `the estimate of a plan with a raised fee is ${estimated?.status} instead of ready`,
  );
  return { raised: { ...request, plan: stored(estimated.plan) }, cost: estimated.cost };
}

/** Returns the maximum amount that a transaction from this plan takes from the wallet. */
async function costOf(stage: Stage, { session }: Actor, request: PrepareRequest): Promise<bigint> {
  const [main] = await prepareAndSign(session, request, stage.harness.signer.sign);
  assert.ok(main !== undefined, 'prepare() returned no attempt');
  return main.cost;
}

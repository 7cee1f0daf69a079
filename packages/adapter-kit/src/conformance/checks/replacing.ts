import { strict as assert } from 'node:assert';
import type { LateTransaction, PrepareRequest, Replaced, ReplaceRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, capability, hook } from '../check.ts';
import { type SignedAttempt, signAttempt } from '../drive.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';

const onDemand = capability('onDemandReplacement');

/** A transaction as the host describes one that is late. */
function late(request: PrepareRequest, signed: readonly SignedAttempt[]): LateTransaction {
  const { sequence } = request;
  assert.ok(sequence !== undefined, 'what can be replaced has a sequence');
  return {
    ...request,
    sequence,
    signed: signed.map(({ kind, txId, bytes }) => ({ kind, txId, bytes })),
  };
}

async function replace({ session }: Actor, requests: ReplaceRequest[]): Promise<Replaced[]> {
  assert.ok(session.replace !== undefined, 'the session has replace()');
  return session.replace(requests);
}

async function inspect({ session }: Actor, request: LateTransaction) {
  assert.ok(session.inspect !== undefined, 'the session has inspect()');
  const [answer] = await session.inspect([request]);
  assert.ok(answer !== undefined, 'inspect() answers');
  return answer;
}

/** The attempt of an answer, signed. */
async function signed(stage: Stage, actor: Actor, answer: Replaced | undefined): Promise<SignedAttempt> {
  assert.ok(answer?.status === 'prepared', `a replacement is made, the answer is ${answer?.status}`);
  const { kind, round } = answer.attempt;
  return { kind, ...(await signAttempt(actor.session, round, stage.harness.signer.sign)) };
}

/** The clauses of `replace` and `inspect`. */
export const replacingChecks: readonly AdapterCheck[] = [
  {
    name: 'what can be replaced when it is needed is not signed beforehand',
    needs: [anyOperation, onDemand],
    async run(stage) {
      const actor = await stage.enter({ replace_after: 1 });
      const { attempts } = await stage.sign(actor, stage.operation());
      assert.deepStrictEqual(
        attempts.map(({ kind }) => kind),
        ['main'],
      );
    },
  },
  {
    name: 'a transaction that offers what the ledger asks is enough, and one that is raised all the same takes its place',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      const one = { ...late(request, [main]), kind: 'bump' } as const;
      const [asked, always] = await replace(actor, [
        { ...one, raise: 'if-asked' },
        { ...one, raise: 'always' },
      ]);
      assert.equal(asked?.status, 'enough', 'nothing more is asked');
      const bump = await signed(stage, actor, always);
      assert.equal(bump.kind, 'bump');
      assert.notEqual(bump.txId, main.txId, 'it has an id of its own');
      assertTaken(await actor.session.submit([bump]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main, bump]));
      assert.equal(outcomes.get(bump.txId)?.status, 'succeeded', 'the raised one is mined');
      assert.equal(outcomes.get(main.txId)?.status, 'superseded', 'it took the place of the first');
    },
  },
  {
    name: 'a no-op made when it is needed takes the place of all that is signed, and then nothing of the action happens',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await session.submit([main]));
      const [raised] = await replace(actor, [{ ...late(request, [main]), kind: 'bump', raise: 'always' }]);
      const bump = await signed(stage, actor, raised);
      assertTaken(await session.submit([bump]));
      const { transfer } = stage.harness.samples;
      const watch = async () => {
        if (transfer === undefined || !stage.definition.capabilities.balance) return [];
        return session.balances([await session.normaliseAddress(transfer.recipient)]);
      };
      const before = await watch();
      const [closing] = await replace(actor, [
        { ...late(request, [main, bump]), kind: 'noop', raise: 'if-asked' },
      ]);
      const noop = await signed(stage, actor, closing);
      assert.equal(noop.kind, 'noop');
      assertTaken(await session.submit([noop]));
      const all = [main, bump, noop];
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, all));
      assert.deepStrictEqual(
        all.map(({ txId }) => outcomes.get(txId)?.status),
        ['superseded', 'superseded', 'succeeded'],
      );
      assert.deepStrictEqual(await watch(), before, 'the no-op moves nothing');
    },
  },
  {
    name: 'a no-op is made for a sequence at which nothing is signed, and takes its place in turn when it is raised',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { request } = await stage.sign(actor, stage.operation());
      const [empty] = await replace(actor, [{ ...late(request, []), kind: 'noop', raise: 'always' }]);
      const first = await signed(stage, actor, empty);
      assert.equal(first.kind, 'noop');
      assertTaken(await actor.session.submit([first]));
      const [higher] = await replace(actor, [{ ...late(request, [first]), kind: 'noop', raise: 'always' }]);
      const second = await signed(stage, actor, higher);
      assert.notEqual(second.txId, first.txId, 'it has an id of its own');
      assertTaken(await actor.session.submit([second]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [first, second]));
      assert.deepStrictEqual(
        [first, second].map(({ txId }) => outcomes.get(txId)?.status),
        ['superseded', 'succeeded'],
      );
    },
  },
  {
    name: 'where the ledger asks more than what is signed offers, a replacement is made that it takes',
    needs: [anyOperation, onDemand, hook('mine'), hook('raiseFees')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      await stage.hook('raiseFees')();
      const [raised] = await replace(actor, [{ ...late(request, [main]), kind: 'bump', raise: 'if-asked' }]);
      const bump = await signed(stage, actor, raised);
      const [again] = await replace(actor, [
        { ...late(request, [main, bump]), kind: 'bump', raise: 'if-asked' },
      ]);
      assert.equal(again?.status, 'enough', 'what was raised offers what is asked');
      assertTaken(await actor.session.submit([bump]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main, bump]));
      assert.equal(outcomes.get(bump.txId)?.status, 'succeeded');
    },
  },
  {
    name: "a replacement above the caller's cap waits, and spoils no other",
    needs: [anyOperation, onDemand],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const one = { ...late(request, [main]), kind: 'bump', raise: 'always' } as const;
      const [capped, free] = await replace(actor, [{ ...one, cap: 1n }, one]);
      assert.equal(capped?.status, 'wait', 'the cap is kept to');
      assert.equal(capped.problem.code, 'fee-above-cap');
      assert.equal(free?.status, 'prepared');
    },
  },
  {
    name: 'what a node has is shown, in its pool and in a block, and what none has is absent',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const one = late(request, [main]);
      assert.equal((await inspect(actor, one)).status, 'absent', 'it was never sent');
      assertTaken(await actor.session.submit([{ ...main, everyNode: true }]));
      assert.equal((await inspect(actor, one)).status, 'shown', 'it waits for a block');
      await stage.settle(actor, stage.pending(actor, request, [main]));
      assert.equal((await inspect(actor, one)).status, 'shown', 'it is in a block');
    },
  },
  {
    name: 'what every node forgot is absent, until it is sent again',
    needs: [anyOperation, onDemand, hook('mine'), hook('forget')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      await stage.hook('forget')();
      assert.equal((await inspect(actor, late(request, [main]))).status, 'absent');
      assertTaken(await actor.session.submit([{ ...main, everyNode: true }]));
      assert.equal((await inspect(actor, late(request, [main]))).status, 'shown');
    },
  },
];

import { strict as assert } from 'node:assert';
import type { LateTransaction, PrepareRequest, Replaced, ReplaceRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, capability, hook, sequences } from '../check.ts';
import { type SignedAttempt, signAttempt } from '../drive.ts';
import { type Actor, assertTaken } from '../stage.ts';

const onDemand = capability('onDemandReplacement');

/** Returns a late transaction as the host passes it to `replace`. */
function late(request: PrepareRequest, signed: readonly SignedAttempt[]): LateTransaction {
  const { earlier: _, ...late } = request;
  return {
    ...late,
    signed: signed.map(({ kind, txId, bytes, claims }) => ({
      ...{ kind, txId, bytes },
      ...(claims === undefined ? {} : { claims }),
    })),
  };
}

async function replace({ session }: Actor, requests: ReplaceRequest[]): Promise<Replaced[]> {
  assert.ok(session.replace !== undefined, 'the session has no replace()');
  return session.replace(requests);
}

async function inspect({ session }: Actor, request: LateTransaction) {
  assert.ok(session.inspect !== undefined, 'the session has no inspect()');
  const [answer] = await session.inspect([request]);
  assert.ok(answer !== undefined, 'inspect() answers');
  return answer;
}

/** Signs the transaction that `replace` returned. */
async function signed(actor: Actor, answer: Replaced | undefined): Promise<SignedAttempt> {
  assert.ok(answer?.status === 'prepared', `no replacement was created; the response is ${answer?.status}`);
  const { kind, round } = answer.attempt;
  return { kind, ...(await signAttempt(actor.session, round, actor.signer.sign)) };
}

/** Creates and signs a replacement that raises the fee. */
export async function replaceSigned(
  actor: Actor,
  {
    request,
    signed: earlier,
    kind,
  }: { request: PrepareRequest; signed: readonly SignedAttempt[]; kind: 'bump' | 'noop' },
): Promise<SignedAttempt> {
  const [answer] = await replace(actor, [{ ...late(request, earlier), kind, raise: 'always' }]);
  return signed(actor, answer);
}

/** Checks about `replace` and `inspect`. */
export const replacingChecks: readonly AdapterCheck[] = [
  {
    name: 'prepare() returns no replacements if transactions can be replaced on demand',
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
    name: 'a fee that is high enough needs no replacement, but a forced fee bump still replaces the transaction',
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
      assert.equal(
        asked?.status,
        'enough',
        "replace() with `if-asked` did not return 'enough', although no node required a higher fee",
      );
      const bump = await signed(actor, always);
      assert.equal(bump.kind, 'bump');
      assert.notEqual(bump.txId, main.txId, 'the fee bump has the id of the main transaction');
      assertTaken(await actor.session.submit([bump]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main, bump]));
      assert.equal(outcomes.get(bump.txId)?.status, 'succeeded', 'the fee bump is not mined');
      assert.equal(
        outcomes.get(main.txId)?.status,
        'superseded',
        'the fee bump did not replace the main transaction',
      );
    },
  },
  {
    name: 'an empty transaction created on demand replaces all signed transactions of an action, and the action then has no effect',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await session.submit([main]));
      const [raised] = await replace(actor, [{ ...late(request, [main]), kind: 'bump', raise: 'always' }]);
      const bump = await signed(actor, raised);
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
      const noop = await signed(actor, closing);
      assert.equal(noop.kind, 'noop');
      assertTaken(await session.submit([noop]));
      const all = [main, bump, noop];
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, all));
      assert.deepStrictEqual(
        all.map(({ txId }) => outcomes.get(txId)?.status),
        ['superseded', 'superseded', 'succeeded'],
      );
      assert.deepStrictEqual(await watch(), before, 'the no-op changed a balance or a counter');
    },
  },
  {
    name: 'an empty transaction can fill an unused sequence, and another with a higher fee replaces it',
    needs: [anyOperation, onDemand, hook('mine'), sequences('account')],
    async run(stage) {
      const actor = await stage.enter();
      const { request } = await stage.sign(actor, stage.operation());
      const [empty] = await replace(actor, [{ ...late(request, []), kind: 'noop', raise: 'always' }]);
      const first = await signed(actor, empty);
      assert.equal(first.kind, 'noop');
      assertTaken(await actor.session.submit([first]));
      const [higher] = await replace(actor, [{ ...late(request, [first]), kind: 'noop', raise: 'always' }]);
      const second = await signed(actor, higher);
      assert.notEqual(second.txId, first.txId, 'the second transaction has the id of the first');
      assertTaken(await actor.session.submit([second]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [first, second]));
      assert.deepStrictEqual(
        [first, second].map(({ txId }) => outcomes.get(txId)?.status),
        ['superseded', 'succeeded'],
      );
    },
  },
  {
    name: 'if the ledger requires more than the signed fee, replace() creates a transaction that the ledger accepts',
    needs: [anyOperation, onDemand, hook('mine'), hook('raiseFees')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      await stage.hook('raiseFees')();
      const [raised] = await replace(actor, [{ ...late(request, [main]), kind: 'bump', raise: 'if-asked' }]);
      const bump = await signed(actor, raised);
      const [again] = await replace(actor, [
        { ...late(request, [main, bump]), kind: 'bump', raise: 'if-asked' },
      ]);
      assert.equal(again?.status, 'enough', 'the raised transaction does not pay the required fee');
      assertTaken(await actor.session.submit([bump]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main, bump]));
      assert.equal(outcomes.get(bump.txId)?.status, 'succeeded');
    },
  },
  {
    name: "a replacement that would exceed the caller's cap waits and does not affect other replacements",
    needs: [anyOperation, onDemand],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const one = { ...late(request, [main]), kind: 'bump', raise: 'always' } as const;
      const [capped, free] = await replace(actor, [{ ...one, cap: 1n }, one]);
      assert.equal(capped?.status, 'wait', 'the cap is exceeded');
      assert.equal(capped.problem.code, 'fee-above-cap');
      assert.equal(free?.status, 'prepared');
    },
  },
  {
    name: 'inspect() shows a transaction in a mempool or a block, and reports it as absent if no node has it',
    needs: [anyOperation, onDemand, hook('mine')],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const one = late(request, [main]);
      assert.equal(
        (await inspect(actor, one)).status,
        'absent',
        'a transaction that was never sent is shown',
      );
      assertTaken(await actor.session.submit([{ ...main, everyNode: true }]));
      assert.equal(
        (await inspect(actor, one)).status,
        'shown',
        'a sent transaction is not shown in the mempool',
      );
      await stage.settle(actor, stage.pending(actor, request, [main]));
      assert.equal(
        (await inspect(actor, one)).status,
        'shown',
        'a mined transaction is not shown in a block',
      );
    },
  },
  {
    name: 'a transaction that every node forgot is absent until it is sent again',
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

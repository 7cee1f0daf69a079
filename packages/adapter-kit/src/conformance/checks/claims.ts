import { strict as assert } from 'node:assert';
import type { ClaimingTransaction, Outcome } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, capability, hook, sequences } from '../check.ts';
import type { SignedAttempt } from '../drive.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';
import { createTestSigner } from '../test-signer.ts';
import { replaceSigned } from './replacing.ts';

const deep = 3;
const needs = [anyOperation, sequences('none'), hook('takeClaim'), hook('mine')];
const deposited = [anyOperation, sequences('none'), hook('deposit')];
const replaced = [...needs, capability('onDemandReplacement'), hook('mineWith')];

const claimsOf = ({ claims = [] }: SignedAttempt): readonly string[] => claims;
const shared = (first: SignedAttempt, second: SignedAttempt) =>
  claimsOf(first).filter((claim) => claimsOf(second).includes(claim));

/** Checks about claims: of the transactions that hold the same claim, at most one is executed. */
export const claimChecks: readonly AdapterCheck[] = [
  {
    name: 'a new transaction holds no claim of a signed transaction, even in another session and if the signed transaction was never sent',
    needs,
    async run(stage) {
      const actor = await stage.enter();
      const first = await stage.sign(actor, stage.operation());
      assert.ok(claimsOf(first.main).length > 0, 'the transaction has no claims');
      await actor.session.close();
      const later = { ...actor, session: await stage.open() };
      const second = await stage.sign(later, stage.operation());
      assert.deepStrictEqual(
        shared(first.main, second.main),
        [],
        'the second transaction shares a claim with the first',
      );
      assertTaken(await later.session.submit([second.main, first.main]));
      const pending = new Map(
        [first, second].flatMap(({ request, main }) => [...stage.pending(later, request, [main])]),
      );
      const { outcomes } = await stage.settle(later, pending);
      for (const { main } of [first, second]) assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
    },
  },
  {
    name: 'an external transaction at the required depth supersedes a pending transaction with the same claim, and the outcome names the claim',
    needs,
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { request, main } = await stage.sign(actor, stage.operation());
      const [claim = ''] = claimsOf(main);
      await stage.hook('takeClaim')(claim);
      const pending = stage.pending(actor, request, [main]);
      await stage.hook('mine')(stage.harness.finalAtOnce === true ? 0 : deep - 1);
      const early = await actor.session.confirm({ cursor: null, pending });
      if (stage.harness.finalAtOnce !== true)
        assert.deepStrictEqual(early.outcomes, [], 'there is an outcome before the required depth');
      const { outcomes } = await stage.settle(actor, pending, early.cursor);
      const outcome = supersededOf(outcomes, main);
      assert.equal(outcome.claim, claim);
      assert.ok(outcome.by !== main.txId, 'the transaction supersedes itself');
      const session = await stage.open({ confirmations: deep });
      const again = await session.confirm({ cursor: null, pending });
      assert.deepStrictEqual(again.outcomes, [outcome], 'a new session reports a different outcome');
    },
  },
  {
    name: 'a transaction is superseded if an external transaction takes a claim of a needed transaction, but not if the needed transaction is executed',
    needs,
    async run(stage) {
      const actor = await stage.enter();
      const kept = await signNeeding(stage, actor);
      assertTaken(await actor.session.submit([kept.needed.main]));
      await stage.settle(actor, kept.pendingNeeded);
      const early = await actor.session.confirm({ cursor: null, pending: kept.pendingNeeding });
      assert.deepStrictEqual(
        early.outcomes,
        [],
        'the transaction is superseded although the needed transaction was executed',
      );
      const taken = await signNeeding(stage, actor);
      const [claim = ''] = claimsOf(taken.needed.main);
      await stage.hook('takeClaim')(claim);
      const { outcomes } = await stage.settle(actor, taken.pendingNeeding, early.cursor);
      assert.equal(supersededOf(outcomes, taken.needing.main).claim, claim);
      const session = await stage.open();
      const again = await session.confirm({ cursor: null, pending: taken.pendingNeeding });
      assert.deepStrictEqual(
        again.outcomes,
        [...outcomes.values()],
        'a new session reports different outcomes',
      );
    },
  },
  {
    name: 'a transaction that spends a deposit lists the deposit and its parents from other parties, with their claims, in `needs`',
    needs: deposited,
    async run(stage) {
      const { main, deposits } = await spendDeposit(stage);
      assertNeeded(main, deposits);
    },
  },
  {
    name: 'a fee bump or empty transaction lists the deposits that it spends, and their parents, in `needs`',
    needs: [...deposited, capability('onDemandReplacement')],
    async run(stage) {
      const { actor, request, main, deposits } = await spendDeposit(stage);
      for (const kind of ['bump', 'noop'] as const)
        assertNeeded(await replaceSigned(actor, { request, signed: [main], kind }), deposits);
    },
  },
  {
    name: 'fee bumps and the empty transaction share a claim with every transaction that they replace',
    needs: [...needs, capability('onDemandReplacement')],
    async run(stage) {
      const actor = await stage.enter();
      const { main, bump, noop } = await signAll(stage, actor);
      const common = shared(main, bump).filter((claim) => claimsOf(noop).includes(claim));
      assert.ok(common.length > 0, 'the transactions of the action have no claim in common');
    },
  },
  {
    name: 'a replaced transaction that is confirmed first succeeds and supersedes its replacements',
    needs: replaced,
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { request, main, bump, noop } = await signAll(stage, actor);
      for (const one of [main, bump, noop]) assertTaken(await actor.session.submit([one]));
      await stage.hook('mineWith')(main.bytes);
      const pending = stage.pending(actor, request, [main, bump, noop]);
      const { outcomes } = await stage.settle(actor, pending);
      assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
      for (const one of [bump, noop]) {
        const { claim, by } = supersededOf(outcomes, one);
        assert.ok(
          claimsOf(one).includes(claim),
          'the outcome names a claim that the superseded transaction does not hold',
        );
        assert.equal(by, main.txId);
      }
    },
  },
  {
    name: 'a reorg that swaps a transaction and its replacement swaps their outcomes, even when reading from a stored cursor',
    needs: [...replaced, hook('reorganise')],
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { request, main, bump } = await signAll(stage, actor);
      for (const one of [main, bump]) assertTaken(await actor.session.submit([one]));
      await stage.hook('mineWith')(main.bytes);
      const pending = stage.pending(actor, request, [main, bump]);
      const before = await stage.settle(actor, pending);
      assert.equal(before.outcomes.get(main.txId)?.status, 'succeeded');
      const { head } = await actor.session.confirm({ cursor: null, pending: new Map() });
      await stage.hook('reorganise')(head.height - (before.outcomes.get(main.txId)?.height ?? 0) + 1);
      await stage.hook('mineWith')(bump.bytes);
      await stage.hook('mine')(deep + 1);
      const { outcomes, reorganised } = await actor.session.confirm({ cursor: before.cursor, pending });
      assert.ok(reorganised, 'confirm() does not report that the block at the cursor was removed');
      const after = new Map(outcomes.map((one) => [one.txId, one]));
      assert.equal(after.get(bump.txId)?.status, 'succeeded');
      assert.equal(supersededOf(after, main).by, bump.txId);
    },
  },
];

function supersededOf(outcomes: ReadonlyMap<string, Outcome>, { txId }: SignedAttempt) {
  const outcome = outcomes.get(txId);
  assert.ok(
    outcome?.status === 'superseded',
    `the outcome of ${txId} is ${outcome?.status} instead of superseded`,
  );
  return outcome;
}

/** Signs two transactions, and declares that the second one needs the first one. */
async function signNeeding(stage: Stage, actor: Actor) {
  const needed = await stage.sign(actor, stage.operation());
  const needing = await stage.sign(actor, stage.operation());
  const needs = [{ txId: needed.main.txId, claims: claimsOf(needed.main) }];
  return {
    needed,
    needing,
    pendingNeeded: stage.pending(actor, needed.request, [needed.main]),
    pendingNeeding: stage.pending(actor, needing.request, [{ ...needing.main, needs }]),
  };
}

/** Signs a transaction of a wallet whose only funds are a deposit. */
async function spendDeposit(stage: Stage) {
  const actor = await stage.enter({ confirmations: 1 }, createTestSigner(stage.definition.keyType));
  const deposits = await stage.hook('deposit')(actor.wallet.address);
  return { actor, deposits, ...(await stage.sign(actor, stage.operation())) };
}

function assertNeeded({ kind, needs = [] }: SignedAttempt, deposits: readonly ClaimingTransaction[]): void {
  for (const { txId, claims } of deposits) {
    const named = needs.find((one) => one.txId === txId);
    assert.ok(named !== undefined, `\`needs\` of the ${kind} transaction does not contain ${txId}`);
    assert.deepStrictEqual(
      named.claims.toSorted(),
      claims.toSorted(),
      `\`needs\` contains other claims of ${txId}`,
    );
  }
}

/** Signs a transaction, a fee bump and an empty transaction of one action. */
async function signAll(stage: Stage, actor: Actor) {
  const { request, main } = await stage.sign(actor, stage.operation());
  const bump = await replaceSigned(actor, { request, signed: [main], kind: 'bump' });
  const noop = await replaceSigned(actor, { request, signed: [main, bump], kind: 'noop' });
  return { request, main, bump, noop };
}

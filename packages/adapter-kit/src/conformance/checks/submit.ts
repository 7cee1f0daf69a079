import { strict as assert } from 'node:assert';
import type { SequencesOptions } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, effectsOnTheLedger, hook, sample, sequences } from '../check.ts';
import { assertTaken } from '../stage.ts';

/** Checks about sending signed bytes. */
export const submitChecks: readonly AdapterCheck[] = [
  {
    name: 'submitting the same bytes twice returns accepted or known each time, and executes the transaction once',
    needs: [
      sample('transfer'),
      {
        missing: ({ capabilities }) =>
          capabilities.balance
            ? undefined
            : 'this check needs balances to see that the transaction was executed',
      },
    ],
    async run(stage) {
      const actor = await stage.enter();
      const { session } = actor;
      const transfer = stage.sample('transfer');
      const account = await session.normaliseAddress(transfer.recipient);
      const [before = 0n] = await session.balances([account]);
      const { request, main } = await stage.sign(actor, transfer);
      assertTaken(await session.submit([main]));
      assertTaken(await session.submit([main]));
      await stage.settle(actor, stage.pending(actor, request, [main]));
      // For bytes that are already in a block, the node may return any status but must not execute them
      // again.
      await session.submit([main]);
      await stage.execute(actor, transfer);
      const [after = 0n] = await session.balances([account]);
      assert.equal(after - before, transfer.amount * 2n, 'two actions did not move exactly twice the amount');
    },
  },
  {
    name: 'the ledger executes bytes that are submitted twice only once',
    needs: [anyOperation, hook('executions')],
    proves: effectsOnTheLedger,
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      await actor.session.submit([main]);
      await actor.session.submit([main, main]);
      await stage.settle(actor, stage.pending(actor, request, [main]));
      assert.equal(await stage.hook('executions')(main.txId), 1);
    },
  },
  {
    name: 'another session submits and confirms the signed bytes of a closed session',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const pending = stage.pending(actor, request, [main]);
      await actor.session.close();
      const session = await stage.open();
      assertTaken(await session.submit([{ txId: main.txId, bytes: Uint8Array.from(main.bytes) }]));
      const { outcomes } = await stage.settle({ ...actor, session }, pending);
      assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
    },
  },
  {
    name: 'each submission has one response, in order, and invalid bytes do not affect other submissions',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      const garbage = { txId: `0x${'00'.repeat(32)}`, bytes: Uint8Array.of(1, 2, 3) };
      const answers = await actor.session.submit([garbage, main]);
      assert.deepStrictEqual(
        answers.map((answer) => answer.txId),
        [garbage.txId, main.txId],
      );
      assert.equal(answers[0]?.status, 'refused', 'invalid bytes are not refused');
      assert.ok(answers[0].problem !== undefined, 'the rejection has no reason');
      assertTaken(answers.slice(1));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main]));
      assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
    },
  },
  {
    name: 'actions of one wallet that are signed in advance and submitted together are all executed',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const signed = [];
      for (const ahead of [0, 1, 2]) signed.push(await stage.sign(actor, stage.operation(), ahead));
      assertTaken(await actor.session.submit(signed.map(({ main }) => main)));
      const pending = new Map(
        signed.flatMap(({ request, main }) => [...stage.pending(actor, request, [main])]),
      );
      assert.equal(pending.size, 3, 'two transactions have the same id');
      const { outcomes } = await stage.settle(actor, pending);
      for (const { request, main } of signed) {
        let outcome = outcomes.get(main.txId);
        // Two transactions of a wallet may conflict in a block. The host then prepares one of the two actions
        // again.
        if (outcome?.status === 'continue') {
          const next = await stage.goOn(actor, request, main, outcome);
          ({ outcome } = await stage.carryOut(actor, next.request, next.main));
        }
        assert.equal(outcome?.status, 'succeeded');
      }
    },
  },
  {
    name: 'sequences() counts the transactions up to the latest block',
    needs: [anyOperation, sequences('account')],
    async run(stage) {
      const actor = await stage.enter();
      const read = async (options?: SequencesOptions) =>
        (await actor.session.sequences([actor.wallet.address], options))[0];
      const before = await read();
      assert.equal(typeof before, 'bigint');
      await stage.execute(actor, stage.operation());
      await stage.execute(actor, stage.operation());
      assert.equal(await read(), (before ?? 0n) + 2n);
      const all = await read({ everyNode: true });
      assert.equal(
        all,
        (before ?? 0n) + 2n,
        'sequences({ everyNode: true }) returned a wrong count although all nodes responded',
      );
    },
  },
];

import { strict as assert } from 'node:assert';
import { type AdapterCheck, anyOperation, capability, hook, sequences } from '../check.ts';
import { prepareAndSign } from '../drive.ts';
import { requireProblem } from '../problem.ts';
import { assertTaken } from '../stage.ts';
import { createTestSigner } from '../test-signer.ts';

/**
 * Ledger properties that make the adapter sign replacements in advance, even if it could create them on
 * demand.
 */
const replacing = { replace_after: 1, presigned_replacements: true };

/** Checks about signing rounds and signed transactions. */
export const signingChecks: readonly AdapterCheck[] = [
  {
    name: 'the same request and signatures produce the same bytes and ids in every session',
    needs: [anyOperation, sequences('account')],
    async run(stage) {
      const actor = await stage.enter(replacing);
      const { request, attempts } = await stage.sign(actor, stage.operation());
      assert.deepStrictEqual(
        await prepareAndSign(actor.session, request, stage.harness.signer.sign),
        attempts,
        'repeating the round in the same session returns other attempts',
      );
      const other = await stage.open(replacing);
      assert.deepStrictEqual(
        await prepareAndSign(other, request, stage.harness.signer.sign),
        attempts,
        'another session returns other attempts',
      );
    },
  },
  {
    name: 'another session can continue signing rounds, and repeating a round produces the same transaction id',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const request = await stage.plan(actor, stage.operation());
      const [prepared] = await actor.session.prepare([request]);
      assert.ok(prepared?.status === 'prepared', 'a valid plan was not prepared');
      await actor.session.close();
      const session = await stage.open();
      const finish = async () => {
        let round = prepared.attempts[0]?.round;
        while (round?.done === false) {
          const signatures = round.requests.map(stage.harness.signer.sign);
          [round] = await session.advance([{ state: structuredClone(round.state), signatures }]);
        }
        assert.ok(round !== undefined, "prepare() returned no transaction of kind 'main'");
        return round.result.txId;
      };
      assert.equal(await finish(), await finish());
    },
  },
  {
    name: 'prepare() returns one main transaction, then fee bumps, then one empty transaction, each with its own id',
    needs: [anyOperation, capability('replacement')],
    async run(stage) {
      const actor = await stage.enter(replacing);
      const { attempts } = await stage.sign(actor, stage.operation());
      const kinds = attempts.map((attempt) => attempt.kind).join(' ');
      assert.match(kinds, /^main( bump)* noop$/, `the attempts are not main, bumps and noop: ${kinds}`);
      assert.equal(new Set(attempts.map((attempt) => attempt.txId)).size, attempts.length, 'ids differ');
    },
  },
  {
    name: 'prepare() returns only the main transaction if the ledger does not support replacements',
    needs: [
      anyOperation,
      {
        missing: ({ capabilities }) =>
          capabilities.replacement ? "the adapter declares the capability 'replacement'" : undefined,
      },
    ],
    async run(stage) {
      const actor = await stage.enter(replacing);
      const { attempts } = await stage.sign(actor, stage.operation());
      assert.deepStrictEqual(
        attempts.map((attempt) => attempt.kind),
        ['main'],
      );
    },
  },
  {
    name: 'the empty transaction can replace the main transaction, and the action then has no effect',
    needs: [anyOperation, capability('replacement')],
    async run(stage) {
      const actor = await stage.enter(replacing);
      const { request, main, attempts } = await stage.sign(actor, stage.operation());
      const noop = attempts.at(-1);
      assert.ok(
        noop?.kind === 'noop',
        "the last signed attempt is not of kind 'noop' (an empty transaction that replaces the main one)",
      );
      const { transfer } = stage.harness.samples;
      const watch = async () => {
        if (transfer === undefined || !stage.definition.capabilities.balance) return [];
        return actor.session.balances([await actor.session.normaliseAddress(transfer.recipient)]);
      };
      const before = await watch();
      await actor.session.submit([noop]);
      const pending = stage.pending(actor, request, attempts);
      const { outcomes } = await stage.settle(actor, pending);
      assert.equal(outcomes.get(noop.txId)?.status, 'succeeded', 'the no-op is not mined');
      assert.equal(
        outcomes.get(main.txId)?.status,
        'superseded',
        'the empty transaction did not replace the main transaction',
      );
      assert.deepStrictEqual(await watch(), before, 'the no-op changed a balance or a counter');
    },
  },
  {
    name: 'each attempt can replace the previous attempt, and only the last attempt is executed',
    needs: [anyOperation, capability('replacement'), hook('mine')],
    async run(stage) {
      const actor = await stage.enter(replacing);
      const { request, attempts } = await stage.sign(actor, stage.operation());
      for (const attempt of attempts) assertTaken(await actor.session.submit([attempt]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, attempts));
      const last = attempts.length - 1;
      for (const [index, { txId, kind }] of attempts.entries()) {
        const expected = index === last ? 'succeeded' : 'superseded';
        assert.equal(outcomes.get(txId)?.status, expected, `attempt ${index} (${kind})`);
      }
    },
  },
  {
    name: 'a transaction takes at most its reported cost from the wallet',
    needs: [anyOperation, capability('balance')],
    async run(stage) {
      const actor = await stage.enter();
      const { session, wallet } = actor;
      const [before = 0n] = await session.balances([wallet.address]);
      const operation = stage.operation();
      const { main, outcome } = await stage.execute(actor, operation);
      const [after = 0n] = await session.balances([wallet.address]);
      const taken = before - after;
      assert.ok(taken <= main.cost, `${taken} was taken, but the maximum cost was ${main.cost}`);
      if (operation.type === 'transfer' && outcome.status === 'succeeded' && outcome.fee !== undefined) {
        assert.equal(
          taken,
          operation.amount + outcome.fee,
          'the amount taken is not the sum of the amount and the fee',
        );
      }
    },
  },
  {
    name: 'transactions with signatures of a wrong key or length are never executed',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const request = await stage.plan(actor, stage.operation());
      const stranger = createTestSigner(stage.definition.keyType);
      for (const sign of [stranger.sign, () => new Uint8Array(7)]) {
        const attempts = await prepareAndSign(actor.session, request, sign).catch((error: unknown) => {
          requireProblem(error, 'advance() with a wrong signature');
          return [];
        });
        const answers = await actor.session.submit(attempts).catch((error: unknown) => {
          requireProblem(error, 'submit() with a wrong signature');
          return [];
        });
        for (const { status } of answers) assert.equal(status, 'refused');
      }
    },
  },
];

import { strict as assert } from 'node:assert';
import { type RemoteOperation, submissionMessage } from '@ledger-ops/adapter/cloud-wallet';
import { z } from 'zod';
import { all, type CloudWalletCheck, hook, ledgerState, ownFunds } from './check.ts';
import { execute } from './checks-transactions.ts';
import { type RemoteStage, read, type TestWallet } from './stage.ts';

const proves = 'effects on the ledger';
const effects = ({ harness: { samples } }: RemoteStage) =>
  samples.effects === undefined ? "the harness has no sample 'effects'" : undefined;
const refusal = ({ harness: { samples } }: RemoteStage) =>
  samples.refused === undefined ? "the harness has no sample 'refused'" : undefined;

/** Requires that the sample `operation` is a transfer. */
const transfer = (stage: RemoteStage) =>
  transferOf(stage) === undefined ? "the sample 'operation' is not a transfer" : undefined;

/** Returns the amount of the sample `operation`, and the sample with another amount; undefined if it is not a transfer. */
function transferOf({ harness: { samples } }: RemoteStage) {
  const parsed = transferMessage.safeParse(samples.operation.glo);
  if (!parsed.success) return undefined;
  const { options } = parsed.data;
  return {
    amount: BigInt(options.amount),
    of: (amount: bigint): RemoteOperation => ({
      ...samples.operation,
      glo: { ...parsed.data, options: { ...options, amount: String(amount) } },
    }),
  };
}

const transferMessage = z.looseObject({
  type: z.literal('transfer'),
  options: z.looseObject({ amount: z.union([z.string().regex(/^(0x[0-9a-f]+|[0-9]+)$/i), z.int()]) }),
});

/** Sizes of integers to which programs shorten amounts, in bits. */
const integerBits = [32n, 64n];

async function stateOf({ harness: { hooks } }: RemoteStage, account: string): Promise<string> {
  const state = await hooks?.state?.(account);
  assert.ok(state !== undefined);
  return state.trim();
}

/**
 * Returns the accounts in the sample `effects`, each with its current state and the amount that one execution
 * adds.
 */
async function observe(stage: RemoteStage, wallet: TestWallet) {
  const effects = stage.harness.samples.effects ?? [];
  const named = effects.map(({ account, adds }) => ({
    account: account === 'wallet:0' ? wallet.address : account,
    adds: BigInt(adds),
  }));
  const seen = [];
  for (const one of named) seen.push({ ...one, before: await stateOf(stage, one.account) });
  return { seen, before: await stateOf(stage, wallet.address) };
}

/** Fails unless the ledger shows exactly this number of executions since `observe`. */
async function assertEffects(
  stage: RemoteStage,
  wallet: TestWallet,
  { seen, before }: Awaited<ReturnType<typeof observe>>,
  times: number,
): Promise<void> {
  for (const one of seen) {
    const after = BigInt(await stateOf(stage, one.account));
    const expected = BigInt(one.before) + one.adds * BigInt(times);
    assert.equal(
      after,
      expected,
      `the ledger shows ${after} for ${one.account}, but ${expected} is expected after ${times} ${times === 1 ? 'execution' : 'executions'}`,
    );
  }
  const after = await stateOf(stage, wallet.address);
  assert.notEqual(after, before, "the ledger contains no change of the sender's account");
}

/**
 * Checks that read effects from the ledger itself, because a plugin could report effects that do not exist.
 */
export const ledgerChecks: readonly CloudWalletCheck[] = [
  {
    name: 'as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    proves,
    missing: all(ledgerState, ownFunds),
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const observed = await observe(stage, wallet);
      await execute(stage, wallet);
      await assertEffects(stage, wallet, observed, 1);
    },
  },
  {
    name: 'the ledger executes an action once, even if it is sent many times and again after completion',
    proves,
    missing: all(ledgerState, effects, ownFunds),
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const observed = await observe(stage, wallet);
      const body = stage.sending(wallet, stage.harness.samples.operation);
      const answers = await Promise.all(Array.from({ length: 8 }, () => stage.send(body)));
      for (const { txId } of answers) {
        const { status, problem } = await stage.settled(txId);
        assert.equal(status, 'SUCCEEDED', JSON.stringify(problem));
      }
      const late = await stage.send(body);
      await stage.settled(late.txId);
      // If the ledger executed a repeated request, it would do so before the wallet's next action. So this action
      // reveals it.
      await execute(stage, wallet);
      await assertEffects(stage, wallet, observed, 2);
    },
  },
  {
    name: 'rejected and FAILED operations have no effect on the ledger',
    proves,
    missing: all(ledgerState, effects, refusal, ownFunds),
    async run(stage) {
      const { refused, operation } = stage.harness.samples;
      assert.ok(refused !== undefined);
      const wallet = await stage.fundedWallet();
      const { body } = await execute(stage, wallet);
      const observed = await observe(stage, wallet);
      const wrong = stage.sending({ ...wallet, secret: `${wallet.secret}-wrong` }, operation);
      const changed = { ...stage.sending(wallet, stage.harness.samples.other), actionId: body.actionId };
      for (const refusedBody of [wrong, changed])
        assert.notEqual((await stage.request('POST', '/transactions', refusedBody)).status, 200);
      const answer = await stage.request('POST', '/transactions', stage.sending(wallet, refused));
      if (answer.status === 200) {
        const { txId } = read(submissionMessage, answer, 200, 'sendTransaction');
        assert.equal((await stage.settled(txId)).status, 'FAILED');
      }
      // The ledger would execute the earlier operations before this one. So only this one may have an effect.
      await execute(stage, wallet);
      await assertEffects(stage, wallet, observed, 1);
    },
  },
  {
    name: 'an amount of more than 32 or 64 bits is never shortened',
    proves,
    missing: all(ledgerState, effects, ownFunds, transfer),
    async run(stage) {
      const sample = transferOf(stage);
      assert.ok(sample !== undefined);
      for (const bits of integerBits) {
        const wallet = await stage.fundedWallet();
        const { seen } = await observe(stage, wallet);
        const amount = sample.amount + 2n ** bits;
        const body = stage.sending(wallet, sample.of(amount));
        const answer = await stage.request('POST', '/transactions', body);
        // The plugin may refuse the amount, the ledger may lack the funds, or the whole amount is transferred.
        if (answer.status === 200)
          await stage.settled(read(submissionMessage, answer, 200, 'sendTransaction').txId);
        for (const { account, adds, before } of seen) {
          const change = BigInt(await stateOf(stage, account)) - BigInt(before);
          assert.notEqual(
            change,
            adds,
            `a transfer of ${amount} changed ${account} by ${change}, like a transfer of ${sample.amount}`,
          );
        }
      }
    },
  },
  {
    name: 'the ledger executes an action once if the plugin crashes while processing the action',
    proves,
    missing: all(ledgerState, effects, ownFunds, hook('crash')),
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const observed = await observe(stage, wallet);
      const body = stage.sending(wallet, stage.harness.samples.operation);
      const { txId } = await stage.send(body);
      const moved = await stage.harness.hooks?.crash?.();
      if (moved !== undefined) stage.move(moved.url);
      assert.equal((await stage.settled(txId)).status, 'SUCCEEDED');
      await stage.settled((await stage.send(body)).txId);
      await execute(stage, wallet);
      await assertEffects(stage, wallet, observed, 2);
    },
  },
];

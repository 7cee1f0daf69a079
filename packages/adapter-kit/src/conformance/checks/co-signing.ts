import { strict as assert } from 'node:assert';
import type { Checked, ResolvedOperation, WalletIdentity } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, capability, sample, sequences } from '../check.ts';
import { finishRounds, prepareAndSign, type Sign } from '../drive.ts';
import type { Actor, Stage } from '../stage.ts';

const needs = [sequences('none'), capability('coSigners'), sample('coSigned')];

/** Checks about operations that other wallets also sign or pay for. */
export const coSigningChecks: readonly AdapterCheck[] = [
  {
    name: 'a wallet that the operation does not name does not sign',
    needs: [anyOperation],
    async run(stage) {
      assert.ok(
        stage.definition.capabilities.coSigners !== true || stage.harness.samples.coSigned !== undefined,
        "the capability 'coSigners' is declared: the harness needs the sample 'coSigned'",
      );
      const actor = await stage.enter();
      const request = await stage.plan(actor, stage.operation());
      await prepareAndSign(actor.session, request, (asked) => {
        assert.equal(
          asked.signer,
          undefined,
          "prepare() requested a signature of a wallet other than the sender's",
        );
        return stage.harness.signer.sign(asked);
      });
    },
  },
  {
    name: 'an operation that exactly its named wallets sign succeeds',
    needs,
    async run(stage) {
      const cast = await gather(stage);
      const { asked, main, request } = await signTogether(stage, cast);
      const named = cast.others.map(({ address }) => address).sort();
      assert.deepStrictEqual(
        [...asked].sort(),
        named,
        'the named wallets are not exactly those whose signatures were requested',
      );
      const { outcome } = await stage.carryOut(cast.actor, request, main);
      assert.equal(outcome.status, 'succeeded');
    },
  },
  {
    name: 'an operation that names a wallet is rejected if the request omits the wallet',
    needs,
    async run(stage) {
      const { actor, others, operation } = await gather(stage);
      const { wallet, session } = actor;
      for (const missing of others) {
        const rest = others.filter((other) => other !== missing);
        await assert.rejects(
          session.check({ wallet, others: rest, operation }),
          (error: { code?: string }) => error.code === 'invalid-argument',
        );
      }
    },
  },
  {
    name: 'check() reports the maximum cost of a co-signer that pays the fee, and only this co-signer pays the fee',
    needs: [...needs, capability('balance')],
    async run(stage) {
      const { payer } = stage.sample('coSigned');
      if (payer === undefined) return;
      const cast = await gather(stage);
      const { actor, others, checked } = cast;
      const { address } = others[payer] ?? actor.wallet;
      const [cost] = (checked.costs ?? []).filter((one) => one.address === address);
      assert.ok(checked.costs?.every((one) => others.some((other) => other.address === one.address)));
      const balances = () => actor.session.balances([actor.wallet.address, address]);
      const { main, request } = await signTogether(stage, cast);
      const [own = 0n, before = 0n] = await balances();
      const { outcome } = await stage.carryOut(actor, request, main);
      assert.ok(outcome.status === 'succeeded', `the outcome is ${outcome.status} instead of succeeded`);
      const [left = 0n, after = 0n] = await balances();
      const paid = before - after;
      assert.ok(paid > 0n, 'the payer paid nothing');
      assert.ok(
        paid <= (cost?.amount ?? 0n),
        `the payer paid ${paid}, but check() reported ${cost?.amount ?? 0n}`,
      );
      assert.ok(
        own - left <= main.cost,
        `the wallet paid ${own - left}, but should have paid at most ${main.cost}`,
      );
      if (outcome.fee !== undefined) assert.equal(paid, outcome.fee, 'the payer did not pay exactly the fee');
    },
  },
];

interface Cast {
  actor: Actor;
  others: WalletIdentity[];
  signs: ReadonlyMap<string, Sign>;
  operation: ResolvedOperation;
  checked: Checked;
}

/** Creates all wallets whose signatures the sample needs. */
async function gather(stage: Stage): Promise<Cast> {
  const { signers, operation: operationOf } = stage.sample('coSigned');
  const actor = await stage.enter();
  const { session, wallet } = actor;
  const others: WalletIdentity[] = [];
  const signs = new Map<string, Sign>();
  for (const [index, { publicKey, sign }] of signers.entries()) {
    const first = await session.createWallet({
      ...{ walletId: `conformance-${index}`, publicKey },
      parameters: stage.harness.walletParameters ?? {},
    });
    const other = await finishRounds(first, sign, (state, signatures) =>
      session.advanceWallet({ state, signatures }),
    );
    others.push(other);
    signs.set(other.address, sign);
  }
  const operation = operationOf(others.map(({ address }) => address));
  const checked = await session.check({ wallet, others, operation });
  return { actor, others, signs, operation, checked };
}

/** Signs as a host does: with the requested wallet's key, and only if the operation names the wallet. */
async function signTogether(stage: Stage, { actor, others, signs, operation }: Cast) {
  const asked = new Set<string>();
  const request = await stage.plan(actor, operation, 0, others);
  const [main] = await prepareAndSign(actor.session, request, ({ signer, ...rest }) => {
    if (signer === undefined) return stage.harness.signer.sign(rest);
    const sign = signs.get(signer);
    assert.ok(
      sign !== undefined,
      `prepare() requested a signature of the wallet ${signer}, which the operation does not name`,
    );
    asked.add(signer);
    return sign(rest);
  });
  assert.ok(main !== undefined, 'prepare() returned no attempt');
  return { asked, main, request };
}

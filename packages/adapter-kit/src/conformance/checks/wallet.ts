import { strict as assert } from 'node:assert';
import { readSchema } from '@ledger-ops/glo-core';
import { type AdapterCheck, sample } from '../check.ts';
import { assertRefused } from '../problem.ts';

/** Checks about wallets and addresses. */
export const walletChecks: readonly AdapterCheck[] = [
  {
    name: 'createWallet() with the same public key returns the same JSON wallet in every session',
    needs: [],
    async run(stage) {
      const first = await stage.enter();
      const second = await stage.enter();
      assert.equal(second.wallet.address, first.wallet.address);
      assert.deepStrictEqual(second.wallet.aliases, first.wallet.aliases);
      assert.deepStrictEqual(
        JSON.parse(JSON.stringify(first.wallet)),
        first.wallet,
        'the wallet is not JSON',
      );
    },
  },
  {
    name: "a wallet's address is normalized",
    needs: [],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      assert.equal(await session.normaliseAddress(wallet.address), wallet.address);
    },
  },
  {
    name: "a wallet's address matches the pattern of the description",
    needs: [],
    async run(stage) {
      const { wallet } = await stage.enter();
      const { pattern, example } = stage.definition.description.addresses.account;
      const { issues } = readSchema({ type: 'string', pattern }).read(wallet.address);
      assert.deepStrictEqual(
        issues,
        [],
        `${wallet.address} does not have the form of the example ${example}`,
      );
    },
  },
  {
    name: 'a public key that is not on the curve is rejected as an invalid argument',
    needs: [],
    async run(stage) {
      const session = await stage.open();
      for (const publicKey of [new Uint8Array(), new Uint8Array(33), new Uint8Array(65).fill(4)]) {
        const request = { walletId: 'bad', publicKey, parameters: stage.harness.walletParameters ?? {} };
        await assertRefused(
          session.createWallet(request),
          `createWallet() with a public key of ${publicKey.length} bytes`,
          {
            codes: ['invalid-argument'],
            phase: 'wallet',
          },
        );
      }
    },
  },
  {
    name: 'equal addresses have the same normalized form, and invalid addresses are rejected',
    needs: [sample('addresses')],
    async run(stage) {
      const session = await stage.open();
      const { good, bad } = stage.sample('addresses');
      for (const { given, normal } of good) {
        assert.equal(await session.normaliseAddress(given), normal);
        assert.equal(await session.normaliseAddress(normal), normal);
      }
      for (const text of ['', ...bad]) {
        await assertRefused(session.normaliseAddress(text), `normaliseAddress(${JSON.stringify(text)})`, {
          codes: ['invalid-argument'],
        });
      }
    },
  },
];

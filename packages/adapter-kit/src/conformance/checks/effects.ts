import { strict as assert } from 'node:assert';
import type { OperationType } from '@ledger-ops/glo-core';
import { type AdapterCheck, declaredOperation, effectsOnTheLedger, hook, sample } from '../check.ts';

function executed(type: OperationType, name: 'transfer' | 'call' | 'deploy', clause: string): AdapterCheck {
  return {
    name: clause,
    needs: [declaredOperation(type), sample(name)],
    async run(stage) {
      const actor = await stage.enter();
      const { outcome } = await stage.execute(actor, stage.sample(name));
      assert.equal(
        outcome.status,
        'succeeded',
        `the outcome of a ${type} is ${outcome.status} instead of succeeded`,
      );
    },
  };
}

/**
 * Checks about the effects of operations: each declared type is executed, and the ledger itself contains the
 * effect.
 */
export const effectChecks: readonly AdapterCheck[] = [
  executed('transfer', 'transfer', 'executes a transfer, if the adapter declares this type'),
  executed('contract_call', 'call', 'executes a contract call, if the adapter declares this type'),
  executed('contract_deploy', 'deploy', 'executes a deployment, if the adapter declares this type'),
  {
    name: 'a transfer moves its amount from the wallet to the recipient exactly once',
    needs: [sample('transfer'), hook('balance')],
    proves: effectsOnTheLedger,
    async run(stage) {
      const actor = await stage.enter();
      const { recipient, amount } = stage.sample('transfer');
      const balances = () => Promise.all([recipient, actor.wallet.address].map(stage.hook('balance')));
      const [paidBefore = 0n, leftBefore = 0n] = await balances();
      const { outcome } = await stage.execute(actor, stage.sample('transfer'));
      const [paid = 0n, left = 0n] = await balances();
      assert.equal(paid - paidBefore, amount, 'the recipient did not get the amount');
      // If the outcome does not report the fee, checks only that the wallet paid at least the amount.
      if (outcome.status === 'succeeded' && outcome.fee !== undefined)
        assert.equal(
          leftBefore - left,
          amount + outcome.fee,
          'the wallet did not pay exactly the amount and the fee',
        );
      else assert.ok(leftBefore - left >= amount, 'the wallet paid less than the amount');
    },
  },
];

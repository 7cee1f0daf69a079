import { strict as assert } from 'node:assert';
import { type AdapterCheck, anyOperation, capability, sample, sequences } from '../check.ts';

/**
 * Checks about listing an account's transactions. Hosts use the list to detect transactions that they did not
 * store.
 */
export const listingChecks: readonly AdapterCheck[] = [
  {
    name: 'transactionsOf() lists only transactions that the wallet signed above the given height',
    needs: [sequences('none'), capability('listsTransactions'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { session, wallet } = actor;
      const { address } = wallet;
      const { main, outcome } = await stage.execute(actor, stage.operation());
      const { height } = outcome;
      assert.ok(
        height !== undefined,
        'the outcome has no height, which is required if transactions are listed',
      );
      const before = await session.transactionsOf?.({ address, since: height - 1 });
      assert.ok(before !== undefined, 'the adapter declares listsTransactions, but has no transactionsOf()');
      assert.ok(before.txIds.includes(main.txId), 'a transaction above the height is not listed');
      assert.ok(before.head >= height, 'the newest block is below the height of the transaction');
      assert.ok(before.completeTo <= before.head, 'completeTo is above the newest block');
      const { expiresBy = before.head } = before;
      assert.ok(expiresBy >= before.head, 'a transaction that was just signed is reported as expired');
      if (main.validUntil !== undefined)
        assert.ok(
          expiresBy >= main.validUntil,
          'expiresBy is below the last valid height of a signed transaction',
        );
      const after = await session.transactionsOf?.({ address, since: height });
      assert.ok(after?.txIds.includes(main.txId) === false, 'a transaction at or below the height is listed');
      const none = await session.transactionsOf?.({ address, since: null });
      assert.deepStrictEqual(none?.txIds, [], 'transactions are listed although no height is given');
    },
  },
  {
    name: 'signersOf() returns the wallet that signed, and no wallet for an unknown id',
    needs: [sequences('none'), capability('listsTransactions'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { session, wallet } = actor;
      const { main } = await stage.execute(actor, stage.operation());
      const unknown = `0x${'5a'.repeat(32)}`;
      const [signers, none] = (await session.signersOf?.([main.txId, unknown])) ?? [];
      assert.ok(signers?.includes(wallet.address), 'signersOf() does not return the wallet that signed');
      assert.equal(none, null, 'signersOf() returns signers of an id that the ledger never saw');
    },
  },
  {
    name: 'signersOf() does not return an account that only receives',
    needs: [sequences('none'), capability('listsTransactions'), sample('transfer')],
    async run(stage) {
      const actor = await stage.enter();
      const transfer = stage.sample('transfer');
      const { main } = await stage.execute(actor, transfer);
      const recipient = await actor.session.normaliseAddress(transfer.recipient);
      const [signers] = (await actor.session.signersOf?.([main.txId])) ?? [];
      assert.ok(
        signers?.includes(recipient) === false,
        'signersOf() returns the recipient, which did not sign',
      );
    },
  },
];

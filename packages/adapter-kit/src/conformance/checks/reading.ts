import { strict as assert } from 'node:assert';
import {
  type AdapterCheck,
  anyOperation,
  capability,
  sample,
  sequences,
  withoutCapability,
} from '../check.ts';
import { assertRefused } from '../problem.ts';

/** Checks about balances, emulation and lookups, and about adapters without these capabilities. */
export const readingChecks: readonly AdapterCheck[] = [
  {
    name: 'balances are returned in the order of the addresses, and change after a transfer',
    needs: [capability('balance'), sample('transfer')],
    async run(stage) {
      const actor = await stage.enter();
      const { session, wallet } = actor;
      const transfer = stage.sample('transfer');
      const account = await session.normaliseAddress(transfer.recipient);
      const [own = 0n, before = 0n] = await session.balances([wallet.address, account]);
      await stage.execute(actor, transfer);
      const [after = 0n, less = 0n] = await session.balances([account, wallet.address]);
      assert.equal(after - before, transfer.amount, "the recipient's balance did not grow by the amount");
      assert.ok(own - less >= transfer.amount, "the wallet's balance did not fall by at least the amount");
    },
  },
  {
    name: 'emulating a view method returns its decoded result',
    needs: [capability('emulation'), sample('view')],
    async run(stage) {
      const { session } = await stage.enter();
      const { operation, result } = stage.sample('view');
      assert.deepStrictEqual((await session.emulate({ operation })).result, result);
    },
  },
  {
    name: "emulating a call that the contract rejects fails with 'reverted'",
    needs: [capability('emulation'), sample('refusedCall')],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      const operation = stage.sample('refusedCall');
      await assertRefused(session.emulate({ wallet, operation }), 'emulate() of a rejected call', {
        codes: ['reverted'],
        phase: 'emulate',
      });
    },
  },
  {
    name: 'emulating a call to a system contract is rejected, with and without a wallet, unless the request allows it',
    needs: [capability('emulation'), sample('systemCall')],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      const operation = stage.sample('systemCall');
      const expected = { codes: ['system-contract'], phase: 'emulate' } as const;
      await assertRefused(session.emulate({ operation }), 'emulate() of a system contract', expected);
      await assertRefused(session.emulate({ wallet, operation }), 'emulate() with a wallet', expected);
      if (stage.definition.capabilities.signedEmulation === true && session.emulateAs !== undefined) {
        await assertRefused(session.emulateAs({ wallet, operation }), 'emulateAs()', expected);
      }
      await session.emulate({ operation, systemContracts: true });
    },
  },
  {
    name: 'an emulation with a wallet returns a fee if the ledger has fees, and changes nothing',
    needs: [capability('emulation'), capability('balance'), anyOperation],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      const before = await session.balances([wallet.address]);
      const { fee } = await session.emulate({ wallet, operation: stage.operation() });
      assert.equal(typeof fee, 'bigint', 'the fee is not returned');
      await stage.harness.hooks?.mine?.(1);
      assert.deepStrictEqual(await session.balances([wallet.address]), before);
    },
  },
  {
    name: 'lookup() finds a final transaction by its id, and returns null for an unknown id',
    needs: [capability('lookup'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { main, outcome } = await stage.execute(actor, stage.operation());
      const found = await actor.session.lookup(main.txId);
      assert.ok(found !== null, 'a transaction that has an outcome is not found');
      assert.deepStrictEqual(
        { txId: found.txId, status: found.status, height: found.height, blockHash: found.blockHash },
        { txId: main.txId, status: 'SUCCEEDED', height: outcome.height, blockHash: outcome.blockHash },
      );
      assert.ok(outcome.status === 'succeeded', 'the transaction is not reported as succeeded');
      assert.deepStrictEqual(
        { fee: found.fee, blockTime: found.blockTime },
        { fee: outcome.fee, blockTime: outcome.blockTime },
        'lookup() returns a different fee or block time than confirm()',
      );
      assert.equal(
        await actor.session.lookup(`0x${'5a'.repeat(32)}`),
        null,
        'lookup() finds an id that the ledger never saw',
      );
    },
  },
  {
    name: 'the signers and effect that lookup() returns match the plan, and transactionAt() finds the transaction',
    needs: [capability('lookup'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { session, wallet } = actor;
      const { request, main: signed } = await stage.sign(actor, stage.operation());
      const { main } = await stage.carryOut(actor, request, signed);
      const found = await session.lookup(main.txId);
      // These members are optional. Without them, users cannot mark an action as executed by an external
      // transaction.
      if (found?.effect === undefined) return;
      const { sender, signers = [sender] } = found;
      assert.ok(
        sender !== undefined && signers.includes(wallet.address),
        'the wallet that signed is neither the sender nor one of the signers',
      );
      assert.deepStrictEqual(
        found.sequence,
        request.sequence,
        'the sequence differs from that of the request',
      );
      for (const [name, value] of Object.entries(found.effect))
        assert.deepStrictEqual(
          value,
          request.plan[name],
          `effect.${name} differs from the value in the plan`,
        );
      if (session.transactionAt === undefined || request.sequence === undefined) return;
      const at = await session.transactionAt({ address: wallet.address, sequence: request.sequence });
      assert.ok(at === null || at === main.txId, 'transactionAt() returns a different transaction');
    },
  },
  {
    name: 'lookup() of a failed transaction returns the failure with its problem',
    needs: [capability('lookup'), sample('failing')],
    async run(stage) {
      const actor = await stage.enter();
      const { main } = await stage.execute(actor, stage.sample('failing'));
      const found = await actor.session.lookup(main.txId);
      assert.equal(found?.status, 'FAILED');
      assert.ok(found.problem !== undefined, 'the problem is missing');
    },
  },
  ...(['emulation', 'lookup', 'balance'] as const).map((power): AdapterCheck => {
    const method = { emulation: 'emulate', lookup: 'lookup', balance: 'balances' } as const;
    return {
      name: `${method[power]}() without the capability '${power}' is rejected as unsupported-operation`,
      needs: power === 'emulation' ? [withoutCapability(power), anyOperation] : [withoutCapability(power)],
      async run(stage) {
        const { session, wallet } = await stage.enter();
        const calls = {
          emulation: () => session.emulate({ operation: stage.operation() }),
          lookup: () => session.lookup('0x00'),
          balance: () => session.balances([wallet.address]),
        };
        await assertRefused(calls[power](), `${method[power]}()`, { codes: ['unsupported-operation'] });
      },
    };
  }),
  {
    name: 'on a ledger without sequences, sequences() is rejected as unsupported-operation',
    needs: [sequences('none')],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      await assertRefused(session.sequences([wallet.address]), 'sequences()', {
        codes: ['unsupported-operation'],
      });
    },
  },
];

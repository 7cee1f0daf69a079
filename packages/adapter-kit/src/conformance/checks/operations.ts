import { strict as assert } from 'node:assert';
import type { JsonObject, PrepareRequest, ResolvedOperation } from '@ledger-ops/adapter';
import type { OperationType } from '@ledger-ops/glo-core';
import {
  type AdapterCheck,
  anyOperation,
  callWithInterface,
  contentThat,
  sample,
  undeclaredOperation,
} from '../check.ts';
import { assertRefused } from '../problem.ts';
import { type Stage, stored } from '../stage.ts';

function everySample({ harness: { samples } }: Stage): ResolvedOperation[] {
  const { transfer, call, deploy, refusedCall, failing } = samples;
  return [transfer, call, deploy, refusedCall, failing].filter((operation) => operation !== undefined);
}

function callOf(
  stage: Stage,
  name: string | undefined,
  args: (before: string[]) => string[],
): ResolvedOperation {
  const call = stage.sample('call');
  assert.ok(call.method !== undefined, "the sample 'call' does not name a method");
  return { ...call, method: { name: name ?? call.method.name, args: args(call.method.args) } };
}

/** Returns an operation with additional native content. */
function withContent(stage: Stage, content: JsonObject | undefined): ResolvedOperation {
  const operation = stage.operation();
  const { native } = operation;
  return { ...operation, native: { ...native, content: { ...native.content, ...content } } };
}

function undeclared(type: OperationType, address: string, technology: string): ResolvedOperation {
  const native = { technology, content: {} };
  switch (type) {
    case 'transfer':
      return { type, recipient: address, amount: 1n, native };
    case 'contract_call':
      return { type, contract: { address }, method: { name: 'x', args: [] }, value: 0n, native };
    case 'contract_deploy':
      return { type, source: { interface: '[]', code: '0x00' }, args: [], value: 0n, native };
  }
}

/** Checks of `check`: the operations that it accepts and rejects, and its results. */
export const operationChecks: readonly AdapterCheck[] = [
  {
    name: 'check() of a valid operation returns a JSON plan, a cost and normalized recipients',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      for (const operation of everySample(stage)) {
        const checked = await stage.check(actor, operation);
        stored(checked.plan);
        assert.ok(typeof checked.cost === 'bigint' && checked.cost >= 0n, 'the cost is not a quantity');
        assert.ok(
          ['ready', 'estimate'].includes(checked.readiness),
          `readiness ${checked.readiness} is unknown`,
        );
        assert.equal(checked.sequence, undefined, 'check() requires a sequence although meta names none');
        for (const recipient of checked.recipients) {
          assert.equal(
            await actor.session.normaliseAddress(recipient),
            recipient,
            'a recipient is not normalized',
          );
          assert.notEqual(recipient, actor.wallet.address, 'the wallet itself is among the recipients');
        }
      }
    },
  },
  {
    name: 'check() accepts a call to a contract that is not deployed yet, but the plan of this call cannot be prepared',
    needs: [sample('call'), sample('deploy')],
    async run(stage) {
      const actor = await stage.enter();
      const call = stage.sample('call');
      const checked = await stage.check(actor, { ...call, contract: { ...call.contract, address: null } });
      const request: PrepareRequest = {
        actionId: 'undeployed',
        wallet: actor.wallet,
        plan: stored(checked.plan),
      };
      const sequence = stage.definition.capabilities.sequence === 'account' ? { sequence: 0n } : {};
      const problem = await actor.session.prepare([{ ...request, ...sequence }]).then(
        ([prepared]) => prepared?.status,
        () => 'failed',
      );
      assert.equal(problem, 'failed', 'a plan without a target was prepared');
    },
  },
  {
    name: 'check() of a transfer returns the recipient, and a cost of at least the amount',
    needs: [sample('transfer')],
    async run(stage) {
      const actor = await stage.enter();
      const transfer = stage.sample('transfer');
      const checked = await stage.check(actor, transfer);
      const recipient = await actor.session.normaliseAddress(transfer.recipient);
      assert.deepStrictEqual(checked.recipients, [recipient]);
      if (stage.definition.capabilities.balance) {
        assert.ok(checked.cost >= transfer.amount, `the cost ${checked.cost} is below the amount`);
      }
    },
  },
  {
    name: 'check() changes nothing on the ledger',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { sequence, balance } = stage.definition.capabilities;
      const look = async () => [
        sequence === 'account' ? await actor.session.sequences([actor.wallet.address]) : [],
        balance ? await actor.session.balances([actor.wallet.address]) : [],
      ];
      const before = await look();
      for (const operation of everySample(stage)) await stage.check(actor, operation);
      await stage.harness.hooks?.mine?.(1);
      assert.deepStrictEqual(await look(), before);
    },
  },
  {
    name: 'each invalid sample operation is rejected with the expected code and position',
    needs: [sample('invalid')],
    async run(stage) {
      const actor = await stage.enter();
      for (const { why, operation, code, pointer } of stage.sample('invalid')) {
        await assertRefused(stage.check(actor, operation), `check() of an operation with ${why}`, {
          codes: [code],
          phase: 'check',
          issues: code === 'invalid-argument',
          ...(pointer === undefined ? {} : { pointer }),
        });
      }
    },
  },
  {
    name: 'an operation whose meta names another sender is rejected as wrong-sender',
    needs: [contentThat('otherSender'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const operation = withContent(stage, stage.sample('content').otherSender);
      await assertRefused(stage.check(actor, operation), 'check() with another sender', {
        codes: ['wrong-sender'],
        phase: 'check',
      });
    },
  },
  {
    name: 'an operation whose meta names another chain is rejected as wrong-chain',
    needs: [contentThat('otherChain'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const operation = withContent(stage, stage.sample('content').otherChain);
      await assertRefused(stage.check(actor, operation), 'check() with another chain', {
        codes: ['wrong-chain'],
        phase: 'check',
      });
    },
  },
  {
    name: 'check() returns the sequence that meta requires',
    needs: [contentThat('sequence'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const demanded = stage.sample('content').sequence;
      const operation = withContent(stage, demanded?.content);
      assert.equal((await stage.check(actor, operation)).sequence, demanded?.sequence);
    },
  },
  {
    name: 'a method that the contract does not have is rejected as unknown-method',
    needs: [callWithInterface],
    async run(stage) {
      const actor = await stage.enter();
      const operation = callOf(stage, 'noSuchMethodHere', (args) => args);
      await assertRefused(stage.check(actor, operation), 'check() of an unknown method', {
        codes: ['unknown-method'],
        phase: 'check',
      });
    },
  },
  {
    name: 'a wrong number of arguments is rejected as an invalid argument at /args',
    needs: [callWithInterface],
    async run(stage) {
      const actor = await stage.enter();
      const operation = callOf(stage, undefined, (args) => [...args, '1', '2', '3']);
      await assertRefused(stage.check(actor, operation), 'check() with too many arguments', {
        codes: ['invalid-argument', 'unknown-method'],
        phase: 'check',
        pointer: '/args',
      });
    },
  },
  {
    name: 'an undeclared operation is rejected as unsupported-operation',
    needs: [undeclaredOperation],
    async run(stage) {
      const actor = await stage.enter();
      const types = ['transfer', 'contract_call', 'contract_deploy'] as const;
      for (const type of types) {
        if (stage.definition.capabilities.operations.includes(type)) continue;
        const operation = undeclared(type, actor.wallet.address, stage.definition.technology);
        await assertRefused(stage.check(actor, operation), `check() of an undeclared ${type}`, {
          codes: ['unsupported-operation'],
          phase: 'check',
        });
      }
    },
  },
];

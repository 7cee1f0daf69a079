import { type AdapterErrorCode, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { ethereum } from '@ledger-ops/glo-core';
import type { SqlValue } from '@ledger-ops/store';
import { expect, test } from 'vitest';
import { planAction } from './plan.ts';
import { unresolvedParts } from './unresolved-operation.ts';

/** Plans a call to a deployed contract. The adapter's `check` fails with `code`. */
async function planned(code: AdapterErrorCode) {
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
  const session: LedgerSession = {
    ...(await memoryAdapter(createMemoryLedger()).open(ledger, host)),
    check: () => Promise.reject(adapterError(code, 'No.', { phase: 'check' })),
  };
  const read = {
    all: async <Row = Record<string, SqlValue>>() => [{ contract_address: '0x1' }] as Row[],
  };
  const operation = {
    type: 'contract_call',
    contract: { address: null },
    method: { name: 'set', args: [] },
    value: 0n,
    native: { technology: 'ethereum', content: {} },
  } as const;
  const plan = JSON.stringify(
    unresolvedParts(
      { deployedBy: 'deployment', operation: { ...operation, method: { name: 'set', args: [] } } },
      ethereum,
    ).plan,
  );
  return planAction(read, session, { plan, wallet: { address: 'a' }, secret: undefined });
}

test('a call waits if the node does not have the block with the contract’s deployment yet', async () => {
  expect(await planned('unknown-contract')).toEqual({
    status: 'wait',
    code: 'ledger-unavailable',
    reason: 'No.',
  });
});

test('a call fails if the contract does not have the method', async () => {
  expect(await planned('unknown-method')).toMatchObject({ status: 'failed' });
});

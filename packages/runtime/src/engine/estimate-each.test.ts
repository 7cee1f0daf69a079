import { adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter/memory';
import { expect, test } from 'vitest';
import { estimateEach } from './estimate-each.ts';

test('a plan that an adapter cannot read fails its own action only', async () => {
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
  const session: LedgerSession = {
    ...(await memoryAdapter(createMemoryLedger()).open(ledger, host)),
    async estimate(requests) {
      if (requests.some(({ plan }) => plan.broken === true))
        throw adapterError('invalid-argument', 'estimate', 'The plan is not one that this adapter made.');
      return requests.map(({ plan }) => ({ status: 'ready', plan, cost: 1n }));
    },
  };
  const request = (broken: boolean) => ({ wallet: { address: 'a' }, plan: { broken }, minHeight: 0 });
  const answers = await estimateEach(session, 'ledger', [request(false), request(true), request(false)]);
  expect(answers.map(({ status }) => status)).toEqual(['ready', 'failed', 'ready']);
});

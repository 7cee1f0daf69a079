import { type AdapterErrorCode, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { expect, test } from 'vitest';
import type { OpenLedger } from '../../open-ledger.ts';
import { defaultTiming } from '../../timing.ts';
import { estimateEach, withoutEstimate } from './estimate.ts';

test('a plan that the adapter cannot read fails only its own action', async () => {
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
  const definition = memoryAdapter(createMemoryLedger());
  const session: LedgerSession = {
    ...(await definition.open(ledger, host)),
    async estimate(requests) {
      if (requests.some(({ plan }) => plan.broken === true))
        throw adapterError('invalid-argument', 'The plan was not created by this adapter.', {
          phase: 'estimate',
        });
      return requests.map(({ plan }) => ({ status: 'ready', plan, cost: 1n }));
    },
  };
  const request = (broken: boolean) => ({ wallet: { address: 'a' }, plan: { broken }, minHeight: 0 });
  // Estimates use only these members of an open ledger.
  const open = { session, definition, record: { ledgerId: 'ledger' } } as OpenLedger;
  const answers = await estimateEach(defaultTiming, open, [request(false), request(true), request(false)]);
  expect(answers.map(({ status }) => status)).toEqual(['ready', 'failed', 'ready']);
});

const refusal = (code: AdapterErrorCode) => ({ code, phase: 'estimate', detail: 'No.' }) as const;

const isBehind = async () => true;
const isFirst = async () => false;
const mustNotBeCalled = async () => {
  throw new Error('This must not be called.');
};

test('an action whose estimate fails waits if pending actions of its wallet may change the result, and fails otherwise', async () => {
  const reverted = { status: 'failed', problem: refusal('reverted') } as const;
  expect(await withoutEstimate(reverted, isBehind)).toEqual({
    status: 'wait',
    code: 'earlier-actions',
    reason: 'No. This may change when an earlier action of the wallet completes.',
  });
  expect(await withoutEstimate(reverted, isFirst)).toMatchObject({
    status: 'failed',
    problem: { problem: 'reverted', message: 'No.' },
  });
});

test('an action with invalid arguments fails without waiting for earlier actions', async () => {
  const wrong = { status: 'failed', problem: refusal('invalid-argument') } as const;
  expect((await withoutEstimate(wrong, mustNotBeCalled)).status).toBe('failed');
});

test('an action with a temporary problem waits, even without earlier pending actions', async () => {
  const dear = { status: 'failed', problem: refusal('fee-above-cap') } as const;
  expect(await withoutEstimate(dear, mustNotBeCalled)).toMatchObject({ status: 'wait', reason: 'No.' });
  const later = { status: 'wait', problem: refusal('reverted') } as const;
  expect(await withoutEstimate(later, mustNotBeCalled)).toMatchObject({ status: 'wait', reason: 'No.' });
});

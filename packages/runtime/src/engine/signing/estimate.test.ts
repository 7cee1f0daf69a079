import { type AdapterErrorCode, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { expect, test } from 'vitest';
import type { OpenLedger } from '../../open-ledger.ts';
import { defaultTiming } from '../../timing.ts';
import { estimateEach, withoutEstimate } from './estimate.ts';

test('a plan that an adapter cannot read fails its own action only', async () => {
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
  const definition = memoryAdapter(createMemoryLedger());
  const session: LedgerSession = {
    ...(await definition.open(ledger, host)),
    async estimate(requests) {
      if (requests.some(({ plan }) => plan.broken === true))
        throw adapterError('invalid-argument', 'The plan is not one that this adapter made.', {
          phase: 'estimate',
        });
      return requests.map(({ plan }) => ({ status: 'ready', plan, cost: 1n }));
    },
  };
  const request = (broken: boolean) => ({ wallet: { address: 'a' }, plan: { broken }, minHeight: 0 });
  // The rest of an open ledger says nothing of estimates.
  const open = { session, definition, record: { ledgerId: 'ledger' } } as OpenLedger;
  const answers = await estimateEach(defaultTiming, open, [request(false), request(true), request(false)]);
  expect(answers.map(({ status }) => status)).toEqual(['ready', 'failed', 'ready']);
});

const refusal = (code: AdapterErrorCode) => ({ code, phase: 'estimate', detail: 'No.' }) as const;

const isBehind = async () => true;
const isFirst = async () => false;
const notAsked = async () => {
  throw new Error('It makes no difference.');
};

test('what earlier actions of the wallet may cure waits for them, and fails when there are none', async () => {
  const reverted = { status: 'failed', problem: refusal('reverted') } as const;
  expect(await withoutEstimate(reverted, isBehind)).toEqual({
    status: 'wait',
    code: 'earlier-actions',
    reason: 'No. An earlier action of the wallet, still under way, may change that.',
  });
  expect(await withoutEstimate(reverted, isFirst)).toMatchObject({
    status: 'failed',
    problem: { problem: 'reverted', message: 'No.' },
  });
});

test('no earlier action cures arguments that are wrong', async () => {
  const wrong = { status: 'failed', problem: refusal('invalid-argument') } as const;
  expect((await withoutEstimate(wrong, notAsked)).status).toBe('failed');
});

test('what time may cure waits, whoever is before it', async () => {
  const dear = { status: 'failed', problem: refusal('fee-above-cap') } as const;
  expect(await withoutEstimate(dear, notAsked)).toMatchObject({ status: 'wait', reason: 'No.' });
  const later = { status: 'wait', problem: refusal('reverted') } as const;
  expect(await withoutEstimate(later, notAsked)).toMatchObject({ status: 'wait', reason: 'No.' });
});

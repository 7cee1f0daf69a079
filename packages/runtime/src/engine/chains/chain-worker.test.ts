import { type SqlValue, StoreError } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import type { Vault } from '../../keys/types.ts';
import { deafMeter } from '../../meter.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { FencedStep } from './chain-context.ts';
import { createChainWorker } from './chain-worker.ts';

describeStores('the rows of a chain', (open) => {
  test('are read again after a commit without an answer, also one that ends while they are read', async () => {
    const store = await open();
    let readings = 0;
    let whileRead = async () => {};
    const all = async <Row extends Record<string, SqlValue>>(text: string, values?: readonly SqlValue[]) => {
      const rows = await store.read.all<Row>(text, values);
      if (text.includes('FROM attempt') && text.includes('action.change_cap')) {
        readings += 1;
        await whileRead();
      }
      return rows;
    };
    const worker = createChainWorker(
      {
        store: { ...store, read: { ...store.read, all } },
        // Nothing is signed here.
        vault: {} as Vault,
        ...{ log: () => {}, now: Date.now, timing: defaultTiming, faults: () => {} },
        ...{
          announce: () => {},
          wake: () => {},
          settled: () => {},
          meter: deafMeter,
          isSuspended: () => false,
          traces: createTraces(),
        },
      },
      'chain',
      'server',
    );
    await worker.renew();
    expect(readings).toBe(1);
    await worker.renew();
    expect(readings).toBe(1);

    const commitUnanswered = (step: FencedStep) =>
      worker.context.fenced(step, [], async () => {
        throw new StoreError('unavailable', 'The connection is lost.');
      });
    await expect(commitUnanswered('sign')).rejects.toThrow('lost');
    whileRead = async () => {
      whileRead = async () => {};
      await expect(commitUnanswered('settle')).rejects.toThrow('lost');
    };
    await worker.renew();
    expect(readings).toBe(2);
    await worker.renew();
    expect(readings).toBe(3);
    await worker.renew();
    expect(readings).toBe(3);
    // Whoever wants the ledger's own id of a transaction stored tries it again.
    await expect(commitUnanswered('note')).rejects.toThrow('lost');
    await worker.renew();
    expect(readings).toBe(3);
    await worker.stop();
  });
});

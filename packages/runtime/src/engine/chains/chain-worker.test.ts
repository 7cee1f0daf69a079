import { type SqlValue, type Store, StoreError } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import type { GrantVault } from '../../keys/vault.ts';
import { noMeter } from '../../meter.ts';
import { SmallActionBytes } from '../../rows/actions/small-action-bytes.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { FencedStep } from './chain-context.ts';
import { ChainWorker } from './chain-worker.ts';
import { UnservedPlugins } from './unserved-plugins.ts';

/** Returns a worker that signs nothing. */
const workerOn = (store: Store) =>
  new ChainWorker(
    {
      ...{ store, vault: {} as GrantVault, log: () => {}, now: Date.now, timing: defaultTiming },
      ...{ faults: () => {}, announce: () => {}, promotions: { remember: () => {} }, wake: () => {} },
      ...{ settled: () => {}, unserved: new UnservedPlugins(), isCurrent: true },
      ...{ actionBytes: new SmallActionBytes(store, Date.now), meter: noMeter },
      ...{ isSuspended: () => false, traces: createTraces() },
      dependents: { compareOf: async () => new Set(), compareAll: async () => new Set() },
    },
    'chain',
    'server',
  );

describeDialects('signed actions of a chain', (open) => {
  test('signed actions are read again after a commit with an unknown outcome, even if the commit happens during a read', async () => {
    const store = await open();
    let readings = 0;
    let whileRead = async () => {};
    const all = async <Row extends Record<string, SqlValue>>(text: string, values?: readonly SqlValue[]) => {
      const rows = await store.read.all<Row>(text, values);
      // Only the statement that reads the signed actions in flight contains this text.
      if (text.includes('action.change_cap, action.status')) {
        readings += 1;
        await whileRead();
      }
      return rows;
    };
    const worker = workerOn({ ...store, read: { ...store.read, all } });
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
    // A failed commit with the step `note` does not trigger a reload, because its caller retries it.
    await expect(commitUnanswered('note')).rejects.toThrow('lost');
    await worker.renew();
    expect(readings).toBe(3);
    await worker.stop();
  });

  test('renews leases while a batch is being stored, so that no other server takes the lanes', async () => {
    const store = await open();
    const worker = workerOn(store);
    await worker.renew();
    const expiry = async () => {
      const [row] = await store.read.all<{ at: number }>('SELECT MIN(expires_at) AS at FROM lane');
      return row?.at ?? 0;
    };
    await store.transaction((tx) => tx.run('UPDATE lane SET expires_at = expires_at - 1000'));
    const before = await expiry();
    const { promise: batch, resolve: endBatch } = Promise.withResolvers<void>();
    const storing = worker.context.mutex.run(() => batch);
    await worker.renew();
    expect(await expiry()).toBeGreaterThan(before);
    endBatch();
    await storing;
    await worker.stop();
  });
});

import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createThrottle } from './throttle.ts';

describeStores('trust in a caller', (open) => {
  /** Its reads wait until they are let go. */
  async function start() {
    const store = await open();
    let asked = Promise.withResolvers<void>();
    let answer = Promise.withResolvers<void>();
    const slow: Store = {
      ...store,
      read: Object.assign(Object.create(store.read), {
        all: async (text: string, parameters: []) => {
          const rows = await store.read.all(text, parameters);
          asked.resolve();
          await answer.promise;
          return rows;
        },
      }),
    };
    const throttle = createThrottle(slow, Date.now);
    await store.transaction((tx) => throttle.know(tx, 'owner', 'wallet'));
    return {
      throttle,
      /** Asks, does something while the answer is on its way, and gives the answer. */
      async meanwhile(work: () => Promise<unknown>): Promise<boolean> {
        [asked, answer] = [Promise.withResolvers(), Promise.withResolvers()];
        const trusted = throttle.isTrusted('owner', 'wallet');
        await asked.promise;
        await work();
        answer.resolve();
        return trusted;
      },
    };
  }

  it('is not lost by attempts at other wallets or of other callers', async () => {
    const { throttle, meanwhile } = await start();
    const others = async () => {
      (await throttle.begin('owner', 'another')).wrong();
      (await throttle.begin('stranger', 'wallet')).wrong();
    };
    expect(await meanwhile(others)).toBe(true);
  });

  it('is lost by an attempt of its own that began and ended while it was asked for', async () => {
    const { throttle, meanwhile } = await start();
    expect(await meanwhile(async () => (await throttle.begin('owner', 'wallet')).wrong())).toBe(false);
  });
});

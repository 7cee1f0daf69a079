import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { Throttle } from './throttle.ts';

describeDialects('trust in a caller', (open) => {
  /** Creates a throttle. Its database reads wait until the test releases them. */
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
    const throttle = new Throttle(slow, Date.now);
    await store.transaction((tx) => throttle.markKnown(tx, 'owner', 'wallet'));
    return {
      throttle,
      /**
       * Starts a trust check, runs `work` before the check's database read returns, and returns the result of the
       * check.
       */
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

  it('a caller stays trusted after wrong passwords from others, or its own wrong password for another wallet', async () => {
    const { throttle, meanwhile } = await start();
    const others = async () => {
      (await throttle.begin('owner', 'another')).wrong();
      (await throttle.begin('stranger', 'wallet')).wrong();
    };
    expect(await meanwhile(others)).toBe(true);
  });

  it('a caller is not trusted if it uses a wrong password while the check runs', async () => {
    const { throttle, meanwhile } = await start();
    expect(await meanwhile(async () => (await throttle.begin('owner', 'wallet')).wrong())).toBe(false);
  });
});

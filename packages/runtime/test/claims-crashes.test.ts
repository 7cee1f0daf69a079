import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { FaultPoint } from '../src/rows/faults.ts';
import { brokenInvariants } from '../src/verify/invariants.ts';
import { claimsOf, claimsWorld, heldClaims } from './claims-harness.ts';
import { CoinLedger } from './coin-ledger.ts';
import { crashAt } from './crashing-store.ts';
import { stopEngines, transfer } from './engine-harness.ts';

const timing = { lease: 900, tick: 100, resend: 300 };

describeStores('claims after crashes', (open) => {
  afterEach(stopEngines);

  const { start } = claimsWorld(open);

  const points = [
    ...['accept:after-commit', 'sign:before-commit', 'sign:after-commit', 'submit:before', 'submit:after'],
    ...['settle:before-commit', 'settle:after-commit'],
  ] as const;

  test.each(points as readonly FaultPoint[])(
    'after a crash at %s, every payment is executed exactly once and no coin is claimed twice',
    async (point) => {
      const store = await open();
      const coins = new CoinLedger();
      // One database transaction may store the outcomes of all actions. Then these points are reached only once.
      const crash = crashAt(store, point, point.startsWith('settle:') ? 1 : 2);
      const first = await start(coins, { store: crash.store, faults: crash.faults, timing });
      const from = await first.wallet(0n);
      for (let n = 0; n < 12; n += 1) coins.fund(from.address);
      const pay = () => first.send(from, transfer('shop', 10n)).catch(() => null);
      const mining = setInterval(() => coins.mine(), 50);
      onTestFinished(() => clearInterval(mining));
      // The second group is paid after the first one, so that every other point is reached twice.
      for (let group = 0; group < 2; group += 1) {
        const ids = await Promise.all(Array.from({ length: 6 }, pay));
        await first.ended(ids.filter((id) => id !== null)).catch(() => null);
      }
      await crash.ended;
      const second = await start(coins, { store, timing });
      const stored = await store.read.all<{ id: string }>('SELECT id FROM action');
      const ends = await second.ended(stored.map(({ id }) => id));
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
      expect(coins.balanceOf('shop')).toBe(10 * stored.length);
      const claims = [...(await claimsOf(second)).values()].flat(2);
      expect(new Set(claims).size).toBe(claims.length);
      expect(await heldClaims(second)).toEqual([]);
      expect(await brokenInvariants(store.read)).toEqual([]);
    },
  );
});

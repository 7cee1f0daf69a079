import { adapterChecks, describeAdapter, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { expect, test } from 'vitest';
import { fewPowers, fixtureOf, variants } from './variants.ts';

// The one of which most is skipped: every check runs below.
describeAdapter({ name: fewPowers.name, ...fixtureOf(fewPowers) });

test('every check runs on one of the memory ledgers, and all of them but the undeclared powers on the first', async () => {
  const passed = new Set<string>();
  for (const [index, variant] of variants.entries()) {
    const { definition, open } = fixtureOf(variant);
    for (const check of adapterChecks) {
      const result = await runCheck(check, definition, open).catch((cause: unknown) => {
        throw new Error(`${variant.name}: ${check.name}`, { cause });
      });
      if (result.status === 'passed') passed.add(check.name);
      else if (index === 0) {
        expect(result.reasons.join(), check.name).toMatch(/declares|the adapter's sequence is 'account'/);
      }
    }
  }
  expect(adapterChecks.map((check) => check.name).filter((name) => !passed.has(name))).toEqual([]);
});

test('the names of the checks are unique', () => {
  const names = adapterChecks.map((check) => check.name);
  expect(new Set(names).size).toBe(names.length);
});

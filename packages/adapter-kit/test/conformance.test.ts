import { adapterChecks, describeAdapter, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { expect, test } from 'vitest';
import { utxoFixture } from './utxo-fixture.ts';
import { fewPowers, fixtureOf, variants } from './variants.ts';

// This ledger skips the most checks. The next test runs every check.
describeAdapter({ name: fewPowers.name, ...fixtureOf(fewPowers) });

test('every check passes on at least one ledger, and a ledger with few capabilities skips only checks of undeclared capabilities', async () => {
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
  for (const check of adapterChecks.filter(({ name }) => !passed.has(name))) {
    const { status } = await runCheck(check, utxoFixture.definition, utxoFixture.open);
    expect(status, check.name).toBe('passed');
  }
});

test('the names of the adapter checks are unique', () => {
  const names = adapterChecks.map((check) => check.name);
  expect(new Set(names).size).toBe(names.length);
});

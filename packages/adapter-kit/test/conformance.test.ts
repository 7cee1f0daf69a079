import type { AdapterDefinition } from '@ledger-ops/adapter';
import { adapterChecks, describeAdapter, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { expect, test } from 'vitest';
import { utxoFixture } from './utxo-fixture.ts';
import { everyPower, fewPowers, fixtureOf, variants } from './variants.ts';

// This ledger skips more checks than the others. The next test runs every check.
describeAdapter({ name: fewPowers.name, ...fixtureOf(fewPowers) });

test('every check passes on at least one ledger, and ledgers skip only checks of undeclared capabilities', async () => {
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

test('the checks for estimates accept estimates without a cost', async () => {
  const { definition, open } = fixtureOf(everyPower);
  const withoutCost: AdapterDefinition = Object.freeze({
    ...definition,
    async open(...given: Parameters<AdapterDefinition['open']>) {
      const session = await definition.open(...given);
      return {
        ...session,
        estimate: async (...requests: Parameters<typeof session.estimate>) =>
          (await session.estimate(...requests)).map((one) =>
            one.status === 'ready' ? { status: one.status, plan: one.plan } : one,
          ),
      };
    },
  });
  const checks = adapterChecks.filter(({ name }) =>
    /^(?:the estimate of a valid operation|an estimated plan)/.test(name),
  );
  expect(checks).toHaveLength(2);
  for (const check of checks)
    expect((await runCheck(check, withoutCost, open)).status, check.name).toBe('passed');
});

test('the names of the adapter checks are unique', () => {
  const names = adapterChecks.map((check) => check.name);
  expect(new Set(names).size).toBe(names.length);
});

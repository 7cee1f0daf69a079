import type { AdapterDefinition } from '@ledger-ops/adapter';
import { adapterChecks, describeAdapter, runCheck } from '@ledger-ops/adapter/conformance';
import {
  type MemoryAdapterOptions,
  type MemoryLedgerOptions,
  memoryAdapter,
} from '@ledger-ops/adapter/memory';
import { expect, test } from 'vitest';
import { harnessLedger, openMemoryHarness } from './memory-harness.ts';

type Variant = [name: string, ledger: MemoryLedgerOptions, adapter: MemoryAdapterOptions];

/** Together they make every check run: some clauses are about powers that an adapter does not declare. */
const variants: Variant[] = [
  ['a memory ledger with every power', {}, {}],
  ['a memory ledger of two signing rounds', { signingRounds: 2 }, {}],
  [
    'a memory ledger without sequences, and an adapter of few powers',
    { sequence: 'none' },
    {
      capabilities: {
        operations: ['contract_call', 'contract_deploy'],
        emulation: false,
        lookup: false,
        balance: false,
      },
    },
  ],
];

/** The definition and the harness are of one ledger; each check gets a new one. */
function fixtureOf([, ledgerOptions, adapterOptions]: Variant) {
  let ledger = harnessLedger(ledgerOptions);
  const definition: AdapterDefinition = Object.freeze({
    ...memoryAdapter(ledger, adapterOptions),
    open: (...given: Parameters<AdapterDefinition['open']>) =>
      memoryAdapter(ledger, adapterOptions).open(...given),
  });
  const open = async () => {
    ledger = harnessLedger(ledgerOptions);
    const harness = await openMemoryHarness(ledger);
    const { transfer, ...samples } = harness.samples;
    const transfers = definition.capabilities.operations.includes('transfer');
    const { invalid = [] } = samples;
    return transfers
      ? harness
      : {
          ...harness,
          samples: { ...samples, invalid: invalid.filter(({ operation }) => operation.type !== 'transfer') },
        };
  };
  return { definition, open };
}

for (const variant of variants) describeAdapter({ name: variant[0], ...fixtureOf(variant) });

test('every check runs on one of the memory ledgers, and all of them but the undeclared powers on the first', async () => {
  const passed = new Set<string>();
  for (const [index, variant] of variants.entries()) {
    const { definition, open } = fixtureOf(variant);
    for (const check of adapterChecks) {
      const result = await runCheck(check, definition, open);
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

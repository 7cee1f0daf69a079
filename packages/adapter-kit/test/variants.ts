import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';
import {
  type MemoryAdapterOptions,
  type MemoryLedger,
  type MemoryLedgerOptions,
  memoryAdapter,
} from '@ledger-ops/adapter-kit/memory';
import { harnessLedger, openMemoryHarness } from '../src/memory-harness.ts';

/** A kind of memory ledger, and an adapter with certain capabilities. */
export interface Variant {
  name: string;
  ledger: MemoryLedgerOptions;
  adapter: MemoryAdapterOptions;
}

export const everyPower: Variant = { name: 'a memory ledger with every capability', ledger: {}, adapter: {} };

/** An adapter that declares few capabilities. */
export const fewPowers: Variant = {
  name: 'a memory ledger without sequences, and an adapter with few capabilities',
  ledger: { sequence: 'none' },
  adapter: {
    capabilities: {
      operations: ['contract_call', 'contract_deploy'],
      emulation: false,
      lookup: false,
      balance: false,
      contractEvents: false,
    },
  },
};

/** A ledger whose deployments take several transactions, and which records some transactions as invalid. */
export const severalSteps: Variant = {
  name: 'a memory ledger without sequences, whose deployments take three transactions',
  ledger: { sequence: 'none', deploySteps: 3 },
  adapter: {},
};

/** A ledger whose transactions are valid for a few blocks. */
export const expiringTransactions: Variant = {
  name: 'a memory ledger without sequences, whose transactions expire and then offer a higher fee',
  ledger: { sequence: 'none', expiry: 8 },
  adapter: { capabilities: { raisesExpired: true } },
};

/**
 * Together, these variants run every check. Some checks need an adapter that does not declare a capability.
 */
export const variants: readonly Variant[] = [
  everyPower,
  { name: 'a memory ledger with two signing rounds', ledger: { signingRounds: 2 }, adapter: {} },
  { name: 'a memory ledger with ed25519 keys', ledger: { keyType: 'ed25519' }, adapter: {} },
  fewPowers,
  severalSteps,
  expiringTransactions,
];

/** A definition for the kit, with a new ledger for each harness. */
export interface Fixture {
  definition: AdapterDefinition;
  open(): Promise<ConformanceHarness>;
  /** Returns the ledger of the most recent harness. */
  ledger(): MemoryLedger;
}

/** Returns an adapter whose sessions use the ledger of the most recent harness. */
export function fixtureOf(variant: Variant): Fixture {
  let ledger = harnessLedger(variant.ledger);
  const definition: AdapterDefinition = Object.freeze({
    ...memoryAdapter(ledger, variant.adapter),
    open: (...given: Parameters<AdapterDefinition['open']>) =>
      memoryAdapter(ledger, variant.adapter).open(...given),
  });
  const { operations } = definition.capabilities;
  return {
    definition,
    ledger: () => ledger,
    async open() {
      ledger = harnessLedger(variant.ledger);
      const harness = await openMemoryHarness(ledger);
      if (operations.includes('transfer')) return harness;
      const { transfer: _, secret: _secret, invalid = [], ...samples } = harness.samples;
      const possible = invalid.filter(({ operation }) => operations.includes(operation.type));
      return { ...harness, samples: { ...samples, invalid: possible } };
    },
  };
}

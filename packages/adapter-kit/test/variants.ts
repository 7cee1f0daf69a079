import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';
import {
  type MemoryAdapterOptions,
  type MemoryLedger,
  type MemoryLedgerOptions,
  memoryAdapter,
} from '@ledger-ops/adapter-kit/memory';
import { harnessLedger, openMemoryHarness } from '../src/memory-harness.ts';

/** A kind of memory ledger, with an adapter of certain powers. */
export interface Variant {
  name: string;
  ledger: MemoryLedgerOptions;
  adapter: MemoryAdapterOptions;
}

/** A ledger with every power. */
export const everyPower: Variant = { name: 'a memory ledger with every power', ledger: {}, adapter: {} };

/** An adapter that declares little. */
export const fewPowers: Variant = {
  name: 'a memory ledger without sequences, and an adapter of few powers',
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

/** A ledger whose deployments take several transactions, and that takes some as invalid. */
export const severalSteps: Variant = {
  name: 'a memory ledger without sequences, whose deployments take three transactions',
  ledger: { sequence: 'none', deploySteps: 3 },
  adapter: {},
};

/** A ledger whose transactions are valid for a few blocks. */
export const expiringTransactions: Variant = {
  name: 'a memory ledger without sequences, whose transactions expire',
  ledger: { sequence: 'none', expiry: 8 },
  adapter: {},
};

/** Together they make every check run: some clauses are about powers that an adapter does not declare. */
export const variants: readonly Variant[] = [
  everyPower,
  { name: 'a memory ledger of two signing rounds', ledger: { signingRounds: 2 }, adapter: {} },
  { name: 'a memory ledger of ed25519 keys', ledger: { keyType: 'ed25519' }, adapter: {} },
  fewPowers,
  severalSteps,
  expiringTransactions,
];

/** A definition for the kit, and harnesses on a new ledger each. */
export interface Fixture {
  definition: AdapterDefinition;
  open(): Promise<ConformanceHarness>;
  /** The ledger of the newest harness. */
  ledger(): MemoryLedger;
}

/** An adapter that opens its sessions on the ledger of the newest harness. */
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

import type { AdapterDefinition, LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';
import type { MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Variant } from '../variants.ts';

/** State and helpers that a mutant receives. */
export interface Around {
  ledger: MemoryLedger;
  /** Sends a transaction that the harness did not request. */
  meddle(amount: bigint): void;
  /** Signs with the wallet's key. */
  sign: ConformanceHarness['signer']['sign'];
  /** Counter shared by all sessions. */
  count(): number;
  /** Storage of one session. */
  memory: Map<string, unknown>;
}

/** A fault put into an adapter; by default into the memory ledger's adapter. */
export interface Mutant {
  fault: string;
  /** Uses the adapter with few declared capabilities. */
  fewPowers?: boolean;
  /** Uses the adapter for Bitcoin on the UTXO ledger. */
  utxo?: boolean;
  /** Uses the adapter of this variant of the ledger. */
  variant?: Variant;
  definition?: (definition: AdapterDefinition) => AdapterDefinition;
  config?: (config: LedgerConfig) => LedgerConfig;
  harness?: (harness: ConformanceHarness) => ConformanceHarness;
  session?: (session: LedgerSession, around: Around) => Partial<LedgerSession>;
}

/** The recipient of the memory harness's sample transfers. */
export const recipient = `0x${'ab'.repeat(20)}`;

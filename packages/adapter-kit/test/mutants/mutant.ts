import type { AdapterDefinition, LedgerConfig, LedgerSession } from '@ledger-ops/adapter';
import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';
import type { MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Variant } from '../variants.ts';

/** The surroundings that a mutant works with. */
export interface Around {
  ledger: MemoryLedger;
  /** Does what the wallet of the harness did not ask for. */
  meddle(amount: bigint): void;
  /** Signs with the wallet's key. */
  sign: ConformanceHarness['signer']['sign'];
  /** Counts up over all sessions. */
  count(): number;
  /** Set up once for each session. */
  memory: Map<string, unknown>;
}

/** A fault put into the memory adapter. */
export interface Mutant {
  fault: string;
  /** Put on the adapter that declares little. */
  fewPowers?: boolean;
  /** Put on the adapter of this kind of ledger. */
  variant?: Variant;
  definition?: (definition: AdapterDefinition) => AdapterDefinition;
  config?: (config: LedgerConfig) => LedgerConfig;
  harness?: (harness: ConformanceHarness) => ConformanceHarness;
  session?: (session: LedgerSession, around: Around) => Partial<LedgerSession>;
}

/** The account to which the samples of the memory harness transfer. */
export const recipient = `0x${'ab'.repeat(20)}`;

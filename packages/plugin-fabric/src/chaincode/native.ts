import type { Phase, ResolvedOperation } from '@ledger-ops/adapter';
import { invalid } from '../invalid.ts';

/** The part of an operation's meta that is for Fabric. */
export type FabricNative = Extract<ResolvedOperation['native'], { technology: 'hyperledger-fabric' }>;

/** @throws AdapterError `invalid-argument` for meta of another technology */
export function requireNative({ native }: ResolvedOperation, phase: Phase): FabricNative {
  if (native.technology === 'hyperledger-fabric') return native;
  throw invalid(phase, '/native', `is for ${native.technology}, the ledger is hyperledger-fabric`);
}

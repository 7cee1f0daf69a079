import { AdapterError, type Phase, type ResolvedOperation } from '@ledger-ops/adapter';
import { type FabricContent, GloError, readFabricContent } from '@ledger-ops/glo-core';
import { invalid } from '../invalid.ts';

/**
 * Returns the Fabric part of an operation's meta.
 * @throws AdapterError `invalid-argument` for meta of another technology, and for invalid content
 */
export function readNative({ native }: ResolvedOperation, phase: Phase): FabricContent {
  const { technology, content } = native;
  if (technology !== 'hyperledger-fabric') {
    throw invalid(phase, '/native', `is for ${technology}, but the ledger is hyperledger-fabric`);
  }
  try {
    return readFabricContent(content, '/native');
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    const { message: detail, issues } = error;
    throw new AdapterError({ code: 'invalid-argument', phase, detail, issues: [...issues] });
  }
}

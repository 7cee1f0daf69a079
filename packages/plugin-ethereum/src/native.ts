import { AdapterError, type Phase, type ResolvedOperation } from '@ledger-ops/adapter';
import { type EthereumContent, GloError, readEthereumContent } from '@ledger-ops/glo-core';
import { invalid } from './invalid.ts';

/**
 * Returns the Ethereum part of an operation's meta.
 *
 * @throws AdapterError `invalid-argument` for meta of another technology, and for invalid content
 */
export function readNative({ native }: ResolvedOperation, phase: Phase): EthereumContent {
  const { technology, content } = native;
  if (technology !== 'ethereum')
    throw invalid(phase, '/native', `is for ${technology}, but the ledger is ethereum`);
  try {
    return readEthereumContent(content, '/native');
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    const { message: detail, issues } = error;
    throw new AdapterError({ code: 'invalid-argument', phase, detail, issues: [...issues] });
  }
}

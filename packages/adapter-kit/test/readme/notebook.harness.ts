import { type ConformanceHarness, createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { notebookAdapter } from './notebook.ts';

export default notebookAdapter([]);

/** Called for each check. */
export const openHarness = async (): Promise<ConformanceHarness> => ({
  ledger: { ledgerId: 'notes', technology: 'notebook', properties: {}, nodes: [] },
  signer: createTestSigner('p256'),
  samples: {
    call: {
      type: 'contract_call',
      contract: { address: 'notes' },
      method: { name: 'write', args: ['Hello'] },
      value: 0n,
      native: { technology: 'notebook', content: {} },
    },
  },
  close: async () => undefined,
});

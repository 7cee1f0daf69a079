import { createTestSigner, describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type Notebook, notebookAdapter } from './notebook.ts';

const notebook: Notebook = [];

describeAdapter({
  name: 'the notebook adapter',
  definition: notebookAdapter(notebook),
  open: async () => ({
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
  }),
});

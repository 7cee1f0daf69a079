import { randomUUID } from 'node:crypto';
import { createTestSigner, describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { ledgerOf } from '../src/ledger.js';
import plugin from '../src/plugin.js';

const recipient = 'b2'.repeat(32);
const transfer = {
  type: 'transfer',
  recipient,
  amount: 5n,
  native: { technology: 'acorn', content: { memo: 'for the winter' } },
};

describeAdapter({
  name: 'the acorn adapter',
  definition: plugin,
  async open() {
    // Each check gets its own network.
    const network = randomUUID().slice(0, 8);
    return {
      ledger: {
        ledgerId: 'acorn',
        technology: 'acorn',
        properties: { network, block_time: 5 },
        nodes: [],
      },
      signer: createTestSigner('ed25519'),
      finalAtOnce: true,
      // More samples and hooks run more checks. A skipped check reports what it needs.
      samples: {
        transfer,
        failing: { ...transfer, amount: 1_001n },
        invalid: [
          {
            why: 'a recipient that is not an address',
            operation: { ...transfer, recipient: '0x12' },
            code: 'invalid-argument',
            pointer: '/recipient/resource',
          },
          {
            why: 'an amount that no account can hold',
            operation: { ...transfer, amount: 1n << 128n },
            code: 'invalid-argument',
            pointer: '/amount',
          },
        ],
        addresses: {
          good: [{ given: recipient.toUpperCase(), normal: recipient }],
          bad: ['0x12', `${recipient}00`],
        },
        interfaces: { good: [], bad: ['[]', 'anything'] },
      },
      hooks: {
        executions: async (txId) => (ledgerOf(network).find(txId) === undefined ? 0 : 1),
      },
      close: async () => undefined,
    };
  },
});

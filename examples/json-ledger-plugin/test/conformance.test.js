// @ts-check
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestSigner, describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { createLedger, find, mine, read } from '../src/ledger.js';
import plugin from '../src/plugin.js';

const native = { technology: 'json-file', content: {} };
const recipient = Buffer.from(createTestSigner('p256', new Uint8Array(32).fill(2)).publicKey).toString('hex');
const transfer = { type: /** @type {const} */ ('transfer'), recipient, amount: 5n, native };

describeAdapter({
  name: 'a ledger in a JSON file',
  definition: plugin,
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'json-ledger-'));
    const file = join(folder, 'ledger.json');
    const signer = createTestSigner('p256', new Uint8Array(32).fill(7));
    createLedger(file, { [Buffer.from(signer.publicKey).toString('hex')]: 1_000_000n });
    return {
      ledger: {
        ledgerId: 'json',
        technology: 'json-file',
        properties: { auto_mine: false },
        nodes: [{ nodeId: 'file', uri: pathToFileURL(file).href }],
      },
      signer,
      samples: {
        transfer,
        content: {
          otherSender: { from: recipient },
          otherChain: { chainId: '987654321' },
          sequence: { content: { nonce: '77' }, sequence: 77n },
        },
        failing: { ...transfer, amount: 2_000_000n },
        invalid: [
          {
            why: 'a recipient that is not an address',
            operation: { ...transfer, recipient: '0x12' },
            code: 'invalid-argument',
            pointer: '/recipient/resource',
          },
          {
            why: 'an amount that no account holds',
            operation: { ...transfer, amount: 1n << 256n },
            code: 'invalid-argument',
            pointer: '/amount',
          },
        ],
        interfaces: { good: [], bad: ['[]', 'anything'] },
        addresses: {
          good: [{ given: recipient.toUpperCase(), normal: recipient }],
          bad: ['0x12', `${recipient}00`, `05${recipient.slice(2)}`],
        },
      },
      hooks: {
        mine: async (blocks) => {
          for (let block = 0; block < blocks; block += 1) mine(file);
        },
        goDown: async () => renameSync(file, `${file}.away`),
        comeUp: async () => renameSync(`${file}.away`, file),
        executions: async (txId) => (find(read(file).blocks, txId) === undefined ? 0 : 1),
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

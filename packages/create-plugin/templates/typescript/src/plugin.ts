import { readFileSync } from 'node:fs';
import { defineAdapter } from '@ledger-ops/adapter';
import { openSession } from './session.ts';

/** The plugin's version is the package's, which `npm version` changes. */
const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The server loads the default export of the package. */
export default defineAdapter({
  name: 'acorn',
  technology: 'acorn',
  version,
  keyType: 'ed25519',
  // Describes the technology. The server creates forms for ledgers, wallets and operations from it.
  description: {
    title: 'Acorn',
    content: {
      schema: {
        type: 'object',
        properties: { memo: { type: 'string', maxLength: 140, description: 'A note to the recipient.' } },
        additionalProperties: false,
      },
    },
    ledgerProperties: {
      type: 'object',
      properties: {
        network: {
          type: 'string',
          pattern: '^[a-z0-9-]{1,32}$',
          default: 'main',
          description: 'Name of the network.',
        },
        block_time: {
          type: 'integer',
          minimum: 1,
          maximum: 60_000,
          default: 100,
          description: 'Milliseconds between blocks.',
        },
      },
      additionalProperties: false,
    },
    addresses: { account: { pattern: '^[0-9a-f]{64}$', example: 'a1'.repeat(32) } },
    unit: { symbol: 'TOY', decimals: 0 },
  },
  capabilities: { operations: ['transfer'], balance: true },
  open: openSession,
});

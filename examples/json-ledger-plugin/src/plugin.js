// @ts-check
import { defineAdapter } from '@ledger-ops/adapter';
import { openSession } from './session.js';

/** The server loads the default export of the package. */
export default defineAdapter({
  name: 'json-file',
  technology: 'json-file',
  version: '0.1.0',
  keyType: 'p256',
  description: {
    title: 'Ledger in a JSON file',
    ledgerProperties: { type: 'object', properties: {}, additionalProperties: false },
    addresses: { account: { pattern: '^[0-9a-f]{66}$', example: `02${'a1'.repeat(32)}` } },
    unit: { symbol: 'JSON', decimals: 0 },
  },
  capabilities: { operations: ['transfer'], sequence: 'account', lookup: true, balance: true },
  open: openSession,
});

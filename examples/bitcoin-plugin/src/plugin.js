// @ts-check
import { defineAdapter } from '@ledger-ops/adapter';
import { coin, networks } from './networks.js';
import { openSession } from './session.js';

/** Satoshi per virtual byte. */
const feeRate = { type: 'integer', minimum: 1, maximum: 100_000 };

/** The server loads the default export of the package. */
export default defineAdapter({
  name: coin.technology,
  technology: coin.technology,
  version: '0.1.0',
  keyType: 'secp256k1',
  description: {
    title: coin.title,
    namespace: 'bip122',
    content: { schema: { type: 'object', properties: {}, additionalProperties: false } },
    ledgerProperties: {
      type: 'object',
      properties: {
        network: { enum: Object.keys(networks), default: 'mainnet' },
        fee_target: {
          type: 'integer',
          minimum: 1,
          maximum: 1_008,
          default: 6,
          description: 'Blocks within which a transaction should be confirmed.',
        },
        fallback_fee_rate: {
          ...feeRate,
          default: coin.rates.fallback,
          description: 'Satoshi per virtual byte, if the node has no estimate.',
        },
        max_fee_rate: {
          ...feeRate,
          default: coin.rates.highest,
          description:
            'Maximum fee in satoshi per virtual byte. Transactions wait while the network requires more.',
        },
      },
      additionalProperties: false,
    },
    addresses: {
      account: {
        pattern: '^(?:[a-z]{1,20}1[02-9ac-hj-np-z]{6,87}|[1-9A-HJ-NP-Za-km-z]{25,40})$',
        example: coin.address,
      },
    },
    unit: { symbol: coin.symbol, decimals: 8 },
  },
  capabilities: {
    operations: ['transfer'],
    onDemandReplacement: true,
    lookup: true,
    balance: true,
  },
  open: openSession,
});

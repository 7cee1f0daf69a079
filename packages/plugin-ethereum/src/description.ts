import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';
import { ethereumGloContent } from '@ledger-ops/glo-core';

function whole(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

const line: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  pattern: '^\\P{Cc}+$',
  'x-detail': 'must have 1 to 2048 characters without control characters',
};
const pem: JsonSchema = { type: 'string', format: 'pem', maxLength: 65_536 };

/** The description of Ethereum. The bounds of properties are those of `properties.ts`. */
export const ethereumDescription: TechnologyDescription = {
  title: 'Ethereum',
  namespace: 'eip155',
  content: ethereumGloContent,
  ledgerProperties: {
    type: 'object',
    properties: {
      chain_id: {
        format: 'quantity',
        exclusiveMinimum: 0,
        description: 'Held against every node. Absent: what the first node says.',
        examples: [1],
      },
      replace_after: {
        type: 'number',
        minimum: 0,
        maximum: 86_400,
        description: 'Seconds until what is not mined is replaced; 0: never.',
      },
      presigned_replacements: {
        type: 'boolean',
        description: 'Replacements are signed beforehand, and no key is kept for them.',
      },
      max_bumps: whole(0, 10, 'Fee bumps of one transaction, unasked.'),
      max_fee_cap: { format: 'quantity', exclusiveMinimum: 0, description: 'Most wei per gas.' },
      fee_mode: {
        enum: ['auto', 'eip1559', 'legacy'],
        description: '`auto`: as the newest block shows.',
        'x-detail': 'must be auto, eip1559 or legacy',
      },
      rpc_batch: whole(1, 1_000, 'Most calls in one request to a node.'),
      transfer_gas: {
        enum: ['fixed', 'estimate'],
        description: 'Gas of a transfer: 21,000, or what the node estimates.',
        'x-detail': 'must be fixed or estimate',
      },
      max_transaction_gas: {
        format: 'quantity',
        // Of the cheapest transaction that there is.
        minimum: 21_000,
        description: 'Most gas of one transaction. Absent: as the node tells it.',
      },
    },
    additionalProperties: false,
  },
  nodeProperties: {
    type: 'object',
    properties: {
      admin: { anyOf: [{ type: 'boolean' }, line], 'x-detail': 'must be true, false or a text' },
      role: { enum: ['rpc'], 'x-detail': 'must be rpc' },
      tls_server_name: { ...line, 'x-address': true },
      tls_ca_certificate: { ...pem, 'x-address': true },
      tls_client_certificate: { ...pem, 'x-address': true },
      tls_client_key: { ...pem, writeOnly: true },
      authorization: { ...line, writeOnly: true },
    },
    additionalProperties: false,
  },
  addresses: {
    account: { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    contract: { pattern: '^0x[0-9a-fA-F]{40}$', example: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
  },
  unit: { symbol: 'ETH', decimals: 18 },
  templates: {
    code: {
      type: 'string',
      format: 'hex',
      minLength: 4,
      description: 'Creation code, all libraries linked.',
    },
    languages: ['Solidity'],
  },
};

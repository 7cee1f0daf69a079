import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';
import { ethereumGloContent } from '@ledger-ops/glo-core';
import { propertyBounds } from './properties.ts';

function whole(bounds: { minimum: number; maximum: number }, description: string): JsonSchema {
  return { type: 'integer', ...bounds, description };
}

const line: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  pattern: '^\\P{Cc}+$',
  'x-detail': 'must have 1 to 2048 characters without control characters',
};
const pem: JsonSchema = { type: 'string', format: 'pem', maxLength: 65_536 };

/** Properties, native content and wallet parameters of Ethereum, as hosts read them. */
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
        description: 'Chain that every node must be on. Default: the chain of the first node.',
        examples: [1],
      },
      replace_after: {
        type: 'number',
        ...propertyBounds.replace_after,
        description: 'Time after which a transaction that is not mined is replaced. 0 means never.',
        'x-unit': { name: 'seconds', decimals: 0 },
      },
      presigned_replacements: {
        type: 'boolean',
        description:
          'Sign replacement transactions together with the first transaction, so that no encrypted key is kept for the action after it is signed.',
      },
      max_bumps: whole(propertyBounds.max_bumps, 'Maximum number of automatic fee bumps per transaction.'),
      max_fee_cap: {
        format: 'quantity',
        exclusiveMinimum: 0,
        description: 'Maximum fee that a transaction offers. Stored in wei.',
        'x-unit': { name: 'gwei per gas', decimals: 9 },
      },
      fee_mode: {
        enum: [...propertyBounds.fee_mode],
        description: '`auto`: detect from the newest block.',
        'x-detail': 'must be auto, eip1559 or legacy',
      },
      rpc_batch: whole(propertyBounds.rpc_batch, 'Maximum number of calls per request to a node.'),
      transfer_gas: {
        enum: [...propertyBounds.transfer_gas],
        description:
          'Gas of a transfer: `fixed` is 21,000, `estimate` queries the node, `auto` detects which of the two the chain needs.',
        'x-detail': 'must be auto, fixed or estimate',
      },
      max_transaction_gas: {
        format: 'quantity',
        ...propertyBounds.max_transaction_gas,
        description: 'Maximum gas of a transaction. Default: the limit that the node reports.',
      },
    },
    additionalProperties: false,
  },
  nodeProperties: {
    type: 'object',
    properties: {
      admin: {
        anyOf: [{ type: 'boolean' }, line],
        'x-detail': 'must be true or false, as a boolean or a string',
      },
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
      description: 'Creation code with all libraries linked.',
    },
    languages: ['Solidity'],
  },
};

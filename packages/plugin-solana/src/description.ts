import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';

/** Address of an account or program: 32 bytes in base58. */
const address = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

const accounts: JsonSchema = {
  type: 'array',
  maxItems: 256,
  items: {
    type: 'object',
    properties: {
      address: { type: 'string', pattern: address },
      signer: {
        type: 'boolean',
        description: 'Whether the account signs. A signer is the sender or a wallet in feePayer or signers.',
      },
      writable: { type: 'boolean' },
    },
    required: ['address'],
    additionalProperties: false,
  },
};

const instruction: JsonSchema = {
  type: 'object',
  properties: {
    program: { type: 'string', pattern: address },
    accounts,
    data: { type: 'string', format: 'base64', maxLength: 2_048 },
  },
  required: ['program'],
  additionalProperties: false,
};

const computeUnitPrice: JsonSchema = {
  format: 'quantity',
  description: 'Priority fee per compute unit. Default: the compute_unit_price of the ledger.',
  'x-unit': { name: 'micro-lamports per compute unit', decimals: 0 },
};

const budget: Record<string, JsonSchema> = {
  computeUnitLimit: {
    type: 'integer',
    minimum: 1,
    maximum: 1_400_000,
    description: 'Maximum compute units. Default: 10% more than a simulation uses.',
  },
  computeUnitPrice,
  nonceAccount: {
    type: 'string',
    pattern: address,
    description:
      'A nonce account of the wallet. Its nonce replaces the blockhash, so the transaction does not expire.',
  },
};

/** A wallet of this service, by id or address. */
const wallet: JsonSchema = { type: 'string', minLength: 1, maxLength: 64, 'x-wallet': true };

const feePayer: JsonSchema = {
  ...wallet,
  description: 'The wallet that pays and signs for the fee, by id or address. Default: the sender.',
};

/**
 * Properties, native content and wallet parameters of Solana, as hosts read them. The limits of the properties are
 * defined in `properties.ts`.
 */
export const solanaDescription: TechnologyDescription = {
  title: 'Solana',
  content: {
    schema: {
      transfer: { type: 'object', properties: { ...budget, feePayer }, additionalProperties: false },
      contract_call: {
        type: 'object',
        properties: {
          ...budget,
          feePayer,
          signers: {
            type: 'array',
            minItems: 1,
            maxItems: 16,
            items: wallet,
            description:
              'Wallets that sign in addition to the sender, by id or address. Each must sign an instruction.',
          },
          instructions: {
            type: 'array',
            minItems: 1,
            maxItems: 64,
            items: instruction,
            description: 'The whole transaction, instead of a method and its arguments.',
          },
          accounts: {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 140 },
            description:
              'Accounts of the method by their IDL names, instead of known, derived or default ones.',
          },
          addressLookupTables: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: { type: 'string', pattern: address },
            description: 'Lookup tables that contain accounts of the transaction.',
          },
          remainingAccounts: { ...accounts, description: 'Additional accounts after those of the method.' },
        },
        additionalProperties: false,
      },
      contract_deploy: {
        type: 'object',
        properties: { computeUnitPrice },
        additionalProperties: false,
      },
    },
  },
  ledgerProperties: {
    type: 'object',
    properties: {
      genesis_hash: {
        type: 'string',
        pattern: address,
        description: 'Chain that every node must be on. Default: the chain of the first node.',
        'x-detail': 'must be the hash of the first block, in base58',
      },
      commitment: {
        enum: ['confirmed', 'finalized'],
        description: 'Commitment level required for an outcome; the default is `finalized`.',
        'x-detail': 'must be confirmed or finalized',
      },
      compute_unit_price: {
        format: 'quantity',
        description: 'Priority fee per compute unit. Default: from recent blocks, within the cap.',
        'x-unit': { name: 'micro-lamports per compute unit', decimals: 0 },
      },
      priority_fee_cap: {
        format: 'quantity',
        description:
          'Maximum priority fee of a transaction, if no price is set. Stored in lamports. Default: 0.0001 SOL.',
        'x-unit': { name: 'SOL', decimals: 9 },
      },
    },
    additionalProperties: false,
  },
  addresses: {
    account: { pattern: address, example: '83astBRguLMdt2h5U1Tpdq5tjFoJ6noeGwaY3mDLVcri' },
    contract: { pattern: address, example: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
  },
  unit: { symbol: 'SOL', decimals: 9 },
  templates: {
    code: {
      type: 'string',
      format: 'base64',
      minLength: 8,
      description: "A program's ELF, in base64.",
    },
  },
};

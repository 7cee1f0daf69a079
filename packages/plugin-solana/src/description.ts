import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';

/** How accounts and programs are named: 32 bytes in base58. */
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
        description: 'Signs: the sender, or a wallet that feePayer or signers name.',
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
  description: "Micro-lamports for a compute unit. Absent: as the ledger's properties have it.",
};

const budget: Record<string, JsonSchema> = {
  computeUnitLimit: {
    type: 'integer',
    minimum: 1,
    maximum: 1_400_000,
    description: 'Most compute units. Absent: as a simulation uses, and a tenth more.',
  },
  computeUnitPrice,
  nonceAccount: {
    type: 'string',
    pattern: address,
    description:
      'A nonce account of the wallet, whose nonce is used in place of a blockhash: the transaction does not expire.',
  },
};

/** A wallet of the host's, by its id or address. */
const wallet: JsonSchema = { type: 'string', minLength: 1, maxLength: 64, 'x-wallet': true };

const feePayer: JsonSchema = {
  ...wallet,
  description: 'The wallet that pays the fee, and signs for it, by id or address. Absent: the sender.',
};

/** The description of Solana. The bounds of properties are those of `properties.ts`. */
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
            description: 'Wallets that sign beside the sender, by id or address: each signs an instruction.',
          },
          instructions: {
            type: 'array',
            minItems: 1,
            maxItems: 64,
            items: instruction,
            description: 'The whole transaction, in place of a method and its arguments.',
          },
          accounts: {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 140 },
            description:
              'Accounts of the method by their names in the IDL, in place of what is known, derived or taken.',
          },
          addressLookupTables: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: { type: 'string', pattern: address },
            description: 'Tables in which the accounts that they hold are looked up.',
          },
          remainingAccounts: { ...accounts, description: 'Accounts after those of the method.' },
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
        description: 'Held against every node. Absent: what the first node says.',
        'x-detail': 'must be the hash of the first block, in base58',
      },
      commitment: {
        enum: ['confirmed', 'finalized'],
        description: 'How far a block is before an outcome in it is given; `finalized` by default.',
        'x-detail': 'must be confirmed or finalized',
      },
      compute_unit_price: {
        format: 'quantity',
        description: 'Micro-lamports for a compute unit. Absent: as recent blocks show it, within the cap.',
      },
      priority_fee_cap: {
        format: 'quantity',
        description:
          'Most lamports of one transaction for priority, where no price is set; 100,000 by default.',
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

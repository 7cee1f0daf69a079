import type { JsonSchema, TechnologyDescription } from '@ledger-ops/adapter';

const quantity: JsonSchema = { format: 'quantity' };

export const memoryDescription: TechnologyDescription = {
  title: 'Ledger in memory',
  content: {
    schema: {
      type: 'object',
      properties: {
        from: { type: 'string' },
        chainId: quantity,
        nonce: quantity,
        gasLimit: quantity,
        gasPrice: quantity,
        maxFeePerGas: quantity,
        payer: { type: 'string', 'x-wallet': true, description: 'Pays the fee.' },
        signers: { type: 'array', maxItems: 16, items: { type: 'string', 'x-wallet': true } },
        transient: { type: 'object', writeOnly: true },
      },
      additionalProperties: false,
    },
  },
  ledgerProperties: {
    type: 'object',
    properties: {
      chain_id: { ...quantity, description: "Must match the ledger's chain id." },
      replace_after: {
        type: 'number',
        minimum: 0,
        maximum: 86_400,
        description:
          'Seconds after which a transaction without an outcome is replaced; 0 disables replacement.',
      },
      presigned_replacements: { type: 'boolean' },
      max_fee_cap: { ...quantity, description: 'Maximum fee of one transaction.' },
      retries: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Number of times that a transaction is created again after it was recorded as invalid.',
      },
      retry_delay: {
        type: 'integer',
        minimum: 0,
        maximum: 600_000,
        description: 'Milliseconds to wait before the transaction is created again.',
      },
    },
    additionalProperties: false,
  },
  addresses: {
    // An ed25519 address is the public key.
    account: { pattern: '^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$', example: `0x${'a1'.repeat(20)}` },
    contract: { pattern: '^0x[0-9a-f]{40}$', example: `0x${'c0'.repeat(20)}` },
  },
  unit: { symbol: 'MEM', decimals: 0 },
  templates: { code: { type: 'string', format: 'hex', minLength: 4 } },
};

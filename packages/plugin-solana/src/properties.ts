import { adapterError, type LedgerConfig } from '@ledger-ops/adapter';
import { z } from 'zod';

/** The ledger properties that this adapter uses. The host handles the others. */
export interface SolanaProperties {
  /** `genesis_hash`: verified against every node. Default: the hash of the first node. */
  genesisHash: string | undefined;
  /** `commitment`: level that a block must have before its outcomes are reported. */
  commitment: 'confirmed' | 'finalized';
  /** `confirmations`: number of blocks that an outcome needs, including its own; default 1. */
  confirmations: number;
  /** `compute_unit_price`: micro-lamports per compute unit. If absent, the price of recent blocks, within the cap. */
  computeUnitPrice: bigint | undefined;
  /**
   * `priority_fee_cap`: maximum lamports for the priority of one transaction if no price is set; default
   * 100,000.
   */
  priorityFeeCap: bigint;
  /** `polling_interval`: milliseconds between polls for a block. */
  pollingInterval: number | undefined;
  /** `rpc_timeout`: milliseconds per request, default 10,000. */
  rpcTimeout: number;
  /** `allow_unencrypted`: whether credentials may be sent to other machines without TLS. */
  allowUnencrypted: boolean;
}

const quantity = z
  .union(
    [
      z.number().refine((value) => Number.isSafeInteger(value) && value >= 0),
      z.string().regex(/^(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})$/),
    ],
    { error: 'must be a whole number, as a number or as a decimal or 0x string' },
  )
  .transform(BigInt)
  .refine((value) => value < 2n ** 64n, { error: 'must be less than 2^64' });

function count(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return quantity.transform(Number).refine((value) => value >= minimum && value <= maximum, { error });
}

const schema = z.object({
  genesis_hash: z
    .string({ error: 'must be a string' })
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, { error: 'must be the hash of the first block, in base58' })
    .nullish(),
  commitment: z
    .enum(['confirmed', 'finalized'], { error: 'must be confirmed or finalized' })
    .nullish()
    .transform((value) => value ?? 'finalized'),
  confirmations: count(1, 100_000).nullish(),
  compute_unit_price: quantity.nullish(),
  priority_fee_cap: quantity.nullish(),
  polling_interval: count(10, 600_000).nullish(),
  rpc_timeout: count(100, 600_000).nullish(),
  allow_unencrypted: z.boolean({ error: 'must be true or false' }).nullish(),
});

/** @throws AdapterError `invalid-argument` naming each invalid property */
export function readProperties({ ledgerId, properties }: LedgerConfig): SolanaProperties {
  const parsed = schema.safeParse(properties);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      pointer: `/properties/${path.join('/')}`,
      detail: message,
    }));
    const names = issues.map(({ pointer, detail }) => `${pointer.slice(12)} ${detail}`).join('; ');
    throw adapterError('invalid-argument', `The ledger ${ledgerId} has invalid properties: ${names}.`, {
      phase: 'open',
      issues,
    });
  }
  const { data } = parsed;
  return {
    genesisHash: data.genesis_hash ?? undefined,
    commitment: data.commitment,
    confirmations: data.confirmations ?? 1,
    computeUnitPrice: data.compute_unit_price ?? undefined,
    priorityFeeCap: data.priority_fee_cap ?? 100_000n,
    pollingInterval: data.polling_interval ?? undefined,
    rpcTimeout: data.rpc_timeout ?? 10_000,
    allowUnencrypted: data.allow_unencrypted ?? false,
  };
}

import { adapterError, type LedgerConfig } from '@ledger-ops/adapter';
import { z } from 'zod';

/** The ledger properties that this adapter uses. The host handles the others. */
export interface EthereumProperties {
  /** `chain_id`: verified against every node. If absent, the first node's chain applies. */
  chainId: bigint | undefined;
  /** `confirmations`: depth at which a block is final; 1 (default) is the newest block. */
  confirmations: number;
  /**
   * `presigned_replacements`: whether bumps and a no-op are signed in advance instead of when needed. Ignored
   * if the host's `replace_after` is 0, because then nothing is replaced.
   */
  presignedReplacements: boolean;
  /** `max_bumps`: number of fee bumps that are signed in advance, default 2. */
  maxBumps: number;
  /** `max_fee_cap`: maximum wei per gas. */
  maxFeeCap: bigint | undefined;
  /** `fee_mode`: absent or `auto` uses the mode of the newest block. */
  feeMode: 'eip1559' | 'legacy' | undefined;
  /**
   * `transfer_gas`: `fixed` is 21,000; `estimate` queries the node for each transfer, for chains that charge
   * differently; `auto` (default) selects one of them by the node's estimate of a transfer.
   */
  transferGas: 'auto' | 'fixed' | 'estimate';
  /** `max_transaction_gas`: maximum gas of one transaction. If absent, the limit in the node's configuration applies. */
  maxTransactionGas: bigint | undefined;
  /** `polling_interval`: milliseconds between polls for a block. If absent, half the observed block time. */
  pollingInterval: number | undefined;
  /** `rpc_timeout`: milliseconds per request, default 10,000. */
  rpcTimeout: number;
  /** `rpc_batch`: maximum number of calls in one request, default 100. */
  rpcBatch: number;
  /** `allow_unencrypted`: whether credentials may be sent to other machines without TLS. */
  allowUnencrypted: boolean;
}

/** Limits and allowed values of this adapter's own properties. `description.ts` describes them to hosts. */
export const propertyBounds = {
  replace_after: { minimum: 0, maximum: 86_400 },
  max_bumps: { minimum: 0, maximum: 10 },
  fee_mode: ['auto', 'eip1559', 'legacy'],
  rpc_batch: { minimum: 1, maximum: 1_000 },
  transfer_gas: ['auto', 'fixed', 'estimate'],
  /** Gas of the cheapest transaction. */
  max_transaction_gas: { minimum: 21_000 },
} as const;

const digits = /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/;
const quantity = z
  .union(
    [z.number().refine((value) => Number.isSafeInteger(value) && value >= 0), z.string().regex(digits)],
    {
      error: 'must be a whole number, as a number or as a decimal or 0x string',
    },
  )
  .transform(BigInt);

function count({ minimum, maximum }: { minimum: number; maximum: number }) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return quantity.transform(Number).refine((value) => value >= minimum && value <= maximum, { error });
}

const { replace_after: patience, max_transaction_gas: gas } = propertyBounds;
const seconds = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .transform(Number)
  .refine((value) => value >= patience.minimum && value <= patience.maximum, {
    error: `must be seconds, from ${patience.minimum} to ${patience.maximum}`,
  });
const flag = z.boolean({ error: 'must be true or false' });

const schema = z.object({
  chain_id: quantity.refine((value) => value > 0n, { error: 'must be positive' }).nullish(),
  confirmations: count({ minimum: 1, maximum: 100_000 }).nullish(),
  replace_after: seconds.nullish(),
  presigned_replacements: flag.nullish(),
  max_bumps: count(propertyBounds.max_bumps).nullish(),
  max_fee_cap: quantity.refine((value) => value > 0n, { error: 'must be positive' }).nullish(),
  fee_mode: z
    .enum(propertyBounds.fee_mode, { error: 'must be auto, eip1559 or legacy' })
    .nullish()
    .transform((mode) => (mode === 'auto' ? undefined : mode)),
  transfer_gas: z.enum(propertyBounds.transfer_gas, { error: 'must be auto, fixed or estimate' }).nullish(),
  max_transaction_gas: quantity
    .refine((value) => value >= gas.minimum, { error: `must be at least ${gas.minimum}` })
    .nullish(),
  polling_interval: count({ minimum: 10, maximum: 600_000 }).nullish(),
  rpc_timeout: count({ minimum: 100, maximum: 600_000 }).nullish(),
  rpc_batch: count(propertyBounds.rpc_batch).nullish(),
  allow_unencrypted: flag.nullish(),
});

/** @throws AdapterError `invalid-argument` naming each invalid property */
export function readProperties({ ledgerId, properties }: LedgerConfig): EthereumProperties {
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
    chainId: data.chain_id ?? undefined,
    confirmations: data.confirmations ?? 1,
    presignedReplacements: data.presigned_replacements === true && data.replace_after !== 0,
    maxBumps: data.max_bumps ?? 2,
    maxFeeCap: data.max_fee_cap ?? undefined,
    feeMode: data.fee_mode ?? undefined,
    transferGas: data.transfer_gas ?? 'auto',
    maxTransactionGas: data.max_transaction_gas ?? undefined,
    pollingInterval: data.polling_interval ?? undefined,
    rpcTimeout: data.rpc_timeout ?? 10_000,
    rpcBatch: data.rpc_batch ?? 100,
    allowUnencrypted: data.allow_unencrypted ?? false,
  };
}

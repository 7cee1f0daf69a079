import { adapterError, type LedgerConfig } from '@ledger-ops/adapter';
import { z } from 'zod';

/** A ledger's properties, as this adapter heeds them. Others are left to the host. */
export interface EthereumProperties {
  /** `chain_id`: held against every node. Absent = what the first node says. */
  chainId: bigint | undefined;
  /** `confirmations`: depth at which a block is final; 1 (default) is the newest. */
  confirmations: number;
  /**
   * `presigned_replacements`: bumps and a no-op are signed beforehand, not when they are needed; not where `replace_after`,
   * which is the host's, is 0: nothing is ever replaced there.
   */
  presignedReplacements: boolean;
  /** `max_bumps`: fee bumps where they are signed beforehand, default 2. */
  maxBumps: number;
  /** `max_fee_cap`: most wei per gas. */
  maxFeeCap: bigint | undefined;
  /** `fee_mode`: absent or `auto` = what the newest block shows. */
  feeMode: 'eip1559' | 'legacy' | undefined;
  /** `transfer_gas`: `fixed` (default) is 21,000; `estimate` asks, for chains that charge otherwise. */
  transferGas: 'fixed' | 'estimate';
  /** `max_transaction_gas`: most gas of one transaction; absent = as the node's configuration tells it. */
  maxTransactionGas: bigint | undefined;
  /** `polling_interval`: milliseconds; absent = half the observed block time. */
  pollingInterval: number | undefined;
  /** `rpc_timeout`: milliseconds per request, default 10,000. */
  rpcTimeout: number;
  /** `rpc_batch`: most calls in one request, default 100. */
  rpcBatch: number;
  /** `allow_unencrypted`: credentials in addresses of other machines may be sent without TLS. */
  allowUnencrypted: boolean;
}

const digits = /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/;
const quantity = z
  .union(
    [z.number().refine((value) => Number.isSafeInteger(value) && value >= 0), z.string().regex(digits)],
    {
      error: 'must be a whole number, as a number or as decimal or 0x text',
    },
  )
  .transform(BigInt);

function count(minimum: number, maximum: number) {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return quantity.transform(Number).refine((value) => value >= minimum && value <= maximum, { error });
}

const seconds = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .transform(Number)
  .refine((value) => value >= 0 && value <= 86_400, { error: 'must be seconds, from 0 to 86400' });
const flag = z.boolean({ error: 'must be true or false' });

const schema = z.object({
  chain_id: quantity.refine((value) => value > 0n, { error: 'must be positive' }).nullish(),
  confirmations: count(1, 100_000).nullish(),
  replace_after: seconds.nullish(),
  presigned_replacements: flag.nullish(),
  max_bumps: count(0, 10).nullish(),
  max_fee_cap: quantity.refine((value) => value > 0n, { error: 'must be positive' }).nullish(),
  fee_mode: z
    .enum(['auto', 'eip1559', 'legacy'], { error: 'must be auto, eip1559 or legacy' })
    .nullish()
    .transform((mode) => (mode === 'auto' ? undefined : mode)),
  transfer_gas: z.enum(['fixed', 'estimate'], { error: 'must be fixed or estimate' }).nullish(),
  max_transaction_gas: quantity
    .refine((value) => value >= 21_000n, { error: 'must be at least 21000' })
    .nullish(),
  polling_interval: count(10, 600_000).nullish(),
  rpc_timeout: count(100, 600_000).nullish(),
  rpc_batch: count(1, 1_000).nullish(),
  allow_unencrypted: flag.nullish(),
});

/** @throws AdapterError `invalid-argument` naming each wrong property. */
export function readProperties({ ledgerId, properties }: LedgerConfig): EthereumProperties {
  const parsed = schema.safeParse(properties);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      pointer: `/properties/${path.join('/')}`,
      detail: message,
    }));
    const names = issues.map(({ pointer, detail }) => `${pointer.slice(12)} ${detail}`).join('; ');
    throw adapterError('invalid-argument', `Properties of ledger ${ledgerId}: ${names}.`, {
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
    transferGas: data.transfer_gas ?? 'fixed',
    maxTransactionGas: data.max_transaction_gas ?? undefined,
    pollingInterval: data.polling_interval ?? undefined,
    rpcTimeout: data.rpc_timeout ?? 10_000,
    rpcBatch: data.rpc_batch ?? 100,
    allowUnencrypted: data.allow_unencrypted ?? false,
  };
}

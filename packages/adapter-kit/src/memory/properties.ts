import type { Json, LedgerConfig } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';

/** Ledger properties that a memory session uses. */
export interface MemoryProperties {
  /** `confirmations`, default 1: depth at which a block is final. */
  confirmations: number;
  /** `replace_after`: seconds after which a transaction without an outcome is replaced; 0 disables replacement. */
  replaceAfter: bigint | undefined;
  /** `presigned_replacements`: signs bumps and a no-op in advance, even if they could be created on demand. */
  presigned: boolean;
  /** `max_fee_cap`: maximum fee of one transaction in native currency. */
  feeCap: bigint | undefined;
  /** `chain_id`. If given, it must equal the ledger's chain id. */
  chainId: bigint | undefined;
  /**
   * `retries`, default 0: how often a transaction is created again after the ledger recorded it as invalid.
   */
  retries: number;
  /** `retry_delay`, default 0: milliseconds before a retry and between the steps of a deployment. */
  retryDelay: number;
}

/** @throws AdapterError `invalid-argument` that names the property */
export function readProperties({ properties }: LedgerConfig): MemoryProperties {
  const confirmations = readQuantity(properties, 'confirmations') ?? 1n;
  if (confirmations < 1n || confirmations > 1_000_000n) throw refused('confirmations');
  return {
    confirmations: Number(confirmations),
    replaceAfter: readQuantity(properties, 'replace_after'),
    presigned: properties.presigned_replacements === true,
    feeCap: readQuantity(properties, 'max_fee_cap'),
    chainId: readQuantity(properties, 'chain_id'),
    retries: Number(readQuantity(properties, 'retries') ?? 0n),
    retryDelay: Number(readQuantity(properties, 'retry_delay') ?? 0n),
  };
}

function readQuantity(properties: Readonly<Record<string, Json>>, name: string): bigint | undefined {
  const value = properties[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && /^(0x[0-9a-fA-F]+|[0-9]+)$/.test(value)) return BigInt(value);
  throw refused(name);
}

function refused(name: string) {
  const detail = 'must be a whole number, as a number or as a decimal or 0x string';
  const issues = [{ pointer: `/properties/${name}`, detail }];
  return adapterError('invalid-argument', `Property ${name} ${detail}.`, { phase: 'open', issues });
}

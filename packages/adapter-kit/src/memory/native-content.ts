import { adapterError, type Json, type JsonObject } from '@ledger-ops/adapter';
import { GloError, parseQuantityAt } from '@ledger-ops/glo-core';

/** Transaction settings that an operation can give on a memory ledger. */
export interface MemoryContent {
  from: string | undefined;
  chainId: bigint | undefined;
  nonce: bigint | undefined;
  gasLimit: bigint | undefined;
  gasPrice: bigint | undefined;
  maxFeePerGas: bigint | undefined;
  /** Address of the account that pays the fee. */
  payer: string | undefined;
  /** Addresses of additional signers. */
  signers: string[];
  /** Secret: must not be stored in plain text. */
  transient: JsonObject | undefined;
}

/**
 * Reads native content and ignores unknown members.
 *
 * @throws AdapterError `invalid-argument`
 */
export function readContent(content: JsonObject): MemoryContent {
  const { from, transient, payer, signers } = content;
  const quantity = (name: string) => readQuantity(content[name], `/native/${name}`);
  return {
    from: typeof from === 'string' ? from : undefined,
    chainId: quantity('chainId'),
    nonce: quantity('nonce'),
    gasLimit: quantity('gasLimit'),
    gasPrice: quantity('gasPrice'),
    maxFeePerGas: quantity('maxFeePerGas'),
    payer: typeof payer === 'string' ? payer : undefined,
    signers: Array.isArray(signers) ? signers.map(String) : [],
    transient: isObject(transient) ? transient : undefined,
  };
}

function readQuantity(value: Json | undefined, pointer: string): bigint | undefined {
  if (value === undefined) return undefined;
  try {
    return parseQuantityAt(value, pointer);
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    throw adapterError('invalid-argument', error.message, { phase: 'check', issues: [...error.issues] });
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

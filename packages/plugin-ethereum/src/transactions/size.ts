import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';
import type { TransactionFields } from './transaction.ts';

/** Maximum number of bytes of a transaction in a node's mempool: four slots of 32 KiB (geth's txMaxSize). */
export const mostBytes = 131_072;
/**
 * Maximum number of bytes of everything except data and access list: the other fields, the signature, and the headers
 * of RLP lists.
 */
const otherBytes = 204;
const listEntryBytes = 30;
const listKeyBytes = 33;

/** Returns the number of bytes in `0x` hex. */
export function bytesOf(data: string): number {
  return data.length / 2 - 1;
}

/** @throws AdapterError `refused` if the data is too long for any transaction */
export function requireDataSize(bytes: number, where: Phase, pointer: string): void {
  if (bytes <= mostBytes) return;
  throw refused(
    where,
    pointer,
    `contains ${bytes} bytes of data, but nodes accept transactions of at most ${mostBytes} bytes`,
  );
}

/** @throws AdapterError `refused` if the transaction is larger than nodes accept */
export function requireSize(
  { data, accessList }: Pick<TransactionFields, 'data' | 'accessList'>,
  where: Phase,
  dataPointer: string,
): void {
  const dataBytes = bytesOf(data);
  let listBytes = 0;
  for (const { storageKeys } of accessList ?? []) {
    listBytes += listEntryBytes + listKeyBytes * storageKeys.length;
  }
  const whole = dataBytes + listBytes + otherBytes;
  if (whole <= mostBytes) return;
  const pointer = listBytes > dataBytes ? '/native/accessList' : dataPointer;
  throw refused(
    where,
    pointer,
    `requires a transaction of up to ${whole} bytes, but nodes accept at most ${mostBytes}`,
  );
}

function refused(where: Phase, pointer: string, detail: string): AdapterError {
  return adapterError('refused', `The operation ${detail}.`, { phase: where, issues: [{ pointer, detail }] });
}

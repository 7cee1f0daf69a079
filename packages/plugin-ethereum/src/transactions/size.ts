import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';
import type { TransactionFields } from './transaction.ts';

/** Most bytes of an encoded transaction in the pools of nodes: four slots of 32 KiB (geth's txMaxSize). */
export const mostBytes = 131_072;
/** The other fields take at most 204 bytes, signature and headers of lists with them. */
const otherBytes = 204;
const listEntryBytes = 30;
const listKeyBytes = 33;

/** Bytes of `0x` hex. */
export function bytesOf(data: string): number {
  return data.length / 2 - 1;
}

/** @throws AdapterError `refused` for more data than any transaction can carry */
export function requireDataSize(bytes: number, where: Phase, pointer: string): void {
  if (bytes <= mostBytes) return;
  throw refused(
    where,
    pointer,
    `makes ${bytes} bytes of data; nodes take transactions of ${mostBytes} bytes`,
  );
}

/** @throws AdapterError `refused` where the whole transaction is larger than what nodes take */
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
    `makes a transaction of up to ${whole} bytes; nodes take ${mostBytes} at most`,
  );
}

function refused(where: Phase, pointer: string, detail: string): AdapterError {
  return adapterError('refused', `The operation ${detail}.`, { phase: where, issues: [{ pointer, detail }] });
}

import { peer } from '@hyperledger/fabric-protos';

const names = new Map<number, string>(
  Object.entries(peer.TxValidationCode).map(([name, code]): [number, string] => [code, name]),
);

/** Returns the name of a `TxValidationCode`, for example `MVCC_READ_CONFLICT`. */
export function validationCodeName(code: number): string {
  return names.get(code) ?? `CODE_${code}`;
}

export const isValid = (code: number): boolean => code === peer.TxValidationCode.VALID;

/** Whether the transaction is a duplicate of an earlier one. This code does not describe the earlier transaction. */
export const isDuplicate = (code: number): boolean => code === peer.TxValidationCode.DUPLICATE_TXID;

/**
 * Returns the transactions that determine the outcome of their id. Anybody may send an envelope with the id
 * of another transaction. The block contains that envelope as invalid, next to the original, and the original
 * decides.
 */
export function deciding<One extends { txId: string; code: number }>(all: readonly One[]): One[] {
  const found = new Map<string, One>();
  for (const one of all) {
    if (isDuplicate(one.code) || one.code === peer.TxValidationCode.NOT_VALIDATED) continue;
    if (isValid(one.code) || !found.has(one.txId)) found.set(one.txId, one);
  }
  return [...found.values()];
}

/**
 * Whether the transaction's read set changed before the commit. The same operation may succeed as a new
 * transaction.
 */
export function isConflict(code: number): boolean {
  return (
    code === peer.TxValidationCode.MVCC_READ_CONFLICT || code === peer.TxValidationCode.PHANTOM_READ_CONFLICT
  );
}

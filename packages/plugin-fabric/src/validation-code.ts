import { peer } from '@hyperledger/fabric-protos';

const names = new Map<number, string>(
  Object.entries(peer.TxValidationCode).map(([name, code]): [number, string] => [code, name]),
);

/** Name of a `TxValidationCode`: `MVCC_READ_CONFLICT`. */
export function validationCodeName(code: number): string {
  return names.get(code) ?? `CODE_${code}`;
}

export const isValid = (code: number): boolean => code === peer.TxValidationCode.VALID;

/** A copy of a transaction that stands already: it says nothing about the first one. */
export const isDuplicate = (code: number): boolean => code === peer.TxValidationCode.DUPLICATE_TXID;

/** What it read had changed: the same operation may pass as a new transaction. */
export function isConflict(code: number): boolean {
  return (
    code === peer.TxValidationCode.MVCC_READ_CONFLICT || code === peer.TxValidationCode.PHANTOM_READ_CONFLICT
  );
}

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

/**
 * Those that tell what became of their transaction. Anybody may send an envelope that bears another's id: it stands in
 * its block as invalid, beside the transaction itself, which is then the one that counts.
 */
export function deciding<One extends { txId: string; code: number }>(all: readonly One[]): One[] {
  const found = new Map<string, One>();
  for (const one of all) {
    if (isDuplicate(one.code) || one.code === peer.TxValidationCode.NOT_VALIDATED) continue;
    if (isValid(one.code) || !found.has(one.txId)) found.set(one.txId, one);
  }
  return [...found.values()];
}

/** Its read set had changed meanwhile: the same operation may pass as a new transaction. */
export function isConflict(code: number): boolean {
  return (
    code === peer.TxValidationCode.MVCC_READ_CONFLICT || code === peer.TxValidationCode.PHANTOM_READ_CONFLICT
  );
}

import { peer } from '@hyperledger/fabric-protos';
import type { NamespaceSet, RangeRead, Version } from '../messages/read-write-set.ts';
import type { State } from './state.ts';

/**
 * Compares a transaction's reads with the current state, which includes the preceding valid transactions of
 * its block.
 * @returns VALID, MVCC_READ_CONFLICT or PHANTOM_READ_CONFLICT
 */
export function conflictOf(state: State, sets: readonly NamespaceSet[]): number {
  for (const { namespace, reads, ranges } of sets) {
    for (const { key, version } of reads)
      if (!same(state.get(namespace, key)?.version, version)) return peer.TxValidationCode.MVCC_READ_CONFLICT;
    for (const range of ranges)
      if (!unchanged(state, namespace, range)) return peer.TxValidationCode.PHANTOM_READ_CONFLICT;
  }
  return peer.TxValidationCode.VALID;
}

function unchanged(state: State, namespace: string, range: RangeRead): boolean {
  // Requests one entry more than was found, to detect an added entry. If the reader stopped early, the range
  // ends with the last key that it read.
  const limit = range.found.length + (range.exhausted ? 1 : 0);
  const now = state.page(namespace, range.start, false, range.exhausted ? range.end : '', limit);
  return (
    now.length === range.found.length &&
    range.found.every(({ key, version }, at) => now[at]?.key === key && same(now[at]?.version, version))
  );
}

function same(a: Version | undefined, b: Version | undefined): boolean {
  return a?.block === b?.block && a?.position === b?.position;
}

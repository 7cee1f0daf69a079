import { ledger } from '@hyperledger/fabric-protos';

const { rwset } = ledger;

/** The version of a value: the position of the transaction that wrote it. */
export interface Version {
  block: number;
  position: number;
}

/** A range that was read, and the entries found. It must be unchanged when the transaction commits. */
export interface RangeRead {
  start: string;
  /**
   * If exhausted, the exclusive end of the range (empty means no limit); otherwise the last key that was
   * read.
   */
  end: string;
  /** Whether the reader read the range to its end. */
  exhausted: boolean;
  found: { key: string; version: Version }[];
}

/** A transaction's reads and writes in one namespace. */
export interface NamespaceSet {
  namespace: string;
  /** An undefined version means that the key did not exist. */
  reads: { key: string; version: Version | undefined }[];
  ranges: RangeRead[];
  /** An undefined value means that the key was deleted. */
  writes: { key: string; value: Uint8Array | undefined }[];
}

/**
 * Encodes `rwset.TxReadWriteSet`. Equal sets in equal order produce equal bytes, so that endorsements match.
 */
export function serializeSets(sets: readonly NamespaceSet[]): Uint8Array {
  const whole = new rwset.TxReadWriteSet();
  whole.setDataModel(rwset.TxReadWriteSet.DataModel.KV);
  for (const set of sets) {
    const inner = new rwset.kvrwset.KVRWSet();
    for (const { key, version } of set.reads) inner.addReads(read(key, version));
    for (const range of set.ranges) inner.addRangeQueriesInfo(rangeInfo(range));
    for (const { key, value } of set.writes) {
      const write = new rwset.kvrwset.KVWrite();
      write.setKey(key);
      if (value === undefined) write.setIsDelete(true);
      else write.setValue(value);
      inner.addWrites(write);
    }
    const outer = new rwset.NsReadWriteSet();
    outer.setNamespace(set.namespace);
    outer.setRwset(inner.serializeBinary());
    whole.addNsRwset(outer);
  }
  return whole.serializeBinary();
}

/**
 * Decodes a read and write set.
 * @throws if the bytes are malformed, or contain parts that this network does not support (private data)
 */
export function readSets(bytes: Uint8Array): NamespaceSet[] {
  return rwset.TxReadWriteSet.deserializeBinary(bytes)
    .getNsRwsetList()
    .map((outer) => {
      const inner = rwset.kvrwset.KVRWSet.deserializeBinary(outer.getRwset_asU8());
      if (outer.getCollectionHashedRwsetList().length > 0 || inner.getMetadataWritesList().length > 0)
        throw new RangeError('Private data and key-level endorsement are not supported by this network.');
      return {
        namespace: outer.getNamespace(),
        reads: inner.getReadsList().map((one) => ({ key: one.getKey(), version: version(one.getVersion()) })),
        ranges: inner.getRangeQueriesInfoList().map((range) => ({
          start: range.getStartKey(),
          end: range.getEndKey(),
          exhausted: range.getItrExhausted(),
          found: (range.getRawReads()?.getKvReadsList() ?? []).map((one) => ({
            key: one.getKey(),
            version: version(one.getVersion()) ?? { block: 0, position: 0 },
          })),
        })),
        writes: inner.getWritesList().map((write) => ({
          key: write.getKey(),
          value: write.getIsDelete() ? undefined : write.getValue_asU8(),
        })),
      };
    });
}

function rangeInfo(range: RangeRead): ledger.rwset.kvrwset.RangeQueryInfo {
  const info = new rwset.kvrwset.RangeQueryInfo();
  info.setStartKey(range.start);
  info.setEndKey(range.end);
  info.setItrExhausted(range.exhausted);
  const found = new rwset.kvrwset.QueryReads();
  for (const { key, version } of range.found) found.addKvReads(read(key, version));
  info.setRawReads(found);
  return info;
}

function read(key: string, at: Version | undefined): ledger.rwset.kvrwset.KVRead {
  const one = new rwset.kvrwset.KVRead();
  one.setKey(key);
  if (at !== undefined) {
    const value = new rwset.kvrwset.Version();
    value.setBlockNum(at.block);
    value.setTxNum(at.position);
    one.setVersion(value);
  }
  return one;
}

function version(value: ledger.rwset.kvrwset.Version | undefined): Version | undefined {
  return value && { block: value.getBlockNum(), position: value.getTxNum() };
}

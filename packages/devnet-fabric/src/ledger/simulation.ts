import type { Simulator } from '../chaincode/types.ts';
import {
  type NamespaceSet,
  type RangeRead,
  serializeSets,
  type Version,
} from '../messages/read-write-set.ts';
import type { Snapshot } from './snapshot.ts';

/** A simulator that records reads and writes. */
export interface Simulation extends Simulator {
  /** Returns `rwset.TxReadWriteSet` bytes. Nothing may be read or written afterwards. */
  finish(): Uint8Array;
  /** Namespaces that were read or written, sorted. */
  touched(): string[];
}

interface Touched {
  reads: Map<string, Version | undefined>;
  ranges: RangeRead[];
  writes: Map<string, Uint8Array | undefined>;
}

/** Creates a simulation of one transaction on a snapshot. */
export function simulate(snapshot: Snapshot): Simulation {
  const namespaces = new Map<string, Touched>();
  const touch = (namespace: string): Touched => {
    const known = namespaces.get(namespace);
    if (known !== undefined) return known;
    const fresh: Touched = { reads: new Map(), ranges: [], writes: new Map() };
    namespaces.set(namespace, fresh);
    return fresh;
  };
  return {
    getState(namespace, key) {
      const found = snapshot.get(namespace, key);
      touch(namespace).reads.set(key, found?.version);
      return found?.value;
    },
    putState: (namespace, key, value) => void touch(namespace).writes.set(key, Uint8Array.from(value)),
    deleteState: (namespace, key) => void touch(namespace).writes.set(key, undefined),
    *range(namespace, startKey, endKey) {
      const read: RangeRead = { start: startKey, end: endKey, exhausted: false, found: [] };
      touch(namespace).ranges.push(read);
      for (const { key, value, version } of snapshot.range(namespace, startKey, endKey)) {
        read.found.push({ key, version });
        // If the reader stops here, the recorded range ends with this key.
        read.end = key;
        yield { key, value };
      }
      read.end = endKey;
      read.exhausted = true;
    },
    history: (namespace, key) => snapshot.history(namespace, key),
    touched: () => [...namespaces.keys()].sort(),
    finish: () => serializeSets([...namespaces].map(asSet).sort((a, b) => compare(a.namespace, b.namespace))),
  };
}

function asSet([namespace, { reads, ranges, writes }]: [string, Touched]): NamespaceSet {
  const byKey = (a: { key: string }, b: { key: string }) => compare(a.key, b.key);
  return {
    namespace,
    reads: [...reads].map(([key, version]) => ({ key, version })).sort(byKey),
    // A range from which nothing was read is not recorded.
    ranges: ranges.filter(({ exhausted, found }) => exhausted || found.length > 0),
    writes: [...writes].map(([key, value]) => ({ key, value })).sort(byKey),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { ledger, peer } from '@hyperledger/fabric-protos';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { KeyModification, KeyValue } from './types.ts';

/** Number of results per message, as on a peer. */
const batchSize = 100;

/** A requested page: its size and its first key (empty for the start of the range). */
export interface Page {
  size: number;
  bookmark: string;
}

/**
 * The open queries of one transaction. A chaincode reads a query in batches and closes it, even after it has
 * read all results.
 */
export interface Queries {
  /**
   * Starts a query and returns its first batch.
   * @returns the bytes of `protos.QueryResponse`.
   */
  open(results: Iterable<Uint8Array>): Uint8Array;
  /**
   * Returns the next batch.
   * @throws if the query does not exist or has no more results.
   */
  next(id: string): Uint8Array;
  close(id: string): Uint8Array;
  closeAll(): void;
}

/** Creates the query list of one transaction. */
export function createQueries(): Queries {
  const open = new Map<string, Peekable>();
  let count = 0;

  const batch = (id: string, results: Peekable): Uint8Array => {
    const response = new peer.QueryResponse();
    response.setId(id);
    const list: peer.QueryResultBytes[] = [];
    for (let value = results.next(); value !== undefined; ) {
      list.push(resultBytes(value));
      value = list.length < batchSize ? results.next() : undefined;
    }
    response.setResultsList(list);
    response.setHasMore(results.more());
    if (!results.more()) forget(id);
    return response.serializeBinary();
  };
  const forget = (id: string) => {
    open.get(id)?.close();
    open.delete(id);
  };

  return {
    open(results) {
      count++;
      const id = String(count);
      const peekable = peek(results);
      open.set(id, peekable);
      return batch(id, peekable);
    },
    next(id) {
      const results = open.get(id);
      if (results === undefined) throw new Error('query iterator not found');
      return batch(id, results);
    },
    close(id) {
      forget(id);
      const response = new peer.QueryResponse();
      response.setId(id);
      return response.serializeBinary();
    },
    closeAll() {
      for (const id of [...open.keys()]) forget(id);
    },
  };
}

/**
 * Returns one page of a range: all its results in one message, with their number and the start key of the
 * next page.
 */
export function readPage(results: Iterable<KeyValue>, size: number): Uint8Array {
  const list: peer.QueryResultBytes[] = [];
  let bookmark = '';
  for (const result of results) {
    if (list.length === size) {
      bookmark = result.key;
      break;
    }
    list.push(resultBytes(keyValue(result)));
  }
  const metadata = new peer.QueryResponseMetadata();
  metadata.setFetchedRecordsCount(list.length);
  metadata.setBookmark(bookmark);
  const response = new peer.QueryResponse();
  response.setResultsList(list);
  response.setMetadata(metadata.serializeBinary());
  return response.serializeBinary();
}

/** Encodes the entries of a range. */
export function* keyValues(results: Iterable<KeyValue>): Iterable<Uint8Array> {
  for (const result of results) yield keyValue(result);
}

/** Encodes the history of a key. */
export function* modifications(results: Iterable<KeyModification>): Iterable<Uint8Array> {
  for (const result of results) {
    const message = new ledger.queryresult.KeyModification();
    message.setTxId(result.txId);
    message.setValue(result.value);
    message.setIsDelete(result.isDelete);
    message.setTimestamp(timestamps.Timestamp.fromDate(result.timestamp));
    yield message.serializeBinary();
  }
}

function keyValue(result: KeyValue): Uint8Array {
  const message = new ledger.queryresult.KV();
  message.setKey(result.key);
  message.setValue(result.value);
  return message.serializeBinary();
}

function resultBytes(bytes: Uint8Array): peer.QueryResultBytes {
  const result = new peer.QueryResultBytes();
  result.setResultbytes(bytes);
  return result;
}

/** An iterator that reads one result ahead, to detect whether there are more. */
interface Peekable {
  next(): Uint8Array | undefined;
  more(): boolean;
  close(): void;
}

function peek(results: Iterable<Uint8Array>): Peekable {
  const iterator = results[Symbol.iterator]();
  const read = () => {
    const { done, value } = iterator.next();
    return done === true ? undefined : value;
  };
  let ahead = read();
  return {
    next() {
      const value = ahead;
      if (value !== undefined) ahead = read();
      return value;
    },
    more: () => ahead !== undefined,
    close: () => void iterator.return?.(),
  };
}

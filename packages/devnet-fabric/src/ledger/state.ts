import type { KeyModification } from '../chaincode/types.ts';
import type { Version } from '../messages/read-write-set.ts';
import type { Connection } from './database.ts';

/** A value and the transaction that wrote it. */
export interface Versioned {
  value: Uint8Array;
  version: Version;
}

/** A key with its value. */
export interface Entry extends Versioned {
  key: string;
}

/** The transaction that writes: its position in the chain, and the data stored in the history. */
export interface Writer {
  version: Version;
  txId: string;
  /** Milliseconds since the epoch, by the client's clock. */
  time: number;
}

/** The current state of all namespaces, and its history. */
export interface State {
  get(namespace: string, key: string): Versioned | undefined;
  /** Returns the value before the block was committed. */
  before(block: number, namespace: string, key: string): Versioned | undefined;
  /**
   * Returns at most `limit` entries from `start` (exclusive if `after` is set) to `end` (exclusive; empty means no
   * limit).
   */
  page(namespace: string, start: string, after: boolean, end: string, limit: number): Entry[];
  /**
   * Returns the keys from `start` to `end` that were written in this block or later. `end` is included if `inclusive`
   * is set.
   */
  writtenSince(block: number, namespace: string, start: string, end: string, inclusive: boolean): string[];
  /** Returns the values of a key before the block was committed, newest first. */
  history(block: number, namespace: string, key: string): KeyModification[];
  /** An undefined value deletes the key. */
  write(namespace: string, key: string, value: Uint8Array | undefined, writer: Writer): void;
}

interface Row {
  key: string;
  value: Buffer;
  block: number;
  position: number;
}

/** Opens the state stored in a database. */
export function stateOf(connection: Connection): State {
  const get = connection.prepare<[string, string], Row>(
    'SELECT key, value, block, position FROM state WHERE namespace = ? AND key = ?',
  );
  const before = connection.prepare<[string, string, number], Omit<Row, 'value'> & { value: Buffer | null }>(
    `SELECT key, value, block, position FROM history WHERE namespace = ? AND key = ? AND block < ?
     ORDER BY block DESC, position DESC LIMIT 1`,
  );
  const pageSql = (operator: string) =>
    `SELECT key, value, block, position FROM state
     WHERE namespace = @namespace AND key ${operator} @start AND (@end = '' OR key < @end) ORDER BY key LIMIT @limit`;
  type Page = { namespace: string; start: string; end: string; limit: number };
  const pageFrom = connection.prepare<[Page], Row>(pageSql('>='));
  const pageAfter = connection.prepare<[Page], Row>(pageSql('>'));
  const since = connection.prepare<
    [{ block: number; namespace: string; start: string; end: string; inclusive: number }],
    { key: string }
  >(
    `SELECT DISTINCT key FROM history WHERE block >= @block AND namespace = @namespace AND key >= @start
     AND (@end = '' OR key < @end OR (@inclusive = 1 AND key = @end))`,
  );
  const history = connection.prepare<
    [string, string, number],
    { value: Buffer | null; tx: string; time: number }
  >(
    `SELECT value, tx, time FROM history WHERE namespace = ? AND key = ? AND block < ?
     ORDER BY block DESC, position DESC`,
  );
  const replace = connection.prepare(
    'REPLACE INTO state (namespace, key, value, block, position) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = connection.prepare('DELETE FROM state WHERE namespace = ? AND key = ?');
  const remember = connection.prepare(
    'INSERT INTO history (namespace, key, block, position, value, tx, time) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  return {
    get: (namespace, key) => {
      const row = get.get(namespace, key);
      return row && entry(row);
    },
    before: (block, namespace, key) => {
      const row = before.get(namespace, key, block);
      return row === undefined || row.value === null ? undefined : entry({ ...row, value: row.value });
    },
    page: (namespace, start, after, end, limit) =>
      (after ? pageAfter : pageFrom).all({ namespace, start, end, limit }).map(entry),
    writtenSince: (block, namespace, start, end, inclusive) =>
      since.all({ block, namespace, start, end, inclusive: inclusive ? 1 : 0 }).map(({ key }) => key),
    history: (block, namespace, key) =>
      history.all(namespace, key, block).map(({ value, tx, time }) => ({
        txId: tx,
        timestamp: new Date(time),
        isDelete: value === null,
        value: value ?? new Uint8Array(),
      })),
    write: (namespace, key, value, { version, txId, time }) => {
      const { block, position } = version;
      if (value === undefined) remove.run(namespace, key);
      else replace.run(namespace, key, value, block, position);
      remember.run(namespace, key, block, position, value ?? null, txId, time);
    },
  };
}

function entry({ key, value, block, position }: Row): Entry {
  return { key, value, version: { block, position } };
}

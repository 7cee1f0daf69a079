import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DevnetError } from '@ledger-ops/devnet';
import Database from 'better-sqlite3';

/** A connection to the network's only database. */
export type Connection = Database.Database;

/**
 * Strings are compared by their UTF-8 bytes, as Fabric sorts keys. `history` keeps every valid write forever,
 * for `GetHistoryForKey` and for simulations on earlier states.
 */
const schema = `
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS block (
  number INTEGER PRIMARY KEY, hash BLOB NOT NULL, bytes BLOB NOT NULL, filtered BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS tx (
  id TEXT PRIMARY KEY, block INTEGER NOT NULL, position INTEGER NOT NULL, code INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
  block INTEGER NOT NULL, position INTEGER NOT NULL, chaincode TEXT NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (block, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (
  namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, block INTEGER NOT NULL, position INTEGER NOT NULL,
  PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
  namespace TEXT NOT NULL, key TEXT NOT NULL, block INTEGER NOT NULL, position INTEGER NOT NULL,
  value BLOB, tx TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (namespace, key, block, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS history_block ON history (block);
CREATE TABLE IF NOT EXISTS package (
  msp TEXT NOT NULL, id TEXT NOT NULL, label TEXT NOT NULL, address TEXT NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (msp, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`;

/**
 * Opens a database in memory, or, if a folder is given, `network.sqlite` in it. The file contains keys, so
 * only its owner may read it.
 * @throws DevnetError if another process has it open
 */
export function openDatabase(directory: string | undefined): Connection {
  if (directory === undefined) return prepare(new Database(':memory:'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'network.sqlite');
  const connection = open(file);
  chmodSync(file, 0o600);
  // With these settings, a killed process loses no data. A power failure may lose data, which is acceptable
  // here.
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  return prepare(connection);
}

function open(file: string): Connection {
  const connection = new Database(file, { timeout: 500 });
  try {
    // Only one network may use a folder: two orderers would write two chains into one database.
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return connection;
  } catch (cause) {
    connection.close();
    throw new DevnetError(
      `${file} cannot be opened exclusively. Another network may be using it: stop that network, or use another directory.`,
      { cause },
    );
  }
}

/** Small records stored as JSON by name. */
export interface Settings {
  /** The caller knows which type it stored under the name. */
  get<T>(name: string): T | undefined;
  set(name: string, value: unknown): void;
}

/** Opens the settings in a database. */
export function settingsOf(connection: Connection): Settings {
  const select = connection.prepare<[string], { value: string }>('SELECT value FROM setting WHERE name = ?');
  const replace = connection.prepare('REPLACE INTO setting (name, value) VALUES (?, ?)');
  return {
    get: <T>(name: string) => {
      const row = select.get(name);
      // Only this program writes this table, so the JSON has the expected type.
      return row === undefined ? undefined : (JSON.parse(row.value) as T);
    },
    set: (name, value) => {
      replace.run(name, JSON.stringify(value));
    },
  };
}

function prepare(connection: Connection): Connection {
  connection.exec(schema);
  return connection;
}

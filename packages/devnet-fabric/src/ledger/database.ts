import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DevnetError } from '@ledger-ops/devnet';
import Database from 'better-sqlite3';

/** A connection to the network's one database. */
export type Connection = Database.Database;

/**
 * Text is compared by its UTF-8 bytes, as Fabric sorts keys. `history` holds each valid write for ever: it answers
 * `GetHistoryForKey`, and what a key was before a block that a running simulation must not see.
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
 * Opens the database in memory, or, given a folder, in `network.sqlite` there: it holds keys, so only its owner reads it.
 * @throws DevnetError when another process has it open
 */
export function openDatabase(directory: string | undefined): Connection {
  if (directory === undefined) return prepare(new Database(':memory:'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'network.sqlite');
  const connection = open(file);
  chmodSync(file, 0o600);
  // A killed process loses nothing this way; what a power cut may take does not matter here.
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = NORMAL');
  return prepare(connection);
}

function open(file: string): Connection {
  const connection = new Database(file, { timeout: 500 });
  try {
    // One network to a folder: two orderers would write two chains into one.
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
    return connection;
  } catch (cause) {
    connection.close();
    throw new DevnetError(`${file} cannot be used: another network may be running from it.`, { cause });
  }
}

/** Small records kept by name, as JSON. */
export interface Settings {
  /** The caller knows what it stored under the name. */
  get<T>(name: string): T | undefined;
  set(name: string, value: unknown): void;
}

/** The settings in a database. */
export function settingsOf(connection: Connection): Settings {
  const select = connection.prepare<[string], { value: string }>('SELECT value FROM setting WHERE name = ?');
  const replace = connection.prepare('REPLACE INTO setting (name, value) VALUES (?, ?)');
  return {
    get: <T>(name: string) => {
      const row = select.get(name);
      // Only this process and its predecessors write here.
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

import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DevnetError } from '@ledger-ops/devnet';
import Database from 'better-sqlite3';
import { addressOf, type Base58, bytesOf } from '../base58.ts';
import { parseJson, writeJson } from '../json.ts';
import type { AccountState } from '../runtime/bank.ts';
import type { ExecutedTransaction, TransactionMeta } from '../transactions/execute.ts';

/** A block without its transactions. */
export interface BlockHead {
  slot: number;
  parentSlot: number;
  height: number;
  blockhash: Base58;
  previousBlockhash: Base58;
  /** Seconds since the epoch. */
  time: number;
}

/** A newly created block. */
export interface Block extends BlockHead {
  transactions: ExecutedTransaction[];
  /** Accounts changed by the block; undefined means deleted. */
  writes: Map<Base58, AccountState | undefined>;
}

export interface StoredTransaction {
  id: Base58;
  slot: number;
  position: number;
  wire: Uint8Array;
  meta: TransactionMeta;
}

type Writes = [Base58, AccountState | undefined][];

/**
 * `account` contains the accounts as of the last finalized block, and `write` the changes of later blocks.
 * Removed blocks are deleted, so the file contains a single chain.
 */
const schema = `
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS block (
  slot INTEGER PRIMARY KEY, parent INTEGER NOT NULL, height INTEGER NOT NULL UNIQUE, hash TEXT NOT NULL,
  previous TEXT NOT NULL, time INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS tx (
  slot INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, wire BLOB NOT NULL, meta TEXT NOT NULL,
  PRIMARY KEY (slot, position)
);
CREATE TABLE IF NOT EXISTS mention (
  address TEXT NOT NULL, slot INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (address, slot, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS mention_slot ON mention (slot);
CREATE TABLE IF NOT EXISTS account (address TEXT PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS write (
  slot INTEGER NOT NULL, address TEXT NOT NULL, state BLOB, PRIMARY KEY (slot, address)
);
`;

const blockColumns =
  'slot, parent AS parentSlot, height, hash AS blockhash, previous AS previousBlockhash, time';

/** Blocks, transactions and accounts in a SQLite file or in memory. */
export class Store {
  readonly #connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  /** @throws DevnetError if another process has the file open, or if it is not a state file */
  constructor(file: string | undefined) {
    this.#connection = file === undefined ? new Database(':memory:') : open(file);
    this.#connection.exec(schema);
  }

  /** Stores everything that `work` writes, or nothing. */
  atomically<Result>(work: () => Result): Result {
    return this.#connection.transaction(work)();
  }

  setting(name: string): string | undefined {
    const row: { value: string } | undefined = this.#get('SELECT value FROM setting WHERE name = ?', name);
    return row?.value;
  }

  setSetting(name: string, value: string): void {
    this.#run('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)', name, value);
  }

  addBlock(block: Block): void {
    this.#run(
      'INSERT INTO block (slot, parent, height, hash, previous, time) VALUES (?, ?, ?, ?, ?, ?)',
      ...[block.slot, block.parentSlot, block.height, block.blockhash, block.previousBlockhash, block.time],
    );
    block.transactions.forEach(({ id, wire, meta, accounts }, position) => {
      this.#run(
        'INSERT INTO tx (slot, position, id, wire, meta) VALUES (?, ?, ?, ?, ?)',
        ...[block.slot, position, id, wire, writeJson(meta)],
      );
      for (const address of new Set(accounts))
        this.#run(
          'INSERT INTO mention (address, slot, position) VALUES (?, ?, ?)',
          ...[address, block.slot, position],
        );
    });
    for (const [address, state] of block.writes)
      this.#run(
        'INSERT INTO write (slot, address, state) VALUES (?, ?, ?)',
        ...[block.slot, address, state === undefined ? null : pack(state)],
      );
  }

  /**
   * Finalizes a block by writing its account changes to `account`. `slot` must be the lowest slot that is not
   * finalized.
   */
  finalize(slot: number): void {
    this.#run('DELETE FROM account WHERE address IN (SELECT address FROM write WHERE slot = ?)', slot);
    this.#run(
      'INSERT INTO account SELECT address, state FROM write WHERE slot = ? AND state IS NOT NULL',
      slot,
    );
    this.#run('DELETE FROM write WHERE slot = ?', slot);
    this.setSetting('finalized', String(slot));
  }

  /** Deletes all blocks above a slot. */
  removeAbove(slot: number): void {
    for (const table of ['block', 'tx', 'mention', 'write'])
      this.#run(`DELETE FROM ${table} WHERE slot > ?`, slot);
  }

  accounts(): Writes {
    return this.#all<Row>('SELECT address, state FROM account').map(unpackRow);
  }

  writesOf(slot: number): Writes {
    return this.#all<Row>('SELECT address, state FROM write WHERE slot = ?', slot).map(unpackRow);
  }

  block(slot: number): BlockHead | undefined {
    return this.#get(`SELECT ${blockColumns} FROM block WHERE slot = ?`, slot);
  }

  firstBlock(): BlockHead | undefined {
    return this.#get(`SELECT ${blockColumns} FROM block ORDER BY slot LIMIT 1`);
  }

  /** Newest first. */
  newestBlocks(limit: number): BlockHead[] {
    return this.#all(`SELECT ${blockColumns} FROM block ORDER BY slot DESC LIMIT ?`, limit);
  }

  slots(first: number, last: number, limit: number): number[] {
    return this.#all<{ slot: number }>(
      'SELECT slot FROM block WHERE slot BETWEEN ? AND ? ORDER BY slot LIMIT ?',
      ...[first, last, limit],
    ).map(({ slot }) => slot);
  }

  /** Returns the slot of a transaction's block. */
  slotOf(id: Base58): number | undefined {
    const row: { slot: number } | undefined = this.#get('SELECT slot FROM tx WHERE id = ?', id);
    return row?.slot;
  }

  transaction(id: Base58): StoredTransaction | undefined {
    const row = this.#get<TransactionRow>('SELECT * FROM tx WHERE id = ?', id);
    return row === undefined ? undefined : readTransaction(row);
  }

  transactionsOf(slot: number): StoredTransaction[] {
    return this.#all<TransactionRow>('SELECT * FROM tx WHERE slot = ? ORDER BY position', slot).map(
      readTransaction,
    );
  }

  /** Transactions that name an address, newest first, between two exclusive positions. */
  mentions(
    address: Base58,
    { before, until, limit }: { before: Place; until: Place; limit: number },
  ): StoredTransaction[] {
    return this.#all<TransactionRow>(
      `SELECT tx.* FROM mention JOIN tx USING (slot, position)
       WHERE mention.address = ? AND (mention.slot, mention.position) < (?, ?)
         AND (mention.slot, mention.position) > (?, ?)
       ORDER BY mention.slot DESC, mention.position DESC LIMIT ?`,
      ...[address, before.slot, before.position, until.slot, until.position, limit],
    ).map(readTransaction);
  }

  /** Returns the number of transactions up to a slot. */
  countTransactions(slot: number): number {
    const row: { count: number } | undefined = this.#get(
      'SELECT COUNT(*) AS count FROM tx WHERE slot <= ?',
      slot,
    );
    return row?.count ?? 0;
  }

  close(): void {
    this.#connection.close();
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: unknown[]): void {
    this.#statement(sql).run(...values);
  }

  // The type of the rows is determined by the statement's columns.
  #get<Found>(sql: string, ...values: unknown[]): Found | undefined {
    return this.#statement(sql).get(...values) as Found | undefined;
  }

  #all<Found>(sql: string, ...values: unknown[]): Found[] {
    return this.#statement(sql).all(...values) as Found[];
  }
}

/** A transaction's position on the chain. */
export interface Place {
  slot: number;
  position: number;
}

interface Row {
  address: Base58;
  state: Buffer | null;
}

interface TransactionRow extends Place {
  id: Base58;
  wire: Buffer;
  meta: string;
}

function readTransaction({ meta, ...row }: TransactionRow): StoredTransaction {
  // The JSON was written by `addBlock`.
  return { ...row, meta: parseJson(meta) as TransactionMeta };
}

function open(file: string): Database.Database {
  mkdirSync(dirname(file), { recursive: true });
  const connection = new Database(file, { timeout: 500 });
  try {
    // Holds the lock from the first write until the file is closed, so a second process cannot use the file.
    connection.pragma('locking_mode = EXCLUSIVE');
    // A killed process loses no data. A power failure may lose data, which is acceptable here.
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.exec('BEGIN IMMEDIATE; COMMIT');
    // The file contains the faucet's key.
    chmodSync(file, 0o600);
    return connection;
  } catch (cause) {
    connection.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DevnetError(`The state file ${file} cannot be used: ${why}.`, { cause });
  }
}

const head = 8 + 8 + 1 + 32;

function pack(account: AccountState): Buffer {
  const bytes = Buffer.alloc(head + account.data.length);
  bytes.writeBigUInt64LE(account.lamports, 0);
  bytes.writeBigUInt64LE(account.rentEpoch, 8);
  bytes.writeUInt8(account.executable ? 1 : 0, 16);
  bytes.set(bytesOf(account.owner), 17);
  bytes.set(account.data, head);
  return bytes;
}

function unpackRow({ address, state }: Row): [Base58, AccountState | undefined] {
  if (state === null) return [address, undefined];
  const account = {
    lamports: state.readBigUInt64LE(0),
    rentEpoch: state.readBigUInt64LE(8),
    executable: state[16] === 1,
    owner: addressOf(state.subarray(17, head)),
    data: new Uint8Array(state.subarray(head)),
  };
  return [address, account];
}

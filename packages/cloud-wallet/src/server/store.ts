import { DatabaseSync } from 'node:sqlite';
import type { AttemptKind, Cursor, JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { type ProblemMessage, problemMessage } from '@ledger-ops/adapter/cloud-wallet';
import { z } from 'zod';
import type { SignedAttempt } from './sign-attempts.ts';

/** The file of a served plugin: its wallets, and the signed bytes of each action, which it may not lose. */

/** A wallet; its key is sealed. */
export interface WalletRow {
  walletId: string;
  ledgerId: string;
  identity: WalletIdentity;
  sealed: Uint8Array;
}

/** An action, as it was promised. */
export interface ActionRow {
  actionId: string;
  walletId: string;
  ledgerId: string;
  fingerprint: string;
  /** The first attempt's id; the action's where nothing was signed. */
  txId: string;
  status: 'PROCESSING' | 'SUCCEEDED' | 'FAILED';
  locator: string | null;
  contractAddress: string | null;
  problem: ProblemMessage | null;
}

/** A signed transaction of an action. */
export interface AttemptRow {
  /** Chain that it was signed for; ids are unique on a chain, and may come again when one was reset. */
  chain: string;
  txId: string;
  actionId: string;
  ledgerId: string;
  kind: AttemptKind;
  address: string;
  sequence: bigint | null;
  bytes: Uint8Array;
  cost: bigint;
  /** Milliseconds since the epoch. */
  signedAt: number;
  /** The ledger's own id of it, where it has told one. */
  note: string | null;
  /** The last height at which the ledger may execute it; null: it does not expire. */
  validUntil: number | null;
}

/** Signed transactions as rows. */
export function attemptRows(
  signed: readonly SignedAttempt[],
  common: Pick<AttemptRow, 'chain' | 'actionId' | 'ledgerId' | 'address' | 'sequence' | 'signedAt'>,
): AttemptRow[] {
  return signed.map(({ txId, kind, bytes, cost, validUntil = null }) => {
    return { ...common, txId, kind, bytes, cost, note: null, validUntil };
  });
}

/** An action that needs another transaction. */
export interface ContinuationRow {
  actionId: string;
  walletId: string;
  plan: JsonObject;
  sealed: Uint8Array;
  /** Milliseconds since the epoch: not before. */
  due: number;
}

/** How an action ended. */
export interface ActionEnd {
  status: 'SUCCEEDED' | 'FAILED';
  locator?: string | undefined;
  contractAddress?: string | undefined;
  problem?: ProblemMessage | undefined;
}

const schema = `
  CREATE TABLE IF NOT EXISTS wallet (
    wallet_id TEXT PRIMARY KEY, ledger_id TEXT NOT NULL, identity TEXT NOT NULL, sealed BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS action (
    action_id TEXT PRIMARY KEY, wallet_id TEXT NOT NULL, ledger_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
    tx_id TEXT NOT NULL, status TEXT NOT NULL, locator TEXT, contract_address TEXT, problem TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS attempt (
    chain TEXT NOT NULL, tx_id TEXT NOT NULL, action_id TEXT NOT NULL, ledger_id TEXT NOT NULL,
    kind TEXT NOT NULL, address TEXT NOT NULL, sequence TEXT, bytes BLOB NOT NULL, cost TEXT NOT NULL,
    signed_at INTEGER NOT NULL, note TEXT, valid_until INTEGER, open INTEGER NOT NULL, PRIMARY KEY (chain, tx_id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS attempt_open ON attempt (ledger_id) WHERE open = 1;
  CREATE INDEX IF NOT EXISTS attempt_action ON attempt (action_id);
  CREATE INDEX IF NOT EXISTS attempt_tx ON attempt (tx_id);
  CREATE TABLE IF NOT EXISTS continuation (
    action_id TEXT PRIMARY KEY, sealed BLOB NOT NULL, plan TEXT NOT NULL, due INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS account (
    chain TEXT NOT NULL, address TEXT NOT NULL, next TEXT NOT NULL, PRIMARY KEY (chain, address)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS progress (
    ledger_id TEXT PRIMARY KEY, chain TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL
  ) STRICT;`;

const walletRow = z.object({
  wallet_id: z.string(),
  ledger_id: z.string(),
  identity: z.string(),
  sealed: z.instanceof(Uint8Array),
});
const actionRow = z.object({
  action_id: z.string(),
  wallet_id: z.string(),
  ledger_id: z.string(),
  fingerprint: z.string(),
  tx_id: z.string(),
  status: z.enum(['PROCESSING', 'SUCCEEDED', 'FAILED']),
  locator: z.string().nullable(),
  contract_address: z.string().nullable(),
  problem: z.string().nullable(),
});
const attemptRow = z.object({
  chain: z.string(),
  tx_id: z.string(),
  action_id: z.string(),
  ledger_id: z.string(),
  kind: z.enum(['main', 'bump', 'noop']),
  address: z.string(),
  sequence: z.string().nullable(),
  bytes: z.instanceof(Uint8Array),
  cost: z.string(),
  signed_at: z.number(),
  note: z.string().nullable(),
  valid_until: z.number().nullable(),
});
const continuationRow = z.object({
  action_id: z.string(),
  wallet_id: z.string(),
  sealed: z.instanceof(Uint8Array),
  plan: z.string(),
  due: z.number(),
});
const countRow = z.object({ count: z.number() });
const identityJson = z.object({
  address: z.string(),
  aliases: z.array(z.string()).exactOptional(),
  material: z.record(z.string(), z.json()).exactOptional(),
});

/** The database of a served plugin. Each writing call is one durable transaction. */
export interface ServedStore {
  wallet(walletId: string): WalletRow | undefined;
  /** False when the id is taken. */
  addWallet(wallet: WalletRow): boolean;
  /** By action id, or by the id of any attempt. */
  action(id: string): ActionRow | undefined;
  actionOfAttempt(txId: string): ActionRow | undefined;
  /**
   * Adds an action with what was signed for it, and takes its sequence. False when the action exists, or the
   * sequence is no longer the next one: then nothing is written.
   */
  addAction(
    action: ActionRow,
    attempts: readonly AttemptRow[],
    sequence?: { chain: string; address: string; expected: bigint },
    /** Where it may need another transaction: its signing grant, and the plan of this one. */
    grant?: { sealed: Uint8Array; plan: JsonObject } | null,
  ): boolean;
  /**
   * The action's transaction is over, and it needs another one, by this plan or by that of the last one (null). False when
   * nothing can sign that.
   */
  continueAction(actionId: string, plan: JsonObject | null, due: number): boolean;
  /** Transactions that the action has had. */
  transactionsOf(actionId: string): number;
  continuations(ledgerId: string): ContinuationRow[];
  /** Stores its next transactions. False when it has ended meanwhile: then nothing is written. */
  addAttempts(actionId: string, attempts: readonly AttemptRow[], keepGrant: boolean): boolean;
  note(txId: string, note: string): void;
  /** Next sequence as far as it was taken here. */
  nextSequence(chain: string, address: string): bigint;
  /** Attempts of unfinished actions, in the order in which they were signed. */
  openAttempts(ledgerId: string): AttemptRow[];
  progress(ledgerId: string): { chain: string; cursor: Cursor } | undefined;
  /** Ends actions, and stores how far the chain was read. */
  settle(
    ledgerId: string,
    chain: string,
    cursor: Cursor | null,
    ends: ReadonlyMap<string, ActionEnd>,
    closedAttempts: readonly string[],
  ): void;
  close(): void;
}

/**
 * Opens the database, and makes it when there is none. One process at a time.
 * @param path of the file; `:memory:` for tests.
 */
export function openServedStore(path: string): ServedStore {
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;',
  );
  database.exec(schema);
  const statement = (sql: string) => database.prepare(sql);
  const selectWallet = statement('SELECT * FROM wallet WHERE wallet_id = ?');
  const insertWallet = statement('INSERT INTO wallet VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const selectAction = statement('SELECT * FROM action WHERE action_id = ?');
  const selectByAttempt = statement(
    'SELECT action.* FROM action JOIN attempt USING (action_id) WHERE attempt.tx_id = ? ORDER BY attempt.rowid DESC LIMIT 1',
  );
  const insertAction = statement(
    'INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const insertAttempt = statement('INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)');
  const insertGrant = statement('INSERT INTO continuation VALUES (?, ?, ?, NULL)');
  const deleteGrant = statement('DELETE FROM continuation WHERE action_id = ?');
  const putPlan = statement(
    "UPDATE continuation SET plan = COALESCE(?, plan), due = ? WHERE action_id = ? AND EXISTS (SELECT 1 FROM action WHERE action_id = continuation.action_id AND status = 'PROCESSING')",
  );
  const clearPlan = statement(
    "UPDATE continuation SET due = NULL WHERE action_id = ? AND due IS NOT NULL AND EXISTS (SELECT 1 FROM action WHERE action_id = continuation.action_id AND status = 'PROCESSING')",
  );
  const selectContinuations = statement(
    'SELECT continuation.*, action.wallet_id FROM continuation JOIN action USING (action_id) WHERE action.ledger_id = ? AND due IS NOT NULL',
  );
  const countAttempts = statement('SELECT COUNT(*) AS count FROM attempt WHERE action_id = ?');
  const putNote = statement('UPDATE attempt SET note = ? WHERE tx_id = ? AND open = 1');
  const selectNext = statement('SELECT next FROM account WHERE chain = ? AND address = ?');
  const putNext = statement(
    'INSERT INTO account VALUES (?, ?, ?) ON CONFLICT (chain, address) DO UPDATE SET next = excluded.next',
  );
  const selectOpen = statement('SELECT * FROM attempt WHERE ledger_id = ? AND open = 1 ORDER BY rowid');
  const closeAttempt = statement('UPDATE attempt SET open = 0 WHERE tx_id = ? AND open = 1');
  const closeAttempts = statement('UPDATE attempt SET open = 0 WHERE action_id = ?');
  const endAction = statement(
    "UPDATE action SET status = ?, locator = ?, contract_address = ?, problem = ? WHERE action_id = ? AND status = 'PROCESSING'",
  );
  const selectProgress = statement('SELECT chain, height, hash FROM progress WHERE ledger_id = ?');
  const putProgress = statement(
    'INSERT INTO progress VALUES (?, ?, ?, ?) ON CONFLICT (ledger_id) DO UPDATE SET chain = excluded.chain, height = excluded.height, hash = excluded.hash',
  );

  const transaction = <Result>(run: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = run();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };

  const actionOf = (row: unknown): ActionRow | undefined => {
    if (row === undefined) return undefined;
    const read = actionRow.parse(row);
    return {
      actionId: read.action_id,
      walletId: read.wallet_id,
      ledgerId: read.ledger_id,
      fingerprint: read.fingerprint,
      txId: read.tx_id,
      status: read.status,
      locator: read.locator,
      contractAddress: read.contract_address,
      problem: read.problem === null ? null : problemMessage.parse(JSON.parse(read.problem)),
    };
  };
  const nextSequence = (chain: string, address: string): bigint => {
    const row = selectNext.get(chain, address);
    return row === undefined ? 0n : BigInt(z.object({ next: z.string() }).parse(row).next);
  };

  const addAttempt = (one: AttemptRow) =>
    insertAttempt.run(
      one.chain,
      one.txId,
      one.actionId,
      one.ledgerId,
      one.kind,
      one.address,
      one.sequence?.toString() ?? null,
      one.bytes,
      one.cost.toString(),
      one.signedAt,
      one.note,
      one.validUntil,
    );

  return {
    wallet(walletId) {
      const row = selectWallet.get(walletId);
      if (row === undefined) return undefined;
      const read = walletRow.parse(row);
      const identity = identityJson.parse(JSON.parse(read.identity));
      return { walletId: read.wallet_id, ledgerId: read.ledger_id, identity, sealed: read.sealed };
    },
    addWallet: ({ walletId, ledgerId, identity, sealed }) =>
      insertWallet.run(walletId, ledgerId, JSON.stringify(identity), sealed).changes === 1,
    action: (id) => actionOf(selectAction.get(id)),
    actionOfAttempt: (txId) => actionOf(selectByAttempt.get(txId)),
    nextSequence,
    addAction: (action, attempts, sequence, grant = null) =>
      transaction(() => {
        if (sequence !== undefined) {
          const { chain, address, expected } = sequence;
          if (nextSequence(chain, address) > expected) return false;
        }
        const { changes } = insertAction.run(
          action.actionId,
          action.walletId,
          action.ledgerId,
          action.fingerprint,
          action.txId,
          action.status,
          action.locator,
          action.contractAddress,
          action.problem === null ? null : JSON.stringify(action.problem),
        );
        if (changes === 0) return false;
        for (const one of attempts) addAttempt(one);
        if (grant !== null) insertGrant.run(action.actionId, grant.sealed, JSON.stringify(grant.plan));
        if (sequence !== undefined) {
          putNext.run(sequence.chain, sequence.address, (sequence.expected + 1n).toString());
        }
        return true;
      }),
    openAttempts: (ledgerId) =>
      selectOpen.all(ledgerId).map((row) => {
        const read = attemptRow.parse(row);
        return {
          chain: read.chain,
          txId: read.tx_id,
          actionId: read.action_id,
          ledgerId: read.ledger_id,
          kind: read.kind,
          address: read.address,
          sequence: read.sequence === null ? null : BigInt(read.sequence),
          bytes: read.bytes,
          cost: BigInt(read.cost),
          signedAt: read.signed_at,
          note: read.note,
          validUntil: read.valid_until,
        };
      }),
    continueAction: (actionId, plan, due) =>
      transaction(() => {
        closeAttempts.run(actionId);
        return putPlan.run(plan === null ? null : JSON.stringify(plan), due, actionId).changes === 1;
      }),
    transactionsOf: (actionId) => countRow.parse(countAttempts.get(actionId)).count,
    continuations: (ledgerId) =>
      selectContinuations.all(ledgerId).map((row) => {
        const { action_id, wallet_id, sealed, plan, due } = continuationRow.parse(row);
        return { actionId: action_id, walletId: wallet_id, sealed, plan: JSON.parse(plan), due };
      }),
    addAttempts: (actionId, attempts, keepGrant) =>
      transaction(() => {
        if (clearPlan.run(actionId).changes === 0) return false;
        for (const one of attempts) addAttempt(one);
        if (!keepGrant) deleteGrant.run(actionId);
        return true;
      }),
    note: (txId, note) => void putNote.run(note, txId),
    progress(ledgerId) {
      const row = selectProgress.get(ledgerId);
      if (row === undefined) return undefined;
      const { chain, ...cursor } = z
        .object({ chain: z.string(), height: z.number(), hash: z.string() })
        .parse(row);
      return { chain, cursor };
    },
    settle: (ledgerId, chain, cursor, ends, closedAttempts) =>
      transaction(() => {
        for (const txId of closedAttempts) closeAttempt.run(txId);
        for (const [actionId, { status, locator, contractAddress, problem }] of ends) {
          const text = problem === undefined ? null : JSON.stringify(problem);
          endAction.run(status, locator ?? null, contractAddress ?? null, text, actionId);
          closeAttempts.run(actionId);
          deleteGrant.run(actionId);
        }
        if (cursor !== null) putProgress.run(ledgerId, chain, cursor.height, cursor.hash);
      }),
    close: () => database.close(),
  };
}

import { X509Certificate } from 'node:crypto';
import type { JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { readJson, type Store } from '@ledger-ops/store';
import { keyTypeColumn, keyTypeOf } from '../keys/plugin-key.ts';
import type { WalletDetails, WalletRow, WalletView } from './types.ts';

/** Columns that the tables of wallets and drafts share, as SQL statements return them. */
export type KeyColumns = {
  uid: string;
  project_id: string;
  wallet_id: string;
  ledger_uid: string;
  key_type: string;
  public_key: Uint8Array;
  sealed_secret: Uint8Array;
  sealed_data_key: Uint8Array;
  kdf: string;
  key_version: number;
  created_by: string;
  created_at: number;
};

type Columns = KeyColumns & {
  ledger_id: string;
  chain_id: string;
  address: string;
  material: string | null;
  aliases: string | null;
  renew_at: number | null;
  exclusive: number;
  updated_at: number;
};

/**
 * Names of the shared columns. They are listed because a prepared `SELECT *` fails when a newer server adds a column.
 */
export const keyColumns =
  'uid, project_id, wallet_id, ledger_uid, key_type, public_key, sealed_secret, sealed_data_key, kdf, key_version, created_by, created_at';

/** Converts the shared columns to the properties that describe a wallet's key and account. */
export function keyOf(row: KeyColumns) {
  return {
    uid: row.uid,
    projectId: row.project_id,
    walletId: row.wallet_id,
    ledgerUid: row.ledger_uid,
    keyType: keyTypeOf(row.key_type),
    publicKey: row.public_key,
    sealedSecret: row.sealed_secret,
    sealedDataKey: row.sealed_data_key,
    kdf: row.kdf,
    keyVersion: row.key_version,
    createdBy: row.created_by,
    createdAt: row.created_at,
  } satisfies Partial<WalletRow>;
}

/** Maximum number of wallets in one statement. */
const readAtOnce = 64;

interface WaitingRead {
  readonly walletId: string;
  readonly row: Promise<WalletRow | null>;
  readonly resolve: (row: Promise<WalletRow | null>) => void;
}

/**
 * Reads wallets by id. Every operation starts with such a read, so all reads that are requested in the same turn of the
 * event loop share a statement.
 *
 * `#waiting` contains, by project and wallet id, the reads that start at the end of the turn.
 */
export class WalletReader {
  readonly #store: Pick<Store, 'read'>;
  #waiting = new Map<string, Map<string, WaitingRead>>();

  constructor(store: Pick<Store, 'read'>) {
    this.#store = store;
  }

  /** Returns the row as it is at the end of the turn or later; null if the project has no such wallet. */
  read(projectUid: string, walletId: string): Promise<WalletRow | null> {
    if (this.#waiting.size === 0) setImmediate(() => this.#readAll());
    const ofProject = this.#waiting.get(projectUid) ?? new Map<string, WaitingRead>();
    this.#waiting.set(projectUid, ofProject);
    const known = ofProject.get(walletId);
    if (known !== undefined) return known.row;
    const { promise: row, resolve } = Promise.withResolvers<WalletRow | null>();
    ofProject.set(walletId, { walletId, row, resolve });
    return row;
  }

  #readAll(): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [projectUid, ofProject] of waiting) {
      const all = [...ofProject.values()];
      for (let at = 0; at < all.length; at += readAtOnce)
        this.#readSome(projectUid, all.slice(at, at + readAtOnce));
    }
  }

  #readSome(projectUid: string, some: readonly WaitingRead[]): void {
    const reading = this.#select(
      projectUid,
      some.map(({ walletId }) => walletId),
    );
    const rows = reading.then((found) => new Map(found.map((row) => [row.wallet_id, walletOf(row)])));
    for (const { walletId, resolve } of some) resolve(rows.then((byId) => byId.get(walletId) ?? null));
  }

  /** Repeats the last id until the number of ids is a power of two, so that only a few statements are prepared. */
  #select(projectUid: string, ids: readonly string[]): Promise<Columns[]> {
    const size = 2 ** Math.ceil(Math.log2(ids.length));
    const padded = Array.from({ length: size }, (_, at) => ids[at] ?? ids.at(-1) ?? '');
    return this.#store.read.all<Columns>(
      `SELECT ${keyColumns}, ledger_id, chain_id, address, material, aliases, renew_at, exclusive, updated_at FROM wallet
        WHERE project_id = $1 AND wallet_id IN (${padded.map((_, at) => `$${at + 2}`).join(', ')})`,
      [projectUid, ...padded],
    );
  }
}

function walletOf(row: Columns): WalletRow {
  return {
    ...keyOf(row),
    ledgerId: row.ledger_id,
    chainId: row.chain_id,
    address: row.address,
    material: row.material,
    aliases: row.aliases,
    renewAt: row.renew_at,
    exclusive: row.exclusive,
    updatedAt: row.updated_at,
  };
}

/** Converts an account, as the adapter describes it, to its stored columns. */
export function storedIdentity({
  material,
  aliases,
  renewAt,
}: WalletIdentity): Pick<WalletRow, 'material' | 'aliases' | 'renewAt'> {
  return {
    material: material === undefined ? null : JSON.stringify(material),
    aliases: aliases === undefined ? null : JSON.stringify(aliases),
    renewAt: renewAt ?? null,
  };
}

/** Returns the account as the adapter described it when it was created. */
export function walletIdentity({
  address,
  material,
  aliases,
  renewAt,
}: Pick<WalletRow, 'address' | 'material' | 'aliases' | 'renewAt'>): WalletIdentity {
  return {
    address,
    ...(material === null ? {} : { material: readJson<JsonObject>(material) }),
    ...(aliases === null ? {} : { aliases: readJson<string[]>(aliases) }),
    ...(renewAt === null ? {} : { renewAt }),
  };
}

/** Returns the account's certificate, if it has one. */
export function certificateOf({ material }: Pick<WalletRow, 'material'>): WalletDetails['certificate'] {
  const pem = readJson<JsonObject>(material)?.certificate;
  if (typeof pem !== 'string') return null;
  try {
    return { pem, expiresAt: Date.parse(new X509Certificate(pem).validTo) };
  } catch {
    // The adapter stores something else under the name `certificate`.
    return null;
  }
}

/** Returns the public part of a wallet, for API responses. */
export function walletView({
  walletId,
  address,
  ledgerId,
  keyType,
  exclusive,
  createdAt,
}: Pick<WalletRow, 'walletId' | 'address' | 'ledgerId' | 'keyType' | 'exclusive' | 'createdAt'>): WalletView {
  const shown = { walletId, walletAddress: address, ledgerId, keyType: keyTypeColumn(keyType) };
  return { ...shown, exclusive: exclusive === 1, createdAt };
}

/** Returns the sort keys of a listing of wallets: the members of {@link walletView}, each with its column. */
export function walletSortKeys(table: Store['read']['t']['wallet']) {
  return {
    walletId: table.walletId,
    walletAddress: table.address,
    ledgerId: table.ledgerId,
    keyType: table.keyType,
    exclusive: table.exclusive,
    createdAt: table.createdAt,
  } satisfies Record<keyof WalletView, unknown>;
}

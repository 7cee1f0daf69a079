import { X509Certificate } from 'node:crypto';
import type { JsonObject, WalletIdentity } from '@ledger-ops/adapter';
import { readJson, type Store } from '@ledger-ops/store';
import type { WalletDetails, WalletRow, WalletView } from './types.ts';

/** Columns that wallets and their drafts have in common, as plain statements read them. */
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
  updated_at: number;
};

/**
 * Their names. None is read by `*`: a statement that is prepared would be refused on this server as soon as a newer one
 * adds a column.
 */
export const keyColumns =
  'uid, project_id, wallet_id, ledger_uid, key_type, public_key, sealed_secret, sealed_data_key, kdf, key_version, created_by, created_at';

/** The common part of a row: the wallet's key, and which wallet it is. */
export function keyOf(row: KeyColumns) {
  return {
    uid: row.uid,
    projectId: row.project_id,
    walletId: row.wallet_id,
    ledgerUid: row.ledger_uid,
    keyType: row.key_type,
    publicKey: row.public_key,
    sealedSecret: row.sealed_secret,
    sealedDataKey: row.sealed_data_key,
    kdf: row.kdf,
    keyVersion: row.key_version,
    createdBy: row.created_by,
    createdAt: row.created_at,
  } satisfies Partial<WalletRow>;
}

/** A project's wallet, by a statement that is prepared once: every operation begins with it. */
export async function readWallet(
  store: Store,
  projectUid: string,
  walletId: string,
): Promise<WalletRow | null> {
  const [row] = await store.read.all<Columns>(
    `SELECT ${keyColumns}, ledger_id, chain_id, address, material, aliases, renew_at, updated_at FROM wallet
      WHERE project_id = $1 AND wallet_id = $2`,
    [projectUid, walletId],
  );
  if (row === undefined) return null;
  return {
    ...keyOf(row),
    ledgerId: row.ledger_id,
    chainId: row.chain_id,
    address: row.address,
    material: row.material,
    aliases: row.aliases,
    renewAt: row.renew_at,
    updatedAt: row.updated_at,
  };
}

/** An adapter's account, as it is stored. */
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

/** As the adapter described it at its creation. */
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

/** The certificate that an account is, where it is one. */
export function certificateOf({ material }: Pick<WalletRow, 'material'>): WalletDetails['certificate'] {
  const pem = readJson<JsonObject>(material)?.certificate;
  if (typeof pem !== 'string') return null;
  try {
    return { pem, expiresAt: Date.parse(new X509Certificate(pem).validTo) };
  } catch {
    // The adapter means something else by that name.
    return null;
  }
}

/** For the API: nothing secret. */
export function walletView({ walletId, address, ledgerId, keyType, createdAt }: WalletRow): WalletView {
  return { walletId, walletAddress: address, ledgerId, keyType, createdAt };
}

import type { Store } from '@ledger-ops/store';
import type { WalletRow, WalletView } from '../types.ts';

type Columns = {
  uid: string;
  project_id: string;
  wallet_id: string;
  ledger_uid: string;
  ledger_id: string;
  chain_id: string;
  address: string;
  material: string | null;
  key_type: string;
  public_key: Uint8Array;
  sealed_secret: Uint8Array;
  sealed_data_key: Uint8Array;
  kdf: string;
  key_version: number;
  created_by: string;
  created_at: number;
  updated_at: number;
};

/** A project's wallet, by a statement that is prepared once: every operation begins with it. */
export async function readWallet(
  store: Store,
  projectUid: string,
  walletId: string,
): Promise<WalletRow | null> {
  const [row] = await store.read.all<Columns>(
    'SELECT * FROM wallet WHERE project_id = $1 AND wallet_id = $2',
    [projectUid, walletId],
  );
  if (row === undefined) return null;
  return {
    uid: row.uid,
    projectId: row.project_id,
    walletId: row.wallet_id,
    ledgerUid: row.ledger_uid,
    ledgerId: row.ledger_id,
    chainId: row.chain_id,
    address: row.address,
    material: row.material,
    keyType: row.key_type,
    publicKey: row.public_key,
    sealedSecret: row.sealed_secret,
    sealedDataKey: row.sealed_data_key,
    kdf: row.kdf,
    keyVersion: row.key_version,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** What may be told of a wallet. */
export function walletView({ walletId, address, ledgerId, keyType, createdAt }: WalletRow): WalletView {
  return { walletId, walletAddress: address, ledgerId, keyType, createdAt };
}

import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { keyTypeColumn } from '../keys/plugin-key.ts';
import { type KeyColumns, keyColumns, keyOf } from './wallet-rows.ts';

/** A key that has no account yet. It is stored in table `wallet_draft`. */
export type WalletDraft = ReturnType<typeof keyOf>;

/** Time in milliseconds for which an interrupted wallet creation can be continued. */
const draftAgeMs = 86_400_000;

/** Returns the draft of a wallet id, unless it is too old to be continued. */
export async function readDraft(
  { read }: Store,
  projectUid: string,
  walletId: string,
  now: number,
): Promise<WalletDraft | null> {
  const [row] = await read.all<KeyColumns>(
    `SELECT ${keyColumns} FROM wallet_draft WHERE project_id = $1 AND wallet_id = $2 AND created_at > $3`,
    [projectUid, walletId, now - draftAgeMs],
  );
  return row === undefined ? null : keyOf(row);
}

/**
 * Stores a key before the ledger is called. @throws Problem `conflict` if another request stored a key first
 */
export async function keepDraft(store: Store, draft: WalletDraft): Promise<void> {
  await store.transaction(async (tx) => {
    await dropOldDrafts(tx, draft.createdAt);
    const { walletDraft } = tx.t;
    const added = await tx.db
      .insert(walletDraft)
      .values({ ...draft, keyType: keyTypeColumn(draft.keyType) })
      .onConflictDoNothing({ target: [walletDraft.projectId, walletDraft.walletId] })
      .returning({ uid: walletDraft.uid });
    if (added.length === 0) throw beingCreated(draft.walletId);
  });
}

/** Deletes a draft whose wallet was created or will never be created. */
export async function dropDraft(tx: Tx, uid: string): Promise<void> {
  await tx.run('DELETE FROM wallet_draft WHERE uid = $1', [uid]);
}

/** Deletes drafts that are too old to be continued. */
export async function dropOldDrafts(tx: Tx, now: number): Promise<void> {
  await tx.run('DELETE FROM wallet_draft WHERE created_at <= $1', [now - draftAgeMs]);
}

/** Returns the problem of a request that arrives while another request creates the wallet. */
export function beingCreated(walletId: string): Problem {
  return new Problem(
    'conflict',
    `The wallet ${walletId} is being created by another request. Try again when that request has finished.`,
    { errors: [{ pointer: '/walletId', detail: 'is being created' }] },
  );
}

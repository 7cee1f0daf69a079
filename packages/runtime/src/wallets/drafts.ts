import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { type KeyColumns, keyColumns, keyOf } from './wallet-rows.ts';

/** A key without an account yet, as stored in table `wallet_draft`. */
export type WalletDraft = ReturnType<typeof keyOf>;

/** How long an unfinished wallet can be finished, in milliseconds. */
const draftAge = 86_400_000;

/** The unfinished wallet of that id, unless it is too old to be finished. */
export async function readDraft(
  { read }: Store,
  projectUid: string,
  walletId: string,
  now: number,
): Promise<WalletDraft | null> {
  const [row] = await read.all<KeyColumns>(
    `SELECT ${keyColumns} FROM wallet_draft WHERE project_id = $1 AND wallet_id = $2 AND created_at > $3`,
    [projectUid, walletId, now - draftAge],
  );
  return row === undefined ? null : keyOf(row);
}

/** Stores a key before its ledger is asked. @throws Problem `conflict` when another request was faster */
export async function keepDraft(store: Store, draft: WalletDraft): Promise<void> {
  await store.transaction(async (tx) => {
    await dropOldDrafts(tx, draft.createdAt);
    const { walletDraft } = tx.t;
    const added = await tx.db
      .insert(walletDraft)
      .values(draft)
      .onConflictDoNothing({ target: [walletDraft.projectId, walletDraft.walletId] })
      .returning({ uid: walletDraft.uid });
    if (added.length === 0) throw beingCreated(draft.walletId);
  });
}

/** The wallet is finished, or will never be. */
export async function dropDraft(tx: Tx, uid: string): Promise<void> {
  await tx.run('DELETE FROM wallet_draft WHERE uid = $1', [uid]);
}

/** Removes what nobody finished in time. */
export async function dropOldDrafts(tx: Tx, now: number): Promise<void> {
  await tx.run('DELETE FROM wallet_draft WHERE created_at <= $1', [now - draftAge]);
}

/** Refusal of a request that came while another makes the wallet. */
export function beingCreated(walletId: string): Problem {
  return new Problem(
    'conflict',
    `The wallet ${walletId} is being created at this moment. Ask again when the other request has ended.`,
    { errors: [{ pointer: '/walletId', detail: 'is being created' }] },
  );
}

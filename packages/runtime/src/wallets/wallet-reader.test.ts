import { describeStores } from '@ledger-ops/store/testing';
import { expect, it, vi } from 'vitest';
import { createKeysWorld } from '../../test/keys-world.ts';
import { WalletReader } from './wallet-rows.ts';

describeStores('the wallet reader', (open) => {
  it('reads all wallets requested in one turn of the event loop with one statement per project', async () => {
    const { store, project, other, wallet } = await createKeysWorld(await open());
    for (const walletId of ['a', 'b', 'c']) await wallet(walletId);
    const all = vi.spyOn(store.read, 'all');
    const reader = new WalletReader(store);
    const rows = await Promise.all([
      ...['c', 'a', 'missing', 'b', 'a'].map((walletId) => reader.read(project.uid, walletId)),
      reader.read(other.uid, 'a'),
    ]);
    expect(rows.map((row) => row?.walletId)).toEqual(['c', 'a', undefined, 'b', 'a', undefined]);
    expect(all).toHaveBeenCalledTimes(2);
  });

  it('reads a wallet again in the next turn, so that a deleted wallet is not found', async () => {
    const { store, project, wallet } = await createKeysWorld(await open());
    const { uid } = await wallet('a');
    const reader = new WalletReader(store);
    expect(await reader.read(project.uid, 'a')).toMatchObject({ uid });
    await store.transaction((tx) => tx.run('DELETE FROM wallet WHERE uid = $1', [uid]));
    expect(await reader.read(project.uid, 'a')).toBeNull();
  });

  it('if the database fails, all reads of that turn fail, and the next turn reads again', async () => {
    const { store, project, wallet } = await createKeysWorld(await open());
    await wallet('a');
    const reader = new WalletReader(store);
    vi.spyOn(store.read, 'all').mockRejectedValueOnce(new Error('The database is away.'));
    const failed = ['a', 'b'].map((walletId) => reader.read(project.uid, walletId));
    for (const { status } of await Promise.allSettled(failed)) expect(status).toBe('rejected');
    expect(await reader.read(project.uid, 'a')).toMatchObject({ walletId: 'a' });
  });
});

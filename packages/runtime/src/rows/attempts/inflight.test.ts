import type { Store } from '@ledger-ops/store';
import { uuidv7 } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { withWork } from '../../../test/planned-work.ts';
import { insertActions } from '../actions/insert-actions.ts';
import type { NewAction } from '../model.ts';
import { readInflight } from './inflight.ts';

const chain = '1/genesis';
const shards = 16;

/** Stores signed, unsettled actions. They are distributed over the shards in turn. */
async function sign(store: Store, count: number): Promise<void> {
  const made = Array.from({ length: count }, (_, index): NewAction => {
    const at = 1_800_000_000_000 + index;
    return {
      ...{ id: uuidv7(at), givenId: null, trace: null, projectId: 'project', appId: 'app', caller: 'caller' },
      ...{ organizationUid: 'organization', privateBytes: 0 },
      ...{ walletUid: 'wallet', walletId: 'wallet', ledgerUid: 'ledger', ledgerId: 'ledger', chain },
      ...{ shard: index % shards, address: `0x${index % shards}`, intent: '', tag: null, context: null },
      ...{ operation: '{}', plan: '{}', plugin: 'ethereum', cost: 1n, sequence: index, deadline: at + 1_000 },
      ...{
        createdAt: at,
        dependencies: [],
        receivers: [],
        registration: null,
        overrides: null,
        claim: null,
        request: null,
      },
    };
  });
  const columns = 'tx_id action_id n kind chain shard address sequence bytes cost created_at'.split(' ');
  await store.transaction(async (tx) => {
    await insertActions(tx, made, 'signed');
    const attempts = made.map(({ id, shard, address, sequence, createdAt }) => [
      ...[`0x${id}`, id, 0, 'main', chain, shard, address, sequence, Buffer.from('signed'), '1', createdAt],
    ]);
    await tx.insertMany('attempt', columns, attempts);
  });
}

describeDialects('signed actions in flight', (open, { dialect }) => {
  test('reads the signed actions of the given shards in the order of their nonces', async () => {
    const store = await open();
    await sign(store, 64);
    const found = await readInflight(store, chain, [3, 5]);
    expect(found.map(({ sequence }) => sequence)).toEqual([3, 5, 19, 21, 35, 37, 51, 53]);
    expect(await readInflight(store, 'other', [3, 5])).toEqual([]);
  });

  if (dialect === 'sqlite') return;
  // PostgreSQL has no usable statistics right after a server started on a new database, or after a burst of actions.
  test('reads signed actions through indexes even if PostgreSQL has no statistics', async () => {
    const store = await open();
    await sign(store, 2_000);
    const { store: noted, work } = withWork(store);
    expect(await readInflight(noted, chain, [0, 1, 2, 3])).toHaveLength(500);
    expect(await work()).toBeLessThanOrEqual(4 * 500);
  });
});

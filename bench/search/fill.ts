import type { Principal } from '@ledger-ops/auth';
import { createUuidv7, type Store, uuidv7 } from '@ledger-ops/store';
import { insertActions } from '../../packages/runtime/src/rows/actions/insert-actions.ts';
import { settle } from '../../packages/runtime/src/rows/actions/settle.ts';
import type { NewAction, Settlement } from '../../packages/runtime/src/rows/model.ts';

/** A wallet and its share of all actions. */
export interface BenchWallet {
  uid: string;
  walletId: string;
  address: string;
  share: number;
}

export const ledger = { uid: 'ledger', chainId: '1', chain: '1/genesis' };
const batch = 2_000;
const month = 30 * 86_400_000;
const operation = JSON.stringify({
  amount: '1',
  native: { content: {}, technology: 'ethereum' },
  recipient: { resource: '0x00000000000000000000000000000000000000aa', type: 'ledger', value: 'ethereum' },
  type: 'transfer',
});

/** One wallet with half of all actions, one with two percent, and a thousand wallets that share the rest. */
export function benchWallets(): BenchWallet[] {
  const wallet = (name: string, share: number) => ({
    ...{ uid: uuidv7(), walletId: name, address: `0x${Buffer.from(name.padEnd(20)).toString('hex')}`, share },
  });
  return [
    wallet('half', 0.5),
    wallet('busy', 0.02),
    ...Array.from({ length: 1_000 }, (_, index) => wallet(`wallet-${index}`, 0.000_48)),
  ];
}

/**
 * Creates ids of actions from their times. A separate generator, because the ids of one generator only increase: those
 * of actions in the past would otherwise get the present time.
 */
const actionId = createUuidv7();

/** @param at time of its creation, in milliseconds */
export function newAction(principal: Principal, wallet: BenchWallet, index: number, at: number): NewAction {
  const [half] = [receiver('half')];
  return {
    id: actionId(at),
    givenId: null,
    trace: null,
    organizationUid: principal.organizationUid,
    privateBytes: 0,
    projectId: principal.projectUid,
    appId: principal.appId,
    caller: principal.serviceId,
    walletUid: wallet.uid,
    walletId: wallet.walletId,
    ledgerUid: ledger.uid,
    ledgerId: 'chain',
    chain: ledger.chain,
    shard: index % 16,
    address: wallet.address,
    intent: intentOf(index),
    tag: index % 100 === 0 ? `tag-${index % 7}` : null,
    context: null,
    operation,
    plan: '{}',
    plugin: 'ethereum',
    cost: 1n,
    sequence: null,
    deadline: at + month,
    createdAt: at,
    dependencies: [],
    receivers: index % 10 === 0 && wallet.walletId !== 'half' ? [half] : [],
    registration: null,
    overrides: null,
    claim: null,
    request: null,
  };
}

/** Ten actions share an intent. */
export function intentOf(index: number): string {
  return `00000000-0000-4000-8000-${String(Math.floor(index / 10)).padStart(12, '0')}`;
}

function receiver(walletId: string): string {
  return `a:${ledger.chainId}:0x${Buffer.from(walletId.padEnd(20)).toString('hex')}`;
}

/** Stores actions with the engine's statements. One of a hundred actions is pending, two have failed, the others succeeded. */
export async function fill(
  store: Store,
  principal: Principal,
  wallets: readonly BenchWallet[],
  actions: number,
): Promise<{ ids: string[]; newest: number }> {
  const newest = Date.now();
  const ids: string[] = [];
  const choose = chooser(wallets);
  for (let from = 0; from < actions; from += batch) {
    const made = Array.from({ length: Math.min(batch, actions - from) }, (_, offset) => {
      const index = from + offset;
      return newAction(
        principal,
        choose(index),
        index,
        Math.floor(newest - month + (month * index) / actions),
      );
    });
    await store.transaction(async (tx) => {
      await insertActions(tx, made, 'signed');
      await tx.insertMany(
        'attempt',
        ['tx_id', 'action_id', 'n', 'kind', 'chain', 'shard', 'address', 'cost', 'created_at', 'settled_at'],
        made.map(({ id, shard, address, createdAt }) => [
          ...[`0x${id}`, id, 0, 'main', ledger.chain, shard, address, '1', createdAt, createdAt],
        ]),
      );
      const last = made.at(-1)?.createdAt ?? newest;
      await settle(
        tx,
        made.flatMap(({ id }, index) => end(id, index)),
        last,
      );
    });
    ids.push(...made.map(({ id }) => id));
  }
  return { ids, newest };
}

function end(actionId: string, index: number): Settlement[] {
  if (index % 100 === 7) return [];
  const failed = index % 50 === 3;
  return [
    {
      ...{
        actionId,
        signed: true,
        locator: `0x${actionId}`,
        contractAddress: null,
        height: index,
        blockTime: null,
      },
      ...{ fee: '21000', details: null, status: failed ? 'FAILED' : 'SUCCEEDED' },
      problem: failed
        ? { type: 'x', title: 'x', status: 422, detail: 'The transaction was reverted.' }
        : null,
    },
  ];
}

function chooser(wallets: readonly BenchWallet[]): (index: number) => BenchWallet {
  const slots = wallets.flatMap((wallet) =>
    Array.from({ length: Math.round(wallet.share * 25_000) }, () => wallet),
  );
  // The step is coprime to the number of slots, so every slot is visited.
  return (index) => slots[(index * 7_919) % slots.length] as BenchWallet;
}

export const webhookUid = 'webhook';

/** Stores the deliveries of a webhook, one per ten actions. One of a hundred is pending, two are dead, the others delivered. */
export async function fillDeliveries(store: Store, ids: readonly string[]): Promise<void> {
  const some = ids.filter((_, index) => index % 10 === 0);
  const statusOf = (index: number) =>
    index % 100 === 7 ? 'PENDING' : index % 50 === 3 ? 'DEAD' : 'DELIVERED';
  for (let from = 0; from < some.length; from += batch) {
    await store.transaction((tx) =>
      tx.insertMany(
        'webhook_delivery',
        [
          ...['webhook_uid', 'event_id', 'place', 'ordered_by', 'action_id', 'type', 'body', 'status'],
          ...['attempts', 'due_at', 'expires_at', 'created_at'],
        ],
        some
          .slice(from, from + batch)
          .map((id, offset) => [
            ...[webhookUid, id, from + offset, id, id, 'action.succeeded', '{}', statusOf(from + offset)],
            ...[1, 0, 0, 0],
          ]),
      ),
    );
  }
}

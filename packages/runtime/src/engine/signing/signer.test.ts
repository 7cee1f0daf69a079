import type { AdapterErrorCode, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test } from 'vitest';
import { ActionSigner, type Signer } from '../../keys/signer.ts';
import { OpenLedger } from '../../open-ledger.ts';
import { acceptedRow } from '../../rows/actions/ready.ts';
import { liveAction, type NewAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { mustQueue } from './accept.ts';
import { type Account, capacityOf, freeSequenceAt, nextFree, reserve } from './accounts.ts';
import { takeCapacity } from './sequenced.ts';
import { assignSequences, signActions } from './signer.ts';

/** A time at which the gaps in these tests are permanent, so that their nonces can be assigned to other actions. */
const late = 3_600_000;

function account(more: Partial<Account> = {}): Account {
  return {
    ...{ address: 'a', shard: 0, live: new Map(), next: 5, gap: null, storedNext: 5 },
    ...{ reserved: { count: 0, cost: 0n }, backlog: false, sequenceAt: 0, balanceAt: 0 },
    ...{ balance: undefined, spent: 0n, hasClaims: undefined, hasUnknown: false },
    ...more,
  };
}

/** Returns a tracker of which only `open` is set. */
function trackerOn(
  sequence: 'account' | 'none',
  properties: LedgerRecord['properties'] = {},
  session: Partial<LedgerSession> = {},
): Tracker {
  const definition = memoryAdapter(createMemoryLedger(sequence === 'none' ? { sequence } : {}));
  const open = new OpenLedger({
    definition,
    record: { properties } as LedgerRecord,
    session: session as LedgerSession,
    pluginUid: 'memory',
  });
  const tracker: Pick<Tracker, 'open'> = { open };
  return tracker as Tracker;
}

function action(id: string, of: Account, demanded: number | null = null, tracker = trackerOn('account')) {
  // Assigning sequences uses only these columns.
  const row = acceptedRow({ id, cost: 0n, sequence: demanded } as NewAction, 'secp256k1');
  return { row, account: of, tracker };
}

test('actions get consecutive free nonces of their accounts, in order', () => {
  const [one, two] = [account(), account({ address: 'b', next: 0 })];
  const { placed, failed } = assignSequences([action('1', one), action('2', two), action('3', one)], 0);
  expect(placed.map(({ row, sequence }) => [row.id, sequence])).toEqual([
    ['1', 5],
    ['2', 0],
    ['3', 6],
  ]);
  expect(failed.size).toBe(0);
});

test('refuses an action that demands a nonce other than the next free one, and does not assign it a nonce', () => {
  const own = account();
  const { failed } = assignSequences([action('1', own, 9), action('2', own, 5), action('3', own, 6)], 0);
  expect([...failed.keys()]).toEqual(['1']);
  expect(failed.get('1')?.problem.message).toBe(
    'meta requires the nonce 9, but the next free nonce of a is 5. Leave the nonce out, or send the operation when that nonce is free.',
  );
});

test('does not assign nonces on a ledger without nonces', () => {
  const { placed } = assignSequences([action('1', account(), null, trackerOn('none'))], 0);
  expect(placed.map(({ sequence }) => sequence)).toEqual([null]);
});

test('assigns the nonces of a permanent gap first, and assigns none while a gap may still close', () => {
  const own = account({ next: 8, gap: { from: 2, to: 4, lastingFrom: late } });
  expect([0, 1, 2, 3].map((n) => freeSequenceAt(own, n, late))).toEqual([2, 3, 8, 9]);
  expect(nextFree(own, late)).toBe(2);
  expect(nextFree(own, 1)).toBeUndefined();
  expect(nextFree(account({ next: undefined }), late)).toBeUndefined();
});

test('signed actions and reservations reduce the capacity that the ledger allows an account', () => {
  const own = account();
  const { open } = trackerOn('account', { max_in_flight: 3 });
  expect(capacityOf(own, trackerOn('account').open)).toBe(16);
  expect(capacityOf(own, trackerOn('none').open)).toBe(4_096);
  const reservation = reserve(own, 7n);
  own.live.set(
    'x',
    liveAction({
      ...{ id: 'x', ledgerUid: 'l', plugin: null, trace: null, address: 'a', shard: 0, sequence: 4 },
      ...{ attempts: [], signedAt: 0 },
    }),
  );
  expect(capacityOf(own, open)).toBe(1);
  reservation.release();
  expect(capacityOf(own, open)).toBe(2);
  expect(own.reserved).toEqual({ count: 0, cost: 0n });
});

test('signs as many actions of each account as the account has capacity for, and leaves the later ones', () => {
  const tracker = trackerOn('account', { max_in_flight: 2 });
  const [one, two] = [account(), account({ address: 'b' })];
  const items = [one, one, one, two, one].map((own, index) => action(`${index}`, own, null, tracker));
  const { taken, rest } = takeCapacity(items);
  expect(taken.map(({ row }) => row.id)).toEqual(['0', '1', '3']);
  expect(rest.map(({ row }) => row.id)).toEqual(['2', '4']);
});

test.each<[string, Partial<Account>, boolean]>([
  ['is signed at once if nothing delays it', {}, false],
  ['waits if earlier actions are in the queue', { backlog: true }, true],
  ['waits if the next sequence is not known', { next: undefined }, true],
  ['waits if a gap may still close', { gap: { from: 1, to: 2, lastingFrom: late + 1 } }, true],
  ['is signed at once if a gap is lasting', { gap: { from: 1, to: 2, lastingFrom: 0 } }, false],
  ['waits if reservations use all capacity', { reserved: { count: 16, cost: 0n } }, true],
  ['is signed at once if the balance covers its cost', { balance: 10n }, false],
  ['waits if the balance is spent', { balance: 10n, spent: 1n }, true],
  ['waits if the balance is reserved', { balance: 10n, reserved: { count: 1, cost: 1n } }, true],
])('an accepted action %s', (_, more, expected) => {
  expect(mustQueue(account(more), trackerOn('account'), 10n, late)).toBe(expected);
});

test.each<[AdapterErrorCode, 'wait' | 'failed']>([
  ['insufficient-funds', 'wait'],
  ['timeout', 'wait'],
  ['adapter-fault', 'wait'],
  ['invalid-argument', 'failed'],
])(
  'if the adapter refuses a transaction with %s, its action gets the status %s, and no action of the batch is signed',
  async (code, status) => {
    const problem = { code, phase: 'prepare', detail: 'No.' } as const;
    const round = { done: true, result: { txId: 'x', bytes: new Uint8Array(), cost: 0n } } as const;
    const session: Pick<LedgerSession, 'prepare'> = {
      prepare: async (requests) =>
        requests.map(({ actionId }) =>
          actionId === '1'
            ? { status: 'failed', problem }
            : { status: 'prepared', attempts: [{ kind: 'main', round }] },
        ),
    };
    // Signing uses only these members of the session and context in these tests.
    const tracker = trackerOn('account', {}, session);
    const context = { now: () => 0, timing: defaultTiming, traces: createTraces() } as ChainContext;
    const sender: Signer = {
      sign: async () => [],
      reference: () => new Uint8Array(),
      destroy: () => undefined,
    };
    const signer = new ActionSigner(sender);
    const own = account();
    const prepared = ['1', '2'].map((id) => ({
      ...action(id, own, null, tracker),
      ...{ wallet: { address: 'a' }, signer, plan: {}, secret: undefined, isFresh: false, cost: 0n },
    }));
    const { signed, failed } = await signActions(context, prepared);
    expect(signed).toEqual([]);
    expect([...failed].map(([id, refusal]) => [id, refusal.status])).toEqual([['1', status]]);
  },
);

import type { AdapterErrorCode, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test } from 'vitest';
import type { WalletKey } from '../../keys/types.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { acceptedRow } from '../../rows/actions/ready.ts';
import { liveAction, type NewAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/types.ts';
import { mustQueue } from './accept.ts';
import { type Account, freeSequenceAt, nextFree, reserve, roomOf } from './accounts.ts';
import { takeRoom } from './sequenced.ts';
import { assignSequences, signActions } from './signer.ts';

/** Far enough after a gap was seen that it counts as lasting. */
const late = 3_600_000;

function account(more: Partial<Account> = {}): Account {
  return {
    ...{ address: 'a', shard: 0, live: new Map(), next: 5, gap: null, storedNext: 5 },
    ...{ reserved: { count: 0, cost: 0n }, backlog: false, sequenceAt: 0, balanceAt: 0 },
    ...{ balance: undefined, spent: 0n },
    ...more,
  };
}

/** Of a tracker only its ledger matters here. */
function trackerOn(sequence: 'account' | 'none', properties: LedgerRecord['properties'] = {}): Tracker {
  const definition = memoryAdapter(createMemoryLedger(sequence === 'none' ? { sequence } : {}));
  const open: Pick<OpenLedger, 'definition'> & { record: Pick<LedgerRecord, 'properties'> } = {
    definition,
    record: { properties },
  };
  const tracker: Pick<Tracker, 'open'> = { open: open as OpenLedger };
  return tracker as Tracker;
}

function action(id: string, of: Account, demanded: number | null = null, tracker = trackerOn('account')) {
  // The other columns decide nothing of sequences.
  const row = acceptedRow({ id, cost: 0n, sequence: demanded } as NewAction, 'secp256k1');
  return { row, account: of, tracker };
}

test('actions get the next free sequences of their accounts, in their order', () => {
  const [one, two] = [account(), account({ address: 'b', next: 0 })];
  const { placed, failed } = assignSequences([action('1', one), action('2', two), action('3', one)], 0);
  expect(placed.map(({ row, sequence }) => [row.id, sequence])).toEqual([
    ['1', 5],
    ['2', 0],
    ['3', 6],
  ]);
  expect(failed.size).toBe(0);
});

test('what demands another sequence than the next free one is refused, and takes none', () => {
  const own = account();
  const { failed } = assignSequences([action('1', own, 9), action('2', own, 5), action('3', own, 6)], 0);
  expect([...failed.keys()]).toEqual(['1']);
  expect(failed.get('1')?.problem.message).toBe(
    'The nonce 9 was demanded in meta, but the next free one of a is 5. Leave it out, or send it when it is free.',
  );
});

test('without sequences there is none to give', () => {
  const { placed } = assignSequences([action('1', account(), null, trackerOn('none'))], 0);
  expect(placed.map(({ sequence }) => sequence)).toEqual([null]);
});

test('a gap that lasts is filled first; while it may still close the account waits', () => {
  const own = account({ next: 8, gap: { from: 2, to: 4, lastingFrom: late } });
  expect([0, 1, 2, 3].map((n) => freeSequenceAt(own, n, late))).toEqual([2, 3, 8, 9]);
  expect(nextFree(own, late)).toBe(2);
  expect(nextFree(own, 1)).toBeUndefined();
  expect(nextFree(account({ next: undefined }), late)).toBeUndefined();
});

test('room is what the ledger allows beside what is signed and about to be', () => {
  const own = account();
  const { open } = trackerOn('account', { max_in_flight: 3 });
  expect(roomOf(own, trackerOn('account').open)).toBe(16);
  expect(roomOf(own, trackerOn('none').open)).toBe(4_096);
  const reservation = reserve(own, 7n);
  own.live.set(
    'x',
    liveAction({
      ...{ id: 'x', ledgerUid: 'l', plugin: null, trace: null, address: 'a', shard: 0, sequence: 4 },
      ...{ attempts: [], signedAt: 0 },
    }),
  );
  expect(roomOf(own, open)).toBe(1);
  reservation.release();
  expect(roomOf(own, open)).toBe(2);
  expect(own.reserved).toEqual({ count: 0, cost: 0n });
});

test('of each account as many are taken as there is room for, and later ones stay behind', () => {
  const tracker = trackerOn('account', { max_in_flight: 2 });
  const [one, two] = [account(), account({ address: 'b' })];
  const items = [one, one, one, two, one].map((own, index) => action(`${index}`, own, null, tracker));
  const { taken, rest } = takeRoom(items);
  expect(taken.map(({ row }) => row.id)).toEqual(['0', '1', '3']);
  expect(rest.map(({ row }) => row.id)).toEqual(['2', '4']);
});

test.each<[string, Partial<Account>, boolean]>([
  ['nothing is in the way', {}, false],
  ['earlier actions are in the queue', { backlog: true }, true],
  ['the next sequence is not known', { next: undefined }, true],
  ['a gap may still close', { gap: { from: 1, to: 2, lastingFrom: late + 1 } }, true],
  ['a gap lasts', { gap: { from: 1, to: 2, lastingFrom: 0 } }, false],
  ['others are about to take all room', { reserved: { count: 16, cost: 0n } }, true],
  ['the balance covers it', { balance: 10n }, false],
  ['the balance is spent', { balance: 10n, spent: 1n }, true],
  ['the balance is reserved', { balance: 10n, reserved: { count: 1, cost: 1n } }, true],
])('what is accepted goes to the queue, or not, where %s', (_, more, expected) => {
  expect(mustQueue(account(more), trackerOn('account'), 10n, late)).toBe(expected);
});

test.each<[AdapterErrorCode, 'wait' | 'failed']>([
  ['insufficient-funds', 'wait'],
  ['timeout', 'wait'],
  ['adapter-fault', 'wait'],
  ['invalid-argument', 'failed'],
])(
  'a transaction that the adapter refuses with %s makes its action %s, and none of the batch is signed',
  async (code, status) => {
    const tracker = trackerOn('account');
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
    // Signing asks nothing else of a session or of its context here.
    tracker.open.session = session as LedgerSession;
    const context = { now: () => 0, timing: defaultTiming, traces: createTraces() } as ChainContext;
    const key: WalletKey = { sign: () => [], destroy: () => undefined };
    const own = account();
    const prepared = ['1', '2'].map((id) => ({
      ...action(id, own, null, tracker),
      ...{ wallet: { address: 'a' }, key, plan: {}, secret: undefined, isFresh: false, cost: 0n },
    }));
    const { signed, failed } = await signActions(context, prepared);
    expect(signed).toEqual([]);
    expect([...failed].map(([id, refusal]) => [id, refusal.status])).toEqual([['1', status]]);
  },
);

import type { ConfirmRequest, PendingTransaction } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import type { ValidatedTransaction } from './blocks/block-stream.ts';
import type { Channels, FollowedChannel } from './blocks/channels.ts';
import { Confirmer } from './confirm.ts';
import type { Peer } from './gateway/peer.ts';
import { grpcCode, PeerError } from './gateway/peer-error.ts';
import type { Qscc } from './gateway/qscc.ts';
import { createTransactionCache, type TransactionCache } from './outcomes/transaction-cache.ts';
import { readProperties } from './properties.ts';
import { defaultTiming } from './timing.ts';

const channel = 'ledger';
const genesis = `0x${'ab'.repeat(32)}`;
const [valid, conflict] = [0, 11];
const peer = peerOf('a', 'Org1MSP');

/** Returns a peer that has only a name. */
function peerOf(nodeId: string, mspId: string): Peer {
  const named: Pick<Peer, 'properties'> = {
    properties: { nodeId, mspId, role: 'gateway' } as Peer['properties'],
  };
  return named as Peer;
}

/** Returns a stream that receives its next block while the caller waits for anything. */
function followerOf(validated: readonly ValidatedTransaction[], first: number): FollowedChannel {
  let next = first;
  return {
    channel,
    genesis,
    get next() {
      return next;
    },
    oldest: 0,
    since(from) {
      const seen = validated.filter(({ block }) => block >= from && block < next);
      queueMicrotask(() => {
        next += 1;
      });
      return seen;
    },
    rewind: () => undefined,
    waitFor: () => undefined,
    takeMissed: () => false,
    failure: () => undefined,
    wasReset: () => false,
    close: () => undefined,
  };
}

function confirmerOf(
  blockStream: FollowedChannel,
  transactions: TransactionCache,
  more: {
    blockOf?: Qscc['blockOf'];
    now?: () => number;
    peers?: Peer[];
    onNews?: () => void;
    /** Another channel to which this session sent a transaction. */
    other?: FollowedChannel;
    /** The reason why no peer delivers blocks of the other channel. */
    otherFails?: PeerError;
  } = {},
) {
  const { other } = more;
  const followed = other === undefined ? [blockStream] : [blockStream, other];
  const named = (name: string) => followed.find((one) => one.channel === name) ?? blockStream;
  const channels: Pick<Channels, 'follow' | 'followed' | 'get'> = {
    async follow(name) {
      if (name === other?.channel && more.otherFails !== undefined) throw more.otherFails;
      return named(name);
    },
    followed: () => followed,
    get: named,
  };
  const qscc: Pick<Qscc, 'blockOf'> = { blockOf: more.blockOf ?? (async () => undefined) };
  const confirmer = new Confirmer({
    // Members that `confirm` does not use are omitted.
    channels: channels as Channels,
    qscc: qscc as Qscc,
    peers: { order: () => more.peers ?? [peer], failed: () => undefined },
    onNews: more.onNews ?? (() => undefined),
    timing: defaultTiming,
    transactions,
    properties: readProperties({
      ledgerId: 'test',
      technology: 'hyperledger-fabric',
      properties: {
        channel,
        msp_id: 'Org1MSP',
        observer_certificate: '-----BEGIN CERTIFICATE-----',
        observer_private_key: '-----BEGIN PRIVATE KEY-----',
        retry_conflicts: 3,
      },
      nodes: [],
    }),
    host: { now: more.now ?? Date.now, log: () => undefined, signal: new AbortController().signal },
    used: new Set(other === undefined ? [] : [other.channel]),
  });
  return {
    confirm: (request: ConfirmRequest) => confirmer.confirm(request),
    close: () => confirmer.close(),
  };
}

test('a block that arrives while confirm() resolves other transactions is read by the next confirm()', async () => {
  const [early, late] = ['e'.repeat(64), 'f'.repeat(64)];
  const blockStream = followerOf(
    [
      { txId: early, block: 5, code: valid, peer },
      { txId: late, block: 6, code: valid, peer },
    ],
    6,
  );
  const transactions = createTransactionCache();
  for (const txId of [early, late]) {
    const content = { txId, channel, chaincode: 'assets', result: new Uint8Array(), event: undefined };
    transactions.know(txId, { channel, content, seen: true, first: true });
  }
  const { confirm } = confirmerOf(blockStream, transactions);
  const pending = new Map<string, PendingTransaction>([early, late].map((txId) => [txId, { address: 'a' }]));
  const first = await confirm({ cursor: null, pending });
  expect(first.outcomes.map(({ txId }) => txId)).toEqual([early]);
  expect(blockStream.next).toBeGreaterThan(6);
  pending.delete(early);
  const second = await confirm({ cursor: first.cursor, pending });
  expect(second.outcomes.map(({ txId }) => txId)).toEqual([late]);
});

const one = 'a'.repeat(64);
const two = 'b'.repeat(64);
const content = { txId: one, channel, chaincode: 'assets', result: new Uint8Array(), event: undefined };
const invalid = 8;

test('queries a transaction again if the peer lacked it, because the stream may already be past its block', async () => {
  const transactions = createTransactionCache();
  transactions.know(one, { channel, content, seen: true });
  let now = 0;
  let asked = 0;
  let behind = true;
  const envelope = new Uint8Array();
  const { confirm } = confirmerOf(followerOf([], 60), transactions, {
    now: () => now,
    blockOf: async () => {
      asked += 1;
      return behind ? undefined : { number: 50, peer, transactions: [{ txId: one, code: valid, envelope }] };
    },
  });
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const { cursor } = await confirm({ cursor: null, pending });
  await confirm({ cursor, pending });
  expect(asked).toBe(1);
  behind = false;
  now += 60_000;
  const { outcomes } = await confirm({ cursor, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', height: 50 }]);
});

test('queries sent transactions if the stream no longer keeps their blocks', async () => {
  const transactions = createTransactionCache();
  transactions.know(one, { channel, content, seen: true, first: true });
  const blockStream = { ...followerOf([], 30_000), next: 30_000, oldest: 28_000, since: () => undefined };
  const envelope = new Uint8Array();
  const { confirm } = confirmerOf(blockStream, transactions, {
    blockOf: async () => ({ number: 5, peer, transactions: [{ txId: one, code: valid, envelope }] }),
  });
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const hash = JSON.stringify({ [channel]: [1, genesis.slice(2, 18)] });
  const { outcomes } = await confirm({ cursor: { height: 1, hash }, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', height: 5 }]);
});

test.each([
  [invalid, valid],
  [valid, invalid],
])(
  'a second envelope with the id of a transaction does not change its outcome (%i, %i)',
  async (...codes) => {
    const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
    const know = () => {
      const transactions = createTransactionCache();
      transactions.know(one, { channel, content, seen: true });
      return transactions;
    };
    const validated = codes.map((code) => ({ txId: one, block: 5, code, peer }));
    const streamed = await confirmerOf(followerOf(validated, 6), know()).confirm({ cursor: null, pending });
    expect(streamed.outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
    const envelope = new Uint8Array();
    const asked = await confirmerOf(followerOf([], 6), know(), {
      blockOf: async () => ({
        number: 5,
        peer,
        transactions: codes.map((code) => ({ txId: one, code, envelope })),
      }),
    }).confirm({ cursor: null, pending });
    expect(asked.outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
  },
);

const another = peerOf('b', 'Org2MSP');

/** Stores a transaction with its plan, which a retry needs. */
function knowCall(transactions: TransactionCache, txId: string): void {
  const plan = { v: 1, step: 'call', channel, chaincode: 'assets', method: 'Count', args: [] };
  transactions.know(txId, { channel, content: { ...content, txId }, plan, seen: true, first: true });
}

test('continues conflicting transactions once a second peer confirms the conflict, and queries that peer once per block', async () => {
  const transactions = createTransactionCache();
  const ids = ['b', 'c', 'd'].map((digit) => digit.repeat(64));
  for (const txId of ids) knowCall(transactions, txId);
  const asked: (Peer | undefined)[] = [];
  const news = Promise.withResolvers<void>();
  const all = ids.map((txId) => ({ txId, code: conflict, envelope: new Uint8Array() }));
  const { confirm, close } = confirmerOf(
    followerOf(
      ids.map((txId) => ({ txId, block: 5, code: conflict, peer })),
      6,
    ),
    transactions,
    {
      async blockOf(_, _id, from = peer) {
        asked.push(from);
        return { number: 5, transactions: all, peer: from };
      },
      peers: [peer, another],
      onNews: news.resolve,
    },
  );
  const pending = new Map<string, PendingTransaction>(ids.map((txId) => [txId, { address: 'a' }]));
  const first = await confirm({ cursor: null, pending });
  expect(first.outcomes).toEqual([]);
  await news.promise;
  const { outcomes } = await confirm({ cursor: first.cursor, pending });
  expect(outcomes.map(({ txId, status }) => [txId, status])).toEqual(ids.map((txId) => [txId, 'continue']));
  expect(asked).toEqual([another]);
  close();
});

test('if one peer reports a conflict and another shows the transaction as valid, the outcome is valid', async () => {
  const transactions = createTransactionCache();
  knowCall(transactions, one);
  const news = Promise.withResolvers<void>();
  const envelope = new Uint8Array();
  const { confirm, close } = confirmerOf(
    followerOf([{ txId: one, block: 5, code: conflict, peer }], 6),
    transactions,
    {
      blockOf: async (_, _id, from = peer) => ({
        ...{ number: 5, peer: from },
        transactions: [{ txId: one, code: from === another ? valid : conflict, envelope }],
      }),
      peers: [peer, another],
      onNews: news.resolve,
    },
  );
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  await confirm({ cursor: null, pending });
  await news.promise;
  for (let n = 0; n < 3; n += 1) {
    const { outcomes, remarks } = await confirm({ cursor: null, pending });
    expect(outcomes).toEqual([]);
    expect(remarks).toMatchObject([{ txId: one, detail: expect.stringContaining('disagree') }]);
  }
  close();
});

test('a call that cannot query all transactions within the time limit queries the others later', async () => {
  let now = 0;
  const asked: string[] = [];
  const transactions = createTransactionCache();
  const { confirm } = confirmerOf(followerOf([], 6), transactions, {
    now: () => now,
    blockOf: async (_channel, txId) => {
      asked.push(txId);
      now += 1_000;
      return undefined;
    },
  });
  const ids = Array.from({ length: 30 }, (_, n) => String(n).padStart(64, '0'));
  const pending = new Map<string, PendingTransaction>(ids.map((txId) => [txId, { address: 'a' }]));
  let cursor: ConfirmRequest['cursor'] = null;
  const perCall: number[] = [];
  for (let call = 0; call < 6; call += 1) {
    const before = asked.length;
    ({ cursor } = await confirm({ cursor, pending }));
    perCall.push(asked.length - before);
  }
  expect(perCall).toEqual([5, 5, 5, 5, 5, 5]);
  expect(asked).toEqual(ids);
});

test('queries transactions that no stream delivers, oldest first, eight at a time', async () => {
  const transactions = createTransactionCache();
  const ids = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(64, '0'));
  for (const txId of ids) knowCall(transactions, txId);
  let missed = false;
  let under = 0;
  let most = 0;
  const asked: string[] = [];
  const blockStream = { ...followerOf([], 6), takeMissed: () => missed };
  const { confirm } = confirmerOf(blockStream, transactions, {
    async blockOf(_, txId) {
      asked.push(txId);
      under += 1;
      most = Math.max(most, under);
      await new Promise(setImmediate);
      under -= 1;
      return { number: 7, transactions: [{ txId, code: valid, envelope: new Uint8Array() }], peer };
    },
  });
  const pending = new Map<string, PendingTransaction>(ids.map((txId) => [txId, { address: 'a' }]));
  const { cursor, outcomes } = await confirm({ cursor: null, pending });
  expect([outcomes, asked]).toEqual([[], []]);
  missed = true;
  const found = await confirm({ cursor, pending });
  expect(found.outcomes.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'));
  expect([asked, most]).toEqual([ids, 8]);
});

test.each([
  ['its channel is known', true],
  ['its channel is not known yet', false],
])(
  "an envelope on another channel with the id of a transaction does not change the transaction's outcome: %s",
  async (_, isKnown) => {
    const transactions = createTransactionCache();
    if (isKnown) knowCall(transactions, one);
    const forged = { txId: one, block: 5, code: invalid, peer };
    const envelope = new Uint8Array();
    let standing = false;
    const { confirm, close } = confirmerOf(followerOf([], 6), transactions, {
      other: { ...followerOf([forged], 6), channel: 'theirs' },
      async blockOf(name, txId, from = peer) {
        if (name === channel && !standing) return undefined;
        return {
          number: 5,
          transactions: [{ txId, code: name === channel ? valid : invalid, envelope }],
          peer: from,
        };
      },
    });
    const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
    for (let n = 0; n < 3; n += 1) {
      const { outcomes } = await confirm({ cursor: null, pending });
      expect(outcomes).toEqual([]);
      await new Promise(setImmediate);
    }
    transactions.know(one, { channel, content, seen: true, first: false });
    standing = true;
    const { outcomes } = await confirm({ cursor: null, pending });
    expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', blockHash: `${channel}/5` }]);
    close();
  },
);

test.each([
  ['from the stream', [{ txId: one, block: 5, code: invalid, peer }]],
  ['queried', []],
])(
  'a transaction with an unreadable envelope gets the outcome that two peers report (validation code: %s)',
  async (_, validated) => {
    const transactions = createTransactionCache();
    transactions.know(one, { channel, content, seen: true });
    const news = Promise.withResolvers<void>();
    const unreadable = Uint8Array.of(1);
    const { confirm, close } = confirmerOf(followerOf(validated, 6), transactions, {
      blockOf: async (_channel, _id, from = peer) => ({
        ...{ number: 5, peer: from },
        transactions: [{ txId: one, code: invalid, envelope: unreadable }],
      }),
      peers: [peer, another],
      onNews: news.resolve,
    });
    const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
    await confirm({ cursor: null, pending });
    await news.promise;
    const { outcomes } = await confirm({ cursor: null, pending });
    expect(outcomes).toMatchObject([{ txId: one, status: 'failed', problem: { code: 'invalidated' } }]);
    close();
  },
);

test.each([
  ['access denied', 'chaincode response 500, Failed to get block for txID x, error access denied'],
  [
    'all peers started from a snapshot',
    'chaincode response 500, Failed to get block for txID x, error details for the TXID [x] not available. Ledger bootstrapped from a snapshot. First available block = [9]',
  ],
])('a failed query delays only the outcome of its transaction, and is reported: %s', async (_, words) => {
  const transactions = createTransactionCache();
  knowCall(transactions, one);
  transactions.know(two, { channel, content, seen: true, first: false });
  const validated = [{ txId: one, block: 5, code: valid, peer }];
  const { confirm } = confirmerOf(followerOf(validated, 6), transactions, {
    async blockOf() {
      throw new PeerError(grpcCode.aborted, words);
    },
  });
  const pending = new Map<string, PendingTransaction>([two, one].map((txId) => [txId, { address: 'a' }]));
  const first = await confirm({ cursor: null, pending });
  expect(first.outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
  pending.delete(one);
  const { outcomes, remarks } = await confirm({ cursor: first.cursor, pending });
  expect(outcomes).toEqual([]);
  const detail = expect.stringContaining(`Channel ${channel} cannot be queried`);
  expect(remarks).toEqual([{ txId: two, detail }]);
});

test.each([
  [
    'whose stream has ended',
    { failure: () => new PeerError(grpcCode.unavailable, 'access denied') },
    undefined,
  ],
  ['that no peer delivers', {}, new PeerError(grpcCode.unavailable, 'access denied')],
])('a channel %s delays only its own transactions', async (_, more, otherFails) => {
  const transactions = createTransactionCache();
  knowCall(transactions, one);
  transactions.know(two, { channel: 'theirs', content, seen: true, first: true });
  const validated = [{ txId: one, block: 5, code: valid, peer }];
  const { confirm } = confirmerOf(followerOf(validated, 6), transactions, {
    other: { ...followerOf([], 6), channel: 'theirs', ...more },
    ...(otherFails === undefined ? {} : { otherFails }),
  });
  const pending = new Map<string, PendingTransaction>([one, two].map((txId) => [txId, { address: 'a' }]));
  const { outcomes, remarks } = await confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
  expect(remarks).toEqual([{ txId: two, detail: expect.stringContaining('Channel theirs cannot be read') }]);
});

test('queries transactions that the stream has not delivered within a minute', async () => {
  const transactions = createTransactionCache();
  knowCall(transactions, one);
  let now = 0;
  let asked = 0;
  const { confirm } = confirmerOf(followerOf([], 6), transactions, {
    now: () => now,
    async blockOf(_, txId) {
      asked += 1;
      return { number: 5, transactions: [{ txId, code: valid, envelope: new Uint8Array() }], peer };
    },
  });
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const { cursor } = await confirm({ cursor: null, pending });
  now = 59_999;
  await confirm({ cursor, pending });
  expect(asked).toBe(0);
  now = 60_000;
  const { outcomes } = await confirm({ cursor, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', height: 5 }]);
});

test('if peers do not respond, limits the number of queries per call, regardless of the number of pending transactions', async () => {
  const transactions = createTransactionCache();
  const ids = Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(64, '0'));
  let asked = 0;
  const { confirm } = confirmerOf(followerOf([], 6), transactions, {
    async blockOf() {
      asked += 1;
      await new Promise(setImmediate);
      throw new PeerError(grpcCode.unavailable, 'down');
    },
  });
  const pending = new Map<string, PendingTransaction>(ids.map((txId) => [txId, { address: 'a' }]));
  await expect(confirm({ cursor: null, pending })).rejects.toThrow('cannot be reached');
  for (let n = 0; n < 100; n += 1) await new Promise(setImmediate);
  expect(asked).toBe(8);
});

test('reads blocks even if a lying peer moved the cursor beyond the end of the channel', async () => {
  const transactions = createTransactionCache();
  knowCall(transactions, one);
  const { confirm } = confirmerOf(followerOf([{ txId: one, block: 5, code: valid, peer }], 6), transactions);
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const hash = JSON.stringify({ [channel]: [1_000_000, genesis.slice(2, 18)] });
  const { outcomes } = await confirm({ cursor: { height: 1_000_000, hash }, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', height: 5 }]);
});

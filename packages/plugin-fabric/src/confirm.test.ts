import type { PendingTransaction } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import type { BlockFollower, Verdict } from './block-follower.ts';
import type { Channels } from './channels.ts';
import { createConfirmer } from './confirm.ts';
import { readProperties } from './properties.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { createTransactions, type Transactions } from './transactions.ts';

const channel = 'ledger';
const genesis = `0x${'ab'.repeat(32)}`;
const valid = 0;

/** A follower whose stream brings its next block as soon as somebody waits, be it for a microtask. */
function followerOf(verdicts: readonly Verdict[], first: number): BlockFollower {
  let next = first;
  return {
    channel,
    genesis,
    get next() {
      return next;
    },
    oldest: 0,
    since(from) {
      const seen = verdicts.filter(({ block }) => block >= from && block < next);
      queueMicrotask(() => {
        next += 1;
      });
      return seen;
    },
    rewind: () => undefined,
    waitFor: () => undefined,
    failure: () => undefined,
    wasReset: () => false,
    close: () => undefined,
  };
}

function confirmerOf(
  follower: BlockFollower,
  transactions: Transactions,
  more: { blockOf?: SystemChaincode['blockOf']; now?: () => number } = {},
) {
  const channels: Pick<Channels, 'follow' | 'followed' | 'get'> = {
    follow: async () => follower,
    followed: () => [follower],
    get: () => follower,
  };
  const system: Pick<SystemChaincode, 'blockOf'> = { blockOf: more.blockOf ?? (async () => undefined) };
  return createConfirmer({
    // Members that confirming does not use are left out.
    channels: channels as Channels,
    system: system as SystemChaincode,
    transactions,
    properties: readProperties({
      ledgerId: 'test',
      technology: 'hyperledger-fabric',
      properties: {
        channel,
        msp_id: 'Org1MSP',
        observer_certificate: '-----BEGIN CERTIFICATE-----',
        observer_private_key: '-----BEGIN PRIVATE KEY-----',
      },
      nodes: [],
    }),
    host: { now: more.now ?? Date.now, log: () => undefined, signal: new AbortController().signal },
    used: new Set(),
  });
}

test('a block that comes while others are judged is read by the next call', async () => {
  const [early, late] = ['e'.repeat(64), 'f'.repeat(64)];
  const follower = followerOf(
    [
      { txId: early, block: 5, code: valid },
      { txId: late, block: 6, code: valid },
    ],
    6,
  );
  const transactions = createTransactions();
  for (const txId of [early, late]) {
    const content = { txId, channel, chaincode: 'assets', result: new Uint8Array(), event: undefined };
    transactions.know(txId, { channel, content, seen: true, first: true });
  }
  const { confirm } = confirmerOf(follower, transactions);
  const pending = new Map<string, PendingTransaction>([early, late].map((txId) => [txId, { address: 'a' }]));
  const first = await confirm({ cursor: null, pending });
  expect(first.outcomes.map(({ txId }) => txId)).toEqual([early]);
  expect(follower.next).toBeGreaterThan(6);
  pending.delete(early);
  const second = await confirm({ cursor: first.cursor, pending });
  expect(second.outcomes.map(({ txId }) => txId)).toEqual([late]);
});

const one = 'a'.repeat(64);
const content = { txId: one, channel, chaincode: 'assets', result: new Uint8Array(), event: undefined };
const invalid = 8;

test('a transaction that a peer did not have yet is asked for again, since the stream may be past it', async () => {
  const transactions = createTransactions();
  transactions.know(one, { channel, content, seen: true });
  let now = 0;
  let asked = 0;
  let behind = true;
  const envelope = new Uint8Array();
  const { confirm } = confirmerOf(followerOf([], 60), transactions, {
    now: () => now,
    blockOf: async () => {
      asked += 1;
      return behind ? undefined : { number: 50, transactions: [{ txId: one, code: valid, envelope }] };
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

test('what was sent here, too, is asked for when its blocks are not kept any more', async () => {
  const transactions = createTransactions();
  transactions.know(one, { channel, content, seen: true, first: true });
  const follower = { ...followerOf([], 30_000), next: 30_000, oldest: 28_000, since: () => undefined };
  const envelope = new Uint8Array();
  const { confirm } = confirmerOf(follower, transactions, {
    blockOf: async () => ({ number: 5, transactions: [{ txId: one, code: valid, envelope }] }),
  });
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const hash = JSON.stringify({ [channel]: [1, genesis.slice(2, 18)] });
  const { outcomes } = await confirm({ cursor: { height: 1, hash }, pending });
  expect(outcomes).toMatchObject([{ txId: one, status: 'succeeded', height: 5 }]);
});

test.each([
  [invalid, valid],
  [valid, invalid],
])("somebody's copy of an id decides nothing beside the transaction itself (%i, %i)", async (...codes) => {
  const pending = new Map<string, PendingTransaction>([[one, { address: 'a' }]]);
  const know = () => {
    const transactions = createTransactions();
    transactions.know(one, { channel, content, seen: true });
    return transactions;
  };
  const verdicts = codes.map((code) => ({ txId: one, block: 5, code }));
  const streamed = await confirmerOf(followerOf(verdicts, 6), know()).confirm({ cursor: null, pending });
  expect(streamed.outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
  const envelope = new Uint8Array();
  const asked = await confirmerOf(followerOf([], 6), know(), {
    blockOf: async () => ({ number: 5, transactions: codes.map((code) => ({ txId: one, code, envelope })) }),
  }).confirm({ cursor: null, pending });
  expect(asked.outcomes).toMatchObject([{ txId: one, status: 'succeeded' }]);
});

import type { PendingTransaction } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import type { BlockFollower, Verdict } from './block-follower.ts';
import type { Channels } from './channels.ts';
import { createConfirmer } from './confirm.ts';
import { readProperties } from './properties.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { createTransactions } from './transactions.ts';

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
  const channels: Pick<Channels, 'follow' | 'followed' | 'get'> = {
    follow: async () => follower,
    followed: () => [follower],
    get: () => follower,
  };
  const system: Pick<SystemChaincode, 'blockOf'> = { blockOf: async () => undefined };
  const { confirm } = createConfirmer({
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
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
    used: new Set(),
  });
  const pending = new Map<string, PendingTransaction>([early, late].map((txId) => [txId, { address: 'a' }]));
  const first = await confirm({ cursor: null, pending });
  expect(first.outcomes.map(({ txId }) => txId)).toEqual([early]);
  expect(follower.next).toBeGreaterThan(6);
  pending.delete(early);
  const second = await confirm({ cursor: first.cursor, pending });
  expect(second.outcomes.map(({ txId }) => txId)).toEqual([late]);
});

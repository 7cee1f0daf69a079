import type { JsonObject } from '@ledger-ops/adapter';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import { defaultTiming } from '../timing.ts';
import type { PeerClaim } from './outcome.ts';
import { PeerAgreement } from './peer-agreement.ts';

const channel = 'ledger';
const longestWait = 1_000;
const [valid, policyFailure, conflict] = [0, 10, 11];
const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
const envelope = new Uint8Array([1]);

/** Returns a peer that has only a name. */
function peerOf(nodeId: string, mspId: string): Peer {
  const named: Pick<Peer, 'properties'> = {
    properties: { nodeId, mspId, role: 'gateway' } as Peer['properties'],
  };
  return named as Peer;
}

type Chain = Record<string, { block: number; code: number }> | 'down' | 'broken' | 'another block';

/** Agreement among peers, each with its own chain. */
function agreementAmong(chains: ReadonlyMap<Peer, Chain>) {
  const questions: string[] = [];
  const log: { level: string; event: string; fields: JsonObject }[] = [];
  const news = vi.fn();
  const said = new Map(chains);
  const agreement = new PeerAgreement({
    peers: { order: () => [...said.keys()], failed: () => undefined },
    qscc: {
      async blockOf(_, txId, peer) {
        if (peer === undefined) throw new TypeError('No peer was named.');
        questions.push(`${peer.properties.nodeId} ${txId[0]}`);
        const chain = said.get(peer) ?? {};
        if (chain === 'down') throw new PeerError(grpcCode.unavailable, 'down');
        if (chain === 'broken') throw new TypeError('The bytes are not a block.');
        if (chain === 'another block') return { number: 5, transactions: [], peer };
        const number = chain[txId]?.block;
        if (number === undefined) return undefined;
        const transactions = Object.entries(chain).flatMap(([id, { block, code }]) =>
          block === number ? [{ txId: id, code, envelope }] : [],
        );
        return { number, transactions, peer };
      },
    },
    host: {
      now: Date.now,
      log: (level, event, fields = {}) => log.push({ level, event, fields }),
      signal: new AbortController().signal,
    },
    longestWait,
    timing: defaultTiming.outcomes,
    onNews: news,
  });
  return { agreement, questions, log, news, said };
}

const own = peerOf('own', 'Org1MSP');
const sister = peerOf('sister', 'Org1MSP');
const foreign = peerOf('foreign', 'Org2MSP');
const claimOf = (txId: string, more: Partial<PeerClaim> = {}): PeerClaim => ({
  ...{ txId, channel, block: 5, code: conflict, peer: own },
  ...more,
});
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('queries another peer once for all transactions of a block, and reports that the peers agree', async () => {
  const { agreement, questions, news } = agreementAmong(
    new Map([
      [own, {}],
      [foreign, { [one]: { block: 5, code: conflict }, [two]: { block: 5, code: policyFailure } }],
    ]),
  );
  const claims = [claimOf(one), claimOf(two, { code: policyFailure })];
  for (const claim of claims) expect(agreement.on(claim)).toBeUndefined();
  agreement.ask();
  agreement.ask();
  await settled();
  expect(questions).toEqual(['foreign 1']);
  expect(claims.map((claim) => agreement.on(claim))).toEqual([
    { block: 5, code: conflict, envelope },
    { block: 5, code: policyFailure, envelope },
  ]);
  expect(agreement.remarks()).toEqual([]);
  expect(news).toHaveBeenCalled();
});

test.each([
  ['a peer of another organization', [own, sister, foreign], own, 'foreign'],
  ['another peer of the same organization if there is no other organization', [own, sister], own, 'sister'],
  ['the same peer if it is the only one', [own], own, 'own'],
  [
    'a peer of the ledger’s own organization if another organization reported the transaction',
    [own, foreign],
    foreign,
    'own',
  ],
])('to confirm an outcome, queries %s', async (_, nodes, peer, expected) => {
  const { agreement, questions } = agreementAmong(
    new Map(nodes.map((node) => [node, { [one]: { block: 5, code: conflict } }])),
  );
  agreement.on(claimOf(one, { peer }));
  agreement.ask();
  await settled();
  expect(questions).toEqual([`${expected} 1`]);
  expect(agreement.on(claimOf(one))).toBeDefined();
});

test('if the other peer has a transaction in a different block, queries the transaction separately', async () => {
  const { agreement, questions } = agreementAmong(
    new Map([
      [own, {}],
      [foreign, { [one]: { block: 5, code: conflict }, [two]: { block: 6, code: conflict } }],
    ]),
  );
  for (const txId of [one, two]) agreement.on(claimOf(txId));
  agreement.ask();
  await settled();
  expect(questions).toEqual(['foreign 1', 'foreign 2']);
  expect([one, two].map((txId) => agreement.on(claimOf(txId))?.block)).toEqual([5, 6]);
});

test('a second peer that lacks the transaction is queried at growing intervals, and a remark says that it must confirm', async () => {
  const { agreement, questions, said, log } = agreementAmong(
    new Map<Peer, Chain>([
      [own, {}],
      [foreign, {}],
    ]),
  );
  for (const txId of [one, two]) agreement.on(claimOf(txId));
  agreement.ask();
  await settled();
  expect(agreement.remarks()).toEqual(
    [one, two].map((txId) => ({
      txId,
      detail:
        'own (Org1MSP) shows it as MVCC_READ_CONFLICT in block 5 of ledger. Another peer must confirm this first: foreign (Org2MSP) does not have it yet.',
    })),
  );
  await vi.advanceTimersByTimeAsync(10 * longestWait);
  expect(questions.length).toBeLessThan(20);
  expect(log.filter(({ event }) => event === 'fabric.agreement.missing')).toHaveLength(1);
  // The peer never receives the first transaction.
  said.set(foreign, { [two]: { block: 5, code: conflict } });
  await vi.advanceTimersByTimeAsync(2 * longestWait);
  expect(agreement.on(claimOf(two))).toBeDefined();
  expect(agreement.remarks().map(({ txId }) => txId)).toEqual([one]);
});

test('reaches no agreement without a readable answer from a peer of another organization', async () => {
  const { agreement, said, log } = agreementAmong(
    new Map<Peer, Chain>([
      [own, { [one]: { block: 5, code: conflict } }],
      [sister, { [one]: { block: 5, code: conflict } }],
      [foreign, 'down'],
    ]),
  );
  agreement.on(claimOf(one));
  agreement.ask();
  await vi.advanceTimersByTimeAsync(10 * longestWait);
  expect(agreement.on(claimOf(one))).toBeUndefined();
  expect(agreement.remarks()[0]?.detail).toContain('foreign (Org2MSP) does not answer');
  said.set(foreign, 'broken');
  await vi.advanceTimersByTimeAsync(longestWait);
  expect(agreement.on(claimOf(one))).toBeUndefined();
  expect(log).toContainEqual(expect.objectContaining({ level: 'error', event: 'fabric.agreement.unread' }));
  said.set(foreign, 'another block');
  await vi.advanceTimersByTimeAsync(2 * longestWait);
  expect(agreement.remarks()[0]?.detail).toContain('foreign (Org2MSP) does not have it yet');
});

test.each([
  ['the second peer was wrong', conflict],
  ['the first peer was wrong', valid],
])('peers that contradict each other are queried again until they agree: %s', async (_, code) => {
  const { agreement, questions, said, log } = agreementAmong(
    new Map<Peer, Chain>([
      [own, { [one]: { block: 5, code: conflict } }],
      [foreign, { [one]: { block: 5, code: valid } }],
    ]),
  );
  agreement.on(claimOf(one));
  agreement.ask();
  await vi.advanceTimersByTimeAsync(5 * longestWait);
  expect(agreement.on(claimOf(one))).toBeUndefined();
  expect(agreement.has(one)).toBe(true);
  expect(agreement.remarks()[0]?.detail).toContain(
    'own (Org1MSP) shows it as MVCC_READ_CONFLICT in block 5 of ledger, foreign (Org2MSP) shows it as VALID',
  );
  expect(log.filter(({ event }) => event === 'fabric.peers.contradict')).toEqual([
    {
      level: 'error',
      event: 'fabric.peers.contradict',
      fields: {
        ...{ channel, txId: one, block: 5, nodes: 'own, foreign' },
        codes: 'MVCC_READ_CONFLICT, VALID',
      },
    },
  ]);
  expect(questions.length).toBeLessThan(15);
  for (const peer of [own, foreign]) said.set(peer, { [one]: { block: 5, code } });
  await vi.advanceTimersByTimeAsync(longestWait);
  expect(agreement.on(claimOf(one))).toEqual({ block: 5, code, envelope });
  expect(agreement.remarks()).toEqual([]);
});

test('stops querying transactions that are no longer pending, and stops after close()', async () => {
  const { agreement, questions } = agreementAmong(
    new Map<Peer, Chain>([
      [own, {}],
      [foreign, {}],
    ]),
  );
  for (const [index, txId] of [one, two, three].entries()) agreement.on(claimOf(txId, { block: index }));
  agreement.ask();
  await settled();
  agreement.keepOnly(new Set([two]));
  questions.length = 0;
  await vi.advanceTimersByTimeAsync(longestWait);
  expect(new Set(questions)).toEqual(new Set(['foreign 2']));
  expect(agreement.has(one)).toBe(false);
  agreement.close();
  questions.length = 0;
  await vi.advanceTimersByTimeAsync(5 * longestWait);
  expect(questions).toEqual([]);
});

import type { JsonObject } from '@ledger-ops/adapter';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import { type Claim, createSecondWords } from './second-word.ts';

const channel = 'ledger';
const patience = 1_000;
const [valid, policyFailure, conflict] = [0, 10, 11];
const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
const envelope = new Uint8Array([1]);

/** A peer, as far as it has a name. */
function peerOf(nodeId: string, mspId: string): PeerNode {
  const named: Pick<PeerNode, 'properties'> = {
    properties: { nodeId, mspId, role: 'gateway' } as PeerNode['properties'],
  };
  return named as PeerNode;
}

type Chain = Record<string, { block: number; code: number }> | 'down' | 'broken' | 'another block';

/** Second words among peers, each with what it says of transactions. */
function wordsAmong(chains: ReadonlyMap<PeerNode, Chain>) {
  const questions: string[] = [];
  const log: { level: string; event: string; fields: JsonObject }[] = [];
  const news = vi.fn();
  const said = new Map(chains);
  const words = createSecondWords({
    peers: { order: () => [...said.keys()], failed: () => undefined },
    system: {
      async blockOf(_, txId, peer) {
        if (peer === undefined) throw new TypeError('No peer was named.');
        questions.push(`${peer.properties.nodeId} ${txId[0]}`);
        const chain = said.get(peer) ?? {};
        if (chain === 'down') throw new PeerFailure(grpcCode.unavailable, 'down');
        if (chain === 'broken') throw new TypeError('Bytes that are no block.');
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
    patience,
    onNews: news,
  });
  return { words, questions, log, news, said };
}

const own = peerOf('own', 'Org1MSP');
const sister = peerOf('sister', 'Org1MSP');
const foreign = peerOf('foreign', 'Org2MSP');
const claimOf = (txId: string, more: Partial<Claim> = {}): Claim => ({
  ...{ txId, channel, block: 5, code: conflict, peer: own },
  ...more,
});
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('one question to another peer is enough for all of a block, and rings once they agree', async () => {
  const { words, questions, news } = wordsAmong(
    new Map([
      [own, {}],
      [foreign, { [one]: { block: 5, code: conflict }, [two]: { block: 5, code: policyFailure } }],
    ]),
  );
  const claims = [claimOf(one), claimOf(two, { code: policyFailure })];
  for (const claim of claims) expect(words.on(claim)).toBeUndefined();
  words.ask();
  words.ask();
  await settled();
  expect(questions).toEqual(['foreign 1']);
  expect(claims.map((claim) => words.on(claim))).toEqual([
    { block: 5, code: conflict, envelope },
    { block: 5, code: policyFailure, envelope },
  ]);
  expect(words.remarks()).toEqual([]);
  expect(news).toHaveBeenCalled();
});

test.each([
  ['one of another organization', [own, sister, foreign], own, 'foreign'],
  ['another one of the same, where there is no other organization', [own, sister], own, 'sister'],
  ['the only one itself', [own], own, 'own'],
  ['the own organization, where another one told it', [own, foreign], foreign, 'own'],
])('who is asked is %s', async (_, nodes, peer, expected) => {
  const { words, questions } = wordsAmong(
    new Map(nodes.map((node) => [node, { [one]: { block: 5, code: conflict } }])),
  );
  words.on(claimOf(one, { peer }));
  words.ask();
  await settled();
  expect(questions).toEqual([`${expected} 1`]);
  expect(words.on(claimOf(one))).toBeDefined();
});

test('what others of the block are in another one for is asked for by itself', async () => {
  const { words, questions } = wordsAmong(
    new Map([
      [own, {}],
      [foreign, { [one]: { block: 5, code: conflict }, [two]: { block: 6, code: conflict } }],
    ]),
  );
  for (const txId of [one, two]) words.on(claimOf(txId));
  words.ask();
  await settled();
  expect(questions).toEqual(['foreign 1', 'foreign 2']);
  expect([one, two].map((txId) => words.on(claimOf(txId))?.block)).toEqual([5, 6]);
});

test('a peer that is behind is asked again until it knows, ever more rarely, and why is told', async () => {
  const { words, questions, said, log } = wordsAmong(
    new Map<PeerNode, Chain>([
      [own, {}],
      [foreign, {}],
    ]),
  );
  for (const txId of [one, two]) words.on(claimOf(txId));
  words.ask();
  await settled();
  expect(words.remarks()).toEqual(
    [one, two].map((txId) => ({
      txId,
      detail:
        'own (Org1MSP) shows it as MVCC_READ_CONFLICT in block 5 of ledger. Before that counts, another peer must say the same: foreign (Org2MSP) does not have it yet.',
    })),
  );
  await vi.advanceTimersByTimeAsync(10 * patience);
  expect(questions.length).toBeLessThan(20);
  expect(log.filter(({ event }) => event === 'fabric.word.missing')).toHaveLength(1);
  // The first one it never hears of.
  said.set(foreign, { [two]: { block: 5, code: conflict } });
  await vi.advanceTimersByTimeAsync(2 * patience);
  expect(words.on(claimOf(two))).toBeDefined();
  expect(words.remarks().map(({ txId }) => txId)).toEqual([one]);
});

test('where no other peer answers, or none that can be read, nothing is agreed on', async () => {
  const { words, said, log } = wordsAmong(
    new Map<PeerNode, Chain>([
      [own, { [one]: { block: 5, code: conflict } }],
      [sister, { [one]: { block: 5, code: conflict } }],
      [foreign, 'down'],
    ]),
  );
  words.on(claimOf(one));
  words.ask();
  await vi.advanceTimersByTimeAsync(10 * patience);
  expect(words.on(claimOf(one))).toBeUndefined();
  expect(words.remarks()[0]?.detail).toContain('foreign (Org2MSP) does not answer');
  said.set(foreign, 'broken');
  await vi.advanceTimersByTimeAsync(patience);
  expect(words.on(claimOf(one))).toBeUndefined();
  expect(log).toContainEqual(expect.objectContaining({ level: 'error', event: 'fabric.word.unread' }));
  said.set(foreign, 'another block');
  await vi.advanceTimersByTimeAsync(2 * patience);
  expect(words.remarks()[0]?.detail).toContain('foreign (Org2MSP) does not have it yet');
});

test.each([
  ['the second peer was wrong', conflict],
  ['the first peer was wrong', valid],
])('peers that contradict each other are both asked again, until they agree: %s', async (_, code) => {
  const { words, questions, said, log } = wordsAmong(
    new Map<PeerNode, Chain>([
      [own, { [one]: { block: 5, code: conflict } }],
      [foreign, { [one]: { block: 5, code: valid } }],
    ]),
  );
  words.on(claimOf(one));
  words.ask();
  await vi.advanceTimersByTimeAsync(5 * patience);
  expect(words.on(claimOf(one))).toBeUndefined();
  expect(words.has(one)).toBe(true);
  expect(words.remarks()[0]?.detail).toContain(
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
  await vi.advanceTimersByTimeAsync(patience);
  expect(words.on(claimOf(one))).toEqual({ block: 5, code, envelope });
  expect(words.remarks()).toEqual([]);
});

test('nobody is asked any more for what is not waited for, or when it is closed', async () => {
  const { words, questions } = wordsAmong(
    new Map<PeerNode, Chain>([
      [own, {}],
      [foreign, {}],
    ]),
  );
  for (const [index, txId] of [one, two, three].entries()) words.on(claimOf(txId, { block: index }));
  words.ask();
  await settled();
  words.keepOnly(new Set([two]));
  questions.length = 0;
  await vi.advanceTimersByTimeAsync(patience);
  expect(new Set(questions)).toEqual(new Set(['foreign 2']));
  expect(words.has(one)).toBe(false);
  words.close();
  questions.length = 0;
  await vi.advanceTimersByTimeAsync(5 * patience);
  expect(questions).toEqual([]);
});

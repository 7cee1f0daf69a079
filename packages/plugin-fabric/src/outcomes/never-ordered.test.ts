import { common } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { createSemaphore } from '../gateway/semaphore.ts';
import { readProperties } from '../properties.ts';
import { type SubmitContext, submitAll } from '../submit.ts';
import { defaultTiming } from '../timing.ts';
import { encodeSigned } from './signed-bytes.ts';
import { createTransactionCache } from './transaction-cache.ts';

const channel = 'ledger';
const txId = 'a'.repeat(64);
const bytes = encodeSigned({ kind: 'transaction', txId, envelope: Uint8Array.of(10, 0) });
const patience = 2_000;
const tenMinutes = 600_000;

const orderer = (answer: string) =>
  new PeerError(grpcCode.aborted, `received unsuccessful response from orderer: status=${answer}`);
const forbidden = orderer('FORBIDDEN, info=implicit policy evaluation failed: permission denied');
const tooLarge = orderer('BAD_REQUEST, info=message payload is 9 bytes and exceeds maximum allowed 8 bytes');
const expired = orderer('BAD_REQUEST, info=broadcast client identity expired');
const tooLargeForPeer = new PeerError(
  grpcCode.resourceExhausted,
  'grpc: received message larger than max (5 vs. 4)',
);
const late = new PeerError(grpcCode.deadlineExceeded, 'Deadline exceeded');
const down = new PeerError(grpcCode.unavailable, 'no orderers could successfully process transaction');

function configBlock(number: number): common.Block {
  const header = new common.BlockHeader();
  header.setNumber(number);
  const block = new common.Block();
  block.setHeader(header);
  return block;
}

/** Two peers and orderers. A test defines the peers' ledgers and the orderers' answers. */
function stage() {
  const world = {
    now: 0,
    /** Newest configuration block, by peer. */
    config: [3, 3],
    /** Whether a peer's ledger has the transaction. */
    has: [false, false],
    /** Whether a peer answers queries. */
    answers: [true, true],
    questions: 0,
  };
  let answer: PeerError | undefined;
  // Members that sending does not use are omitted.
  const nodes = [0, 1].map(
    (): Pick<Peer, 'unary'> => ({
      unary: async () => {
        if (answer !== undefined) throw answer;
        return new Uint8Array();
      },
    }),
  ) as Peer[];
  const indexOf = (peer: Peer | undefined) => {
    world.questions += 1;
    const index = peer === undefined ? -1 : nodes.indexOf(peer);
    if (world.answers[index] !== true) throw new PeerError(grpcCode.unavailable, 'down');
    return index;
  };
  const peers: Pick<Peers, 'order' | 'onPeer'> = {
    order: () => nodes,
    onPeer: async (run) => run(nodes[0] as Peer),
  };
  const qscc: Pick<Qscc, 'configBlock' | 'blockOf'> = {
    configBlock: async (_, peer) => configBlock(world.config[indexOf(peer)] ?? 0),
    blockOf: async (_, _id, peer) =>
      world.has[indexOf(peer)] === true ? { number: 9, transactions: [], peer: peer as Peer } : undefined,
  };
  const context: SubmitContext = {
    peers: peers as Peers,
    qscc: qscc as Qscc,
    semaphore: createSemaphore(1),
    transactions: createTransactionCache(),
    timing: defaultTiming,
    properties: readProperties({
      ledgerId: 'test',
      technology: 'hyperledger-fabric',
      properties: {
        channel,
        msp_id: 'Org1MSP',
        observer_certificate: '-----BEGIN CERTIFICATE-----',
        observer_private_key: '-----BEGIN PRIVATE KEY-----',
        commit_timeout: patience,
      },
      nodes: [],
    }),
    now: () => world.now,
    expect: () => true,
  };
  context.transactions.know(txId, { channel });
  /** Sends the same bytes again, this many milliseconds later. */
  async function send(failure: PeerError | undefined, after = 0, first = false): Promise<string | undefined> {
    world.now += after;
    answer = failure;
    const [submitted] = await submitAll([{ txId, bytes, first }], context);
    return submitted?.status;
  }
  return { world, send };
}

test('a refused first send is not final: the transaction is rejected only after a wait', async () => {
  const { send } = stage();
  expect(await send(forbidden, 0, true)).toBe('refused');
  expect(await send(forbidden, patience)).toBe('rejected');
});

test.each([
  ['is forbidden', forbidden, patience],
  ['is too large for the channel', tooLarge, patience],
  ['has an expired identity', expired, tenMinutes],
  ['is too large for the peer', tooLargeForPeer, tenMinutes],
])(
  'a resent transaction that %s is rejected when the wait is over, not earlier',
  async (_, failure, wait) => {
    const { world, send } = stage();
    expect(await send(failure)).toBe('refused');
    expect(await send(failure, wait - 1)).toBe('refused');
    // No peer is queried during the wait.
    expect(world.questions).toBe(2);
    expect(await send(failure, 1)).toBe('rejected');
  },
);

test('waits ten minutes if one of the refusals does not follow from the configuration', async () => {
  const { send } = stage();
  await send(forbidden);
  expect(await send(expired, patience)).toBe('refused');
  expect(await send(forbidden, patience)).toBe('refused');
  expect(await send(forbidden, tenMinutes - 2 * patience)).toBe('rejected');
});

test.each([
  ['a timeout', late],
  ['an unavailable orderer', down],
])('%s between two refusals restarts the wait before a rejection', async (_, other) => {
  const { send } = stage();
  await send(forbidden);
  expect(await send(other, patience)).toBe('unavailable');
  expect(await send(forbidden)).toBe('refused');
  expect(await send(forbidden, patience - 1)).toBe('refused');
  expect(await send(forbidden, 1)).toBe('rejected');
});

test('an orderer that accepts the transaction restarts the wait before a rejection', async () => {
  const { send } = stage();
  await send(forbidden);
  expect(await send(undefined, patience)).toBe('accepted');
  const untilSentAgain = 15_000;
  expect(await send(forbidden, untilSentAgain)).toBe('refused');
  expect(await send(forbidden, patience)).toBe('rejected');
});

test('if the result of the first send is unknown, rejects the transaction only after the wait', async () => {
  const { send } = stage();
  expect(await send(late, 0, true)).toBe('unavailable');
  expect(await send(forbidden)).toBe('refused');
  expect(await send(forbidden, patience)).toBe('rejected');
});

test('a changed configuration on any peer restarts the wait before a rejection', async () => {
  const { world, send } = stage();
  await send(forbidden);
  world.config = [3, 8];
  expect(await send(forbidden, patience)).toBe('refused');
  expect(await send(forbidden, patience - 1)).toBe('refused');
  expect(await send(forbidden, 1)).toBe('rejected');
});

test('never rejects a transaction that one peer’s ledger contains', async () => {
  const { world, send } = stage();
  world.has = [false, true];
  await send(forbidden);
  expect(await send(forbidden, patience)).toBe('refused');
  expect(await send(forbidden, tenMinutes)).toBe('refused');
});

test('does not reject transactions while one of the peers cannot be queried', async () => {
  const { world, send } = stage();
  world.answers = [true, false];
  await send(forbidden);
  expect(await send(forbidden, patience)).toBe('refused');
  world.answers = [true, true];
  expect(await send(forbidden, patience)).toBe('refused');
  world.answers = [false, true];
  expect(await send(forbidden, patience)).toBe('refused');
  world.answers = [true, true];
  expect(await send(forbidden)).toBe('rejected');
});

// The server and the network are interrupted at every point. Each accepted action must result in exactly one
// valid transaction.
import { randomUUID } from 'node:crypto';
import { type FabricNetwork, type PlannedDeath, startFabricNetwork } from '@ledger-ops/devnet-fabric';
import type { FaultPoint } from '@ledger-ops/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { openBlackHole } from './black-hole.ts';
import { type FabricClient, openFabricClient, valid } from './fabric-client.ts';
import {
  addFabricLedger,
  addFabricWallet,
  bodyOf,
  chaincodeGlo,
  deploySamples,
  type FabricWallet,
} from './fabric-ledger.ts';
import { createChance } from './faults.ts';
import { type Action, createProduct, type Fault, type Product } from './product.ts';

/**
 * Points that calls reach. They never reach `note:*`: on Fabric, a transaction's id is known before it is
 * sent.
 */
const points = [
  ...['accept:before-commit', 'accept:after-commit', 'sign:before-commit', 'sign:after-commit'],
  ...['submit:before', 'submit:after', 'settle:before-commit', 'settle:after-commit'],
] as FaultPoint[];
/** Points between signing and storing an orderer's permanent refusal. */
const refusalPoints = [
  ...['sign:after-commit', 'submit:before', 'submit:after', 'reject:before-commit', 'reject:after-commit'],
] as FaultPoint[];

const ledgerId = 'trade';
let network: FabricNetwork;
let client: FabricClient;
let product: Product;
let wallet: FabricWallet;

beforeAll(async () => {
  network = await startFabricNetwork();
  await deploySamples(network);
  client = await openFabricClient(network);
}, 300_000);
afterAll(async () => {
  await product?.stop();
  client?.close();
  await network?.stop();
});

/** The running server's route to the first peer. Undefined if the server cannot be reused. */
let way: { endpoint?: string } | undefined;

/**
 * Returns a wallet on a server's ledger. Reuses the server of the previous test if possible.
 *
 * @param endpoint another route to the first peer
 */
async function open(endpoint?: string): Promise<void> {
  if (way?.endpoint !== undefined || endpoint !== undefined || product?.isAlive() !== true) {
    await product?.stop();
    product = createProduct();
    await product.start();
    const properties = {
      retry_conflicts: 10,
      commit_timeout: 2_000,
      submit_timeout: 2_000,
      rpc_timeout: 2_000,
    };
    way = endpoint === undefined ? {} : { endpoint };
    await addFabricLedger(product, network, { ledgerId, properties, ...way });
  }
  wallet = await addFabricWallet(product, ledgerId);
}
afterEach(async ({ task }) => {
  network.faults.clear();
  for (const one of network.organizations) if (!one.running()) await one.start();
  // The next test would otherwise mistake the remaining actions of this server for its own.
  if (task.result?.state === 'fail') await product?.stop();
});

/** Returns a call that increments the value of a key: the final value is the number of executions. */
const countGlo = (key: string) => chaincodeGlo('ledger/assets', 'Trials:Count', [key]);
const countOf = async (key: string) => Number((await client.evaluate('assets', 'Trials:Get', key)) || '0');

/** Returns the action id, or null if the connection broke before a response. */
async function trySend(key: string, headers: Record<string, string> = {}): Promise<string | null> {
  try {
    const body = bodyOf(wallet, countGlo(key));
    const { status, body: answer } = await product.call('POST', '/v1/ledger-ops/send', body, headers);
    if (status !== 201) throw new Error(JSON.stringify(answer));
    return String(answer.actionId);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

interface Sent {
  key: string;
  actionId: string | null;
}

const sendAll = async (keys: readonly string[]): Promise<Sent[]> =>
  await Promise.all(keys.map(async (key) => ({ key, actionId: await trySend(key) })));
const freshKeys = (count: number) => Array.from({ length: count }, () => `k-${randomUUID()}`);

/** Waits until all actions complete, and compares the ledger with the service. */
async function expectOnce(sent: readonly Sent[]): Promise<void> {
  const ids = sent.flatMap(({ actionId }) => actionId ?? []);
  const ends = new Map((await product.ended(ids)).map((end) => [end.actionId, end]));
  const codes = await client.transactions();
  const wanted = new Map<string, { least: number; most: number }>();
  for (const { key, actionId } of sent) {
    const end = ends.get(actionId ?? '');
    const { least, most } = wanted.get(key) ?? { least: 0, most: 0 };
    // An operation without a response may have been accepted.
    const isCertain = end?.status === 'SUCCEEDED';
    wanted.set(key, {
      least: least + (isCertain ? 1 : 0),
      most: most + (end === undefined || isCertain ? 1 : 0),
    });
    if (end !== undefined) expectEnd(end, codes);
  }
  for (const [key, { least, most }] of wanted) {
    const count = await countOf(key);
    expect(count).toBeGreaterThanOrEqual(least);
    expect(count).toBeLessThanOrEqual(most);
  }
}

function expectEnd({ status, locator, problem }: Action, codes: ReadonlyMap<string, number>): void {
  expect({ status, problem }).toEqual({ status: 'SUCCEEDED', problem: undefined });
  expect(codes.get(String(locator))).toBe(valid);
}

/** Waits until all actions of the wallet complete, including those without a response, and returns them. */
async function allEnded(): Promise<Action[]> {
  const path = `/v1/ledger-ops/search/wallets/${wallet.walletId}/actions?size=100`;
  const first = await product.call('GET', path);
  const pages = Number(first.body.totalPages);
  const ends: Action[] = [];
  for (let page = 0; page < pages; page += 1) {
    const { body } = await product.call('GET', `${path}&page=${page}`);
    ends.push(...(await product.ended((body.pageContent as Action[]).map(({ actionId }) => actionId))));
  }
  return ends;
}

/** Sends until the server dies at a point. */
async function sendUntilKilled(fault: Fault, keys: readonly string[]): Promise<Sent[]> {
  await product.breakAt(fault);
  const sent = await sendAll(keys);
  await product.untilKilled(async () => {
    const round = await sendAll(freshKeys(2));
    sent.push(...round);
    return round.map(({ actionId }) => actionId);
  });
  return sent;
}

describe('the server killed at a step of the pipeline', () => {
  test.each(selectCases(points, (point) => point === 'submit:after'))(
    'every accepted action results in exactly one valid transaction (server killed at %s)',
    async (point) => {
      await open();
      // Calls on the same key conflict and are proposed again.
      const shared = `shared-${randomUUID()}`;
      const keys = [...freshKeys(8), shared, shared, shared, shared];
      const sent = await sendUntilKilled({ point, nth: 3 }, keys);
      await product.start();
      await allEnded();
      await expectOnce(sent);
    },
    300_000,
  );
});

describe('the server killed while the orderer refuses', () => {
  const refused = {
    status: 'FAILED',
    problem: expect.objectContaining({
      type: 'urn:ledger-ops:problem:not-preparable',
      detail: expect.stringMatching(
        /orderer rejected the transaction: .*status=FORBIDDEN, info=.*permission denied/,
      ),
    }),
  };
  const endOf = ({ status, problem }: Action) => ({ status, problem });

  test.each(selectCases(refusalPoints, () => false))(
    'every accepted action is FAILED with the orderer’s message, and none is on the ledger (server killed at %s)',
    async (point) => {
      await open();
      network.faults.ordererRefuses = true;
      const before = await client.transactions();
      const sent = await sendUntilKilled({ point, nth: 3 }, freshKeys(10));
      await product.start();
      const ends = await allEnded();
      expect(ends.length).toBeGreaterThanOrEqual(sent.filter(({ actionId }) => actionId !== null).length);
      expect(ends.map(endOf)).toEqual(ends.map(() => refused));
      expect(await client.transactions()).toEqual(before);
    },
    300_000,
  );

  const takenAgain: [FaultPoint, 'none' | 'some'][] = [
    ['reject:before-commit', 'none'],
    ['reject:after-commit', 'some'],
  ];
  test.each(selectCases(takenAgain, () => false))(
    'if the server is killed at %s while the orderer refuses, the refused actions (%s) fail and the others succeed once',
    async (point, failed) => {
      await open();
      network.faults.ordererRefuses = true;
      const sent = await sendUntilKilled({ point, nth: 1 }, freshKeys(10));
      network.faults.ordererRefuses = false;
      await product.start();
      const ends = await allEnded();
      const isFailed = ({ status }: Action) => status === 'FAILED';
      expect(ends.some(isFailed)).toBe(failed === 'some');
      expect(ends.filter(isFailed).map(endOf)).toEqual(ends.filter(isFailed).map(() => refused));
      const failedIds = new Set(ends.filter(isFailed).map(({ actionId }) => actionId));
      await expectOnce(sent.filter(({ actionId }) => !failedIds.has(String(actionId))));
      for (const { key, actionId } of sent)
        if (failedIds.has(String(actionId))) expect(await countOf(key)).toBe(0);
    },
    300_000,
  );
});

const loads = selectCases([3], () => false);
test.each(loads)(
  'although the server is killed %i times under load, requests with Idempotency-Keys are executed exactly once',
  async (kills) => {
    await open();
    const chance = createChance('fabric');
    const sends: Sent[] = [];
    for (let round = 0; round <= kills; round += 1) {
      // Actions of this round, and unanswered ones of earlier rounds. The number is printed to reproduce a failure.
      sends.push(...freshKeys(30).map((key) => ({ key, actionId: null })));
      const cut = round < kills ? chance(1, 30) : Number.POSITIVE_INFINITY;
      console.log(`round ${round}: cut after ${cut} answers`);
      let answers = 0;
      const waiting = sends.filter(({ actionId }) => actionId === null);
      await Promise.all(
        waiting.map(async (send) => {
          send.actionId = await trySend(send.key, { 'Idempotency-Key': send.key });
          if (send.actionId !== null && ++answers === cut) await product.kill();
        }),
      );
      if (round === kills) break;
      expect(product.isAlive()).toBe(false);
      await product.start();
    }
    await expectOnce(sends);
  },
  300_000,
);

describe('the network interrupted during actions', () => {
  const breaks: [string, () => Promise<void>][] = [
    [
      'an orderer that answers SERVICE_UNAVAILABLE for a while',
      async () => {
        await open();
        network.faults.ordererUnavailable = true;
        const sent = await sendAll(freshKeys(10));
        await expectSigned(sent);
        network.faults.ordererUnavailable = false;
        await expectOnce(sent);
      },
    ],

    [
      'a block stream that is cut, and refused for a while',
      async () => {
        await open();
        await expectOnce(await sendAll(freshKeys(2)));
        network.faults.streamsRefused = true;
        network.faults.cutStreams();
        const keys = freshKeys(10);
        const sent = await sendAll(keys);
        // The transactions are in blocks that no stream delivered.
        const counts = async () => await Promise.all(keys.map(countOf));
        await vi.waitFor(async () => expect(await counts()).toEqual(keys.map(() => 1)), { timeout: 30_000 });
        network.faults.streamsRefused = false;
        await expectOnce(sent);
      },
    ],

    [
      'a connection that stays open but loses everything',
      async () => {
        const hole = await openBlackHole(String(network.organizations[0]?.endpoint));
        try {
          await open(hole.endpoint);
          await expectOnce(await sendAll(freshKeys(2)));
          network.faults.blocksHeld = true;
          const sent = await sendAll(freshKeys(10));
          await expectSigned(sent);
          hole.swallow();
          network.faults.blocksHeld = false;
          await expectOnce(sent);
        } finally {
          await hole.close();
        }
      },
    ],
  ];
  test.each(selectCases(breaks, ([name]) => name.startsWith('a block stream')))(
    'actions complete once despite %s',
    async (_, happens) => await happens(),
    300_000,
  );

  const deaths: [string, PlannedDeath][] = [
    ['between endorse and submit', { after: 'endorse', mspId: 'Org1MSP' }],
    ['between endorse and its answer', { after: 'endorse', mspId: 'Org1MSP', answered: false }],
    ['between submit and commit', { after: 'submit', mspId: 'Org1MSP' }],
    ['between submit and its answer', { after: 'submit', mspId: 'Org1MSP', answered: false }],
  ];
  test.each(selectCases(deaths, () => false))(
    'actions complete once even if a peer crashes %s',
    async (_, death) => {
      await open();
      network.faults.die(death);
      const sent = await sendAll(freshKeys(10));
      const [own] = network.organizations;
      await vi.waitFor(() => expect(own?.running()).toBe(false), { timeout: 30_000 });
      // The policy needs endorsements of both organizations, so nothing new continues without the peer.
      await own?.start();
      await expectOnce(sent);
      // Stops the server, because from now on it would query the second organization's peer first.
      await product.stop();
    },
    300_000,
  );
});

/** Waits until all actions are signed, which happens before they are sent. */
async function expectSigned(sent: readonly Sent[]): Promise<void> {
  await vi.waitFor(async () => {
    const found = await product.actions(sent.flatMap(({ actionId }) => actionId ?? []));
    const isSigned = expect.objectContaining({ pending: expect.objectContaining({ stage: 'signed' }) });
    expect(found).toEqual(found.map(() => isSigned));
  }, 30_000);
}

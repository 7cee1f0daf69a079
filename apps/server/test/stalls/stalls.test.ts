// Peers that send 62 MB and then nothing use a bounded amount of memory and do not delay other organizations. This is
// tested for each operation and background job that contacts peers.
import { answerBudget } from '@ledger-ops/adapter/outbound';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
import { collectGarbage } from '../../../../testing/longest-block.ts';
import type { Route } from '../../src/http/route.ts';
import { type RecordedContacts, recordContacts } from '../stage/contacts.ts';
import { makeServer, openGround } from '../stage/harness.ts';
import { type BackgroundJob, backgroundJobs } from './background-jobs.ts';
import { stalledJobs } from './job-names.ts';
import { openStallGround, type Side, type StallGround } from './stall-ground.ts';
import { nodeCalls, pluginCalls, receiverCalls, type StalledCall, withoutRequests } from './stalled-calls.ts';
import type { StallingPeers } from './stalling-peers.ts';

const peerCount = 24;
const mebibyte = 2 ** 20;
const patience = { timeout: 60_000, interval: 5 };

let ground: StallGround;
let routes: readonly Route[];
let contacts: RecordedContacts;

beforeAll(async () => {
  const tables = await openGround();
  ({ routes } = makeServer(tables));
  await tables.close();
  ground = await openStallGround(peerCount);
  contacts = recordContacts(
    ground.here,
    routes,
    new Set([...ground.loud, ground.quiet].map(({ receiver }) => receiver)),
  );
}, 300_000);
afterAll(async () => {
  contacts?.stop();
  await ground?.close();
});

/** Makes the server load each plugin and open each ledger again at the next use. */
async function forget(): Promise<void> {
  await ground.here.server.store.transaction(async (tx) => {
    await tx.run("UPDATE counter SET value = value + 1 WHERE name IN ('registry', 'plugins')");
    await tx.run("UPDATE ledger SET revision = (SELECT value FROM counter WHERE name = 'registry')");
    await tx.run('UPDATE plugin SET module_revision = COALESCE(module_revision, 0) + 1');
  });
}

function arrayBuffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Samples the memory that is reserved for responses. */
function watchBudget(): { most(): number } {
  let most = 0;
  const sampler = setInterval(() => {
    most = Math.max(most, answerBudget.used);
  }, 2);
  return {
    most() {
      clearInterval(sampler);
      return most;
    },
  };
}

/** An operation or job whose peers stall. */
interface StalledWork {
  readonly peers: StallingPeers;
  /** Starts the work in a project whose peers stall. Returns the status of the response, if there is one. */
  readonly start: (side: Side) => Promise<number | undefined>;
  /** Does the same work for the organization whose peers respond. Resolves when the work is done. */
  readonly works: () => Promise<void>;
}

async function demandBounds({ peers, start, works }: StalledWork): Promise<void> {
  const before = arrayBuffers();
  const budget = watchBudget();
  let mostReserved = 0;
  peers.stall();
  let done = 0;
  const started = ground.loud.map(async (side) => {
    const status = await start(side);
    if (status !== undefined) done += 1;
    return status;
  });
  try {
    // Operations that wait for their turn, such as emulations, do not contact all peers at the same time.
    await vi.waitFor(() => expect(peers.stalledPeers).toBeGreaterThanOrEqual(4), patience);
    await works();
    // Only requests to nodes keep waiting: plugins' responses are refused at 10 MiB, and receivers' are not read.
    if (peers === ground.nodes)
      expect(done, 'number of operations that ended before the one of the other organization').toBeLessThan(
        peerCount,
      );
    await vi.waitFor(() => expect(peers.stalledPeers).toBe(peerCount), patience);
    // The organization may use its share, and in addition a buffer for each connection.
    const used = arrayBuffers() - before;
    const connections = Math.max(peerCount, peers.stalled);
    const words = `memory of ${connections} responses, in bytes`;
    expect(used, words).toBeLessThan(answerBudget.limits.perTenant + connections * mebibyte);
  } finally {
    peers.cut();
    const statuses = await Promise.all(started);
    peers.forward();
    mostReserved = budget.most();
    expect(statuses).not.toContain(500);
  }
  expect(mostReserved).toBeLessThanOrEqual(answerBudget.limits.perTenant);
  await vi.waitFor(() => expect(answerBudget.used).toBe(0), patience);
  await vi.waitFor(() => expect(arrayBuffers() - before).toBeLessThan(4 * mebibyte), patience);
}

async function demandOf(
  { operationId, prepare, refusal, call }: StalledCall,
  peers: StallingPeers,
): Promise<void> {
  const { loud, quiet } = ground;
  const prepared = new Map<Side, string>();
  for (const side of [...loud, quiet]) prepared.set(side, (await prepare?.(side)) ?? '');
  await forget();
  const request = (side: Side) => side.api.call(...call(side, prepared.get(side) ?? ''));
  await demandBounds({
    peers,
    start: async (side) => (await request(side)).status,
    async works() {
      const { status, text } = await request(quiet);
      if (refusal === undefined) expect(status, text).toBeLessThan(300);
      else expect(status, text).toBe(refusal);
    },
  });
  expect(contacts.byOperation.get(operationId)?.size ?? 0).toBeGreaterThan(0);
  // The witness also validates the response that is sent if the peers cannot be reached.
  peers.cut();
  await forget();
  const [first] = loud;
  if (first !== undefined) expect((await request(first)).status).not.toBe(500);
  peers.forward();
}

async function demandOfJob({ peers, prepare, start, works }: BackgroundJob): Promise<void> {
  const { loud, quiet } = ground;
  await forget();
  for (const side of [...loud, quiet]) await prepare?.(side);
  await demandBounds({
    peers: ground[peers],
    works: () => works(ground),
    async start(side) {
      await start?.(side);
      return undefined;
    },
  });
}

const usual = new Set(['emulate', 'adminCreateNode', 'testWebhook', 'listContractMethods']);
const isUsual = ({ operationId }: StalledCall) => usual.has(operationId);

const isUsualJob = ({ name }: BackgroundJob) => name === 'follow ledgers';

describe('24 peers that send 62 MB and then nothing', () => {
  const inOperation =
    '24 stalling peers of the operation $operationId use a bounded amount of memory and do not delay other organizations';
  const inJob =
    '24 stalling peers of the job “$name” use a bounded amount of memory and do not delay other organizations';
  const jobsOf = (kinds: readonly string[]) =>
    selectCases(
      backgroundJobs.filter(({ peers }) => kinds.includes(peers)),
      isUsualJob,
    );

  test.each(jobsOf(['nodes', 'receivers']))(inJob, demandOfJob, 120_000);
  test.each(selectCases(nodeCalls, isUsual))(inOperation, (one) => demandOf(one, ground.nodes), 120_000);
  test.each(selectCases(receiverCalls, isUsual))(
    inOperation,
    (one) => demandOf(one, ground.receivers),
    120_000,
  );

  describe('as remote plugins', () => {
    beforeAll(async () => {
      for (const { api, projectId, plugin: url } of [...ground.loud, ground.quiet])
        await api.expect(201, 'POST', '/v1/plugins', { name: 'far', projectId, url, tags: ['ethereum'] });
    }, 120_000);
    test.each(selectCases(pluginCalls, isUsual))(
      inOperation,
      (one) => demandOf(one, ground.plugins),
      120_000,
    );
    test.runIf(isFaultsRun).each(jobsOf(['plugins']))(inJob, demandOfJob, 120_000);
  });
});

test('each operation that contacts other systems is tested with peers that stall', () => {
  const tested = [...nodeCalls, ...receiverCalls, ...pluginCalls].map(({ operationId }) => operationId);
  const declared = routes.filter(({ contacts: its }) => its !== undefined).map((one) => one.operationId);
  expect([...tested, ...Object.keys(withoutRequests)].sort()).toEqual(declared.sort());
});

test('each background job on the list is tested with peers that stall', () => {
  expect(backgroundJobs.map(({ name }) => name)).toEqual(stalledJobs);
});

// Measures every listing and search of actions, timeline records and deliveries on a database with a million actions, and
// the acceptance of actions while ten clients poll. `--plans` also prints the query plans.
//   npm run bench:search [-- --actions 1000000 --repeats 200 --plans --postgres]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap, createAuth } from '@ledger-ops/auth';
import { createMasterKey, Problem, Secret } from '@ledger-ops/base';
import { openStore } from '@ledger-ops/store';
import { startPostgresCluster } from '@ledger-ops/store/testing';
import { createTimeline } from '../../packages/registry/src/timeline/timeline.ts';
import { ActionCounter } from '../../packages/runtime/src/actions/action-counts.ts';
import { ActionOverviews } from '../../packages/runtime/src/actions/overview.ts';
import { ActionSearch } from '../../packages/runtime/src/actions/search.ts';
import type { Engine } from '../../packages/runtime/src/engine/engine.ts';
import { createEventLog } from '../../packages/runtime/src/events/event-log.ts';
import { insertActions } from '../../packages/runtime/src/rows/actions/insert-actions.ts';
import { readDeliveries } from '../../packages/runtime/src/webhooks/rows.ts';
import {
  type BenchWallet,
  benchWallets,
  fill,
  fillDeliveries,
  intentOf,
  ledger,
  newAction,
  webhookUid,
} from './fill.ts';
import { costOf, plansOf, type Statement, watched } from './plans.ts';

const { values } = parseArgs({
  options: {
    actions: { type: 'string', default: '1000000' },
    repeats: { type: 'string', default: '200' },
    plans: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const actions = Number(values.actions);
const repeats = Number(values.repeats);
/**
 * Maximum processor time of each query in milliseconds. Elapsed time would depend more on other processes of the
 * machine.
 */
const limit = 10;

const rounds = 11;
const roundLength = 2_000;

/** Actions stored per second, and per second of this process's processor time. */
interface Rate {
  clock: number;
  processor: number;
}

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-search-'));
const cluster = values.postgres ? await startPostgresCluster() : undefined;
const store = await openStore(
  cluster === undefined
    ? { file: join(folder, 'search.sqlite') }
    : { url: await cluster.createDatabase({ bare: true }) },
);
try {
  const masterKey = createMasterKey(randomBytes(32));
  const config = { baseUrl: 'https://ledger.example' };
  const auth = await createAuth({ store, masterKey, config });
  const { administrator } = await bootstrap({ store, config });
  if (administrator === null) throw new Error('The database was not empty.');
  const { accountId, appId, applicationToken, apiToken } = administrator;
  const form = new Map([
    ['grant_type', 'client_credentials'],
    ['client_id', appId],
    ['service_account', accountId],
    ['client_secret', apiToken.reveal()],
  ]);
  const bearer = new Secret((await auth.issueToken(form)).access_token);
  const principal = await auth.authenticate(applicationToken, bearer);
  const wallets = benchWallets();
  await store.transaction(async (tx) => {
    for (const { uid, walletId } of wallets) {
      const parentUid = principal.projectUid;
      await auth.registerResource(tx, { uid, resourceId: walletId, type: 'cloud-wallet', parentUid });
    }
  });
  const started = performance.now();
  const { ids, newest } = await fill(store, principal, wallets, actions);
  await fillDeliveries(store, ids);
  // In a database that grows more slowly, autovacuum does this.
  if (cluster !== undefined) await store.read.all('VACUUM (ANALYZE)');
  console.log(`${actions} actions in ${((performance.now() - started) / 1_000).toFixed(0)} s`);

  const statements: Statement[] = [];
  const parts = { store: watched(store, statements), auth };
  const engine: Pick<Engine, 'unavailableReason' | 'signed' | 'knownReasons'> = {
    unavailableReason: () => null,
    signed: () => ({ reasons: [], code: 'confirmation', sentAt: null }),
    knownReasons: () => ({ unavailable: [], unmined: new Map() }),
  };
  const search = new ActionSearch({
    ...parts,
    engine,
    registry: { explorerLink: async () => null },
    wallets: walletsOf(wallets),
    // Not called, because all senders are on one ledger and nothing is sent.
    ledgers: { open: () => Promise.reject(new Error('No ledger is open.')) },
  });
  const counter = new ActionCounter({ ...parts, engine });
  const overviews = new ActionOverviews({
    ...parts,
    engine,
    masterKey,
    plugins: { known: async () => new Map() },
    present: (rows) => search.present(rows),
  });

  const day = 86_400_000;
  const page = { page: 0, size: 20, sort: [] };
  const some = (n: number) => ids[(n * 7_919) % ids.length] ?? '';
  const byWallet = (walletId: string, more: object) => () =>
    search.byWallet(principal, walletId, { ...page, ...more });
  const overview = (more: object) => () => overviews.overview(principal, { size: 20, ...more });
  const queries: Record<string, (n: number) => Promise<unknown>> = {};
  for (const walletId of ['half', 'busy', 'wallet-7']) {
    queries[`wallet ${walletId}, first page`] = byWallet(walletId, {});
    queries[`wallet ${walletId}, page 200`] = byWallet(walletId, { page: 200 });
    queries[`wallet ${walletId}, anywhere`] = (n) =>
      byWallet(walletId, { page: (n * 104_729) % (actions / 40) })();
    queries[`wallet ${walletId}, pending`] = byWallet(walletId, { status: 'PENDING' });
    queries[`wallet ${walletId}, failed, page 10`] = byWallet(walletId, { status: 'FAILED', page: 10 });
    queries[`wallet ${walletId}, tag`] = byWallet(walletId, { tag: 'tag-0' });
    queries[`wallet ${walletId}, no such tag`] = byWallet(walletId, { tag: 'none' });
    queries[`wallet ${walletId}, no such ledger`] = byWallet(walletId, { ledgerId: 'none' });
    queries[`wallet ${walletId}, a week`] = byWallet(walletId, {
      from: newest - 15 * day,
      to: newest - 8 * day,
    });
    queries[`wallet ${walletId}, intent`] = (n) => byWallet(walletId, { intent: intentOf(n * 997) })();
    queries[`wallet ${walletId}, oldest first`] = byWallet(walletId, {
      sort: [{ key: 'createdAt', direction: 'asc' }],
      page: 100,
    });
    queries[`wallet ${walletId}, by last change`] = () =>
      byWallet(walletId, { sort: [{ key: 'updatedAt', direction: 'desc' }] })().catch(isRefused);
    queries[`wallet ${walletId}, changes`] = () =>
      search.changes(principal, { wallet: walletId, after: { updatedAt: newest - day, uid: '' }, size: 100 });
  }
  queries.intent = (n) => search.byIntents(principal, [intentOf(n * 997)]);
  queries['changes of an intent'] = () =>
    search.changes(principal, {
      intent: intentOf(5),
      after: { updatedAt: newest - day, uid: '' },
      size: 100,
    });
  queries.action = (n) => search.get(principal, some(n));
  queries['an action, all details'] = (n) => overviews.describe(principal, some(n));
  queries['20 actions'] = (n) =>
    search.byIds(
      principal,
      Array.from({ length: 20 }, (_, k) => some(n * 20 + k)),
    );
  queries.transaction = (n) => search.byTransaction(principal, [`0x${some(n)}`]);
  queries['all actions'] = overview({});
  queries['all actions, anywhere'] = (n) => overview({ to: newest - ((n * 7_919) % 30) * day })();
  queries['all actions, pending'] = overview({ status: 'PENDING' });
  queries['all actions, failed'] = overview({ status: 'FAILED', project: principal.projectId });
  queries['all actions, pending for a week'] = overview({
    status: 'PENDING',
    pendingSince: newest - 7 * day,
  });
  queries['all actions, a wallet'] = overview({ wallet: 'wallet-7' });
  queries['all actions, waiting for funds'] = overview({ status: 'PENDING', code: 'funds' });
  queries['all actions, a caller without actions'] = overview({ caller: 'nobody' });
  queries['all actions, no such tag'] = overview({ tag: 'none' });
  queries['all actions, filtered by intent'] = overview({ intent: intentOf(9_970) });
  for (const stage of ['blocked', 'signed'] as const)
    queries[`all actions, ${stage}`] = overview({ status: 'PENDING', stage });
  for (const code of ['dependencies', 'turn', 'suspended'] as const)
    queries[`all actions, reason ${code}`] = overview({ status: 'PENDING', code });
  queries['all actions, oldest pending'] = overview({ status: 'PENDING', order: 'oldest' });
  queries['all actions, a contract'] = overview({ contract: '0x00000000000000000000000000000000000000bb' });
  queries['all actions, deployments'] = overview({ type: 'contract_deploy' });

  const timeline = createTimeline({ store: watched(store, statements), masterKey });
  const placed = await timeline.latest();
  const since = (days: number) => new Date(newest - days * day).toISOString();
  const changes = (more: object) => () => timeline.page(principal, { order: 'newest', size: 20, ...more });
  queries['timeline, a day'] = changes({ from: since(1) });
  queries['timeline, oldest first'] = changes({ from: since(30), order: 'oldest' });
  queries['timeline, a service'] = changes({ service: 'ledger-operations' });
  queries['timeline, a type without records'] = changes({
    service: 'ledger-operations',
    resourceType: 'ledger',
  });
  queries['timeline, a wallet'] = changes({ resourceId: 'half' });
  queries['timeline, deprecated, by resource'] = () => timeline.byResource(principal, 'wallet-7', since(1));
  queries['timeline, deprecated, by type'] = () =>
    timeline.byResourceType(principal, 'cloud-wallet', since(0));
  queries['timeline, resumed stream'] = (n) => timeline.since(principal, (n * 104_729) % placed);
  const events = createEventLog({ store: watched(store, statements), auth, timeline, now: Date.now });
  queries['events, resumed stream'] = (n) =>
    events.visible(principal, { types: ['action.failed'] }, (n * 104_729) % placed);
  for (const status of [undefined, 'DEAD'] as const)
    queries[`deliveries, ${status ?? 'any status'}`] = () =>
      readDeliveries(watched(store, statements).read, webhookUid, { status, before: undefined, size: 20 });
  queries.counts = () => counter.counts(principal, {});
  queries['counts of the project'] = () => counter.counts(principal, { project: principal.projectId });

  let slowest = 0;
  let dearest = 0;
  const most = { rows: 0, pages: 0 };
  for (const [name, query] of Object.entries(queries)) {
    statements.length = 0;
    await query(0);
    const run = [...statements];
    const read = cluster === undefined ? undefined : await costOf(store.read, run);
    const plans = values.plans ? await plansOf(store.read, run) : [];
    const times: number[] = [];
    const costs: number[] = [];
    for (let n = 1; n <= repeats; n += 1) {
      const [before, used] = [performance.now(), process.cpuUsage()];
      await query(n);
      const { user, system } = process.cpuUsage(used);
      costs.push((user + system) / 1_000);
      times.push(performance.now() - before);
    }
    const p99 = at(times, 0.99);
    const cost = at(costs, 0.99);
    slowest = Math.max(slowest, p99);
    dearest = Math.max(dearest, cost);
    most.rows = Math.max(most.rows, read?.rows ?? 0);
    most.pages = Math.max(most.pages, read?.pages ?? 0);
    console.log(
      `${name.padEnd(36)} p50 ${at(times, 0.5).toFixed(2).padStart(7)} ms   p99 ${p99.toFixed(2).padStart(7)} ms   p99 CPU time ${cost.toFixed(2).padStart(6)} ms${read === undefined ? '' : `   ${String(read.rows).padStart(6)} rows ${String(read.pages).padStart(6)} pages`}${cost > limit ? '   SLOW' : ''}`,
    );
    for (const plan of plans) console.log(plan);
  }
  await acceptance(true);
  const rates = { alone: [] as Rate[], polled: [] as Rate[] };
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates, because the database is larger in the second run, and the machine's load differs.
    for (const isPolled of round % 2 === 0 ? [false, true] : [true, false])
      rates[isPolled ? 'polled' : 'alone'].push(await acceptance(isPolled));
  }
  /** Median of the ratios of all rounds. */
  const ratioOf = (member: keyof Rate) =>
    at(
      rates.polled.map((one, round) => one[member] / (rates.alone[round]?.[member] ?? Number.NaN)),
      0.5,
    );
  const [alone, polled] = [rates.alone, rates.polled].map((some) =>
    at(
      some.map(({ clock }) => clock),
      0.5,
    ),
  );
  console.log(
    `acceptance  ${alone?.toFixed(0)} per second without polling, ${polled?.toFixed(0)} with ten polling clients; ratio by elapsed time ${ratioOf('clock').toFixed(3)}, by CPU time ${ratioOf('processor').toFixed(3)}`,
  );
  console.log(
    JSON.stringify({
      actions,
      slowestP99Ms: Number(slowest.toFixed(2)),
      dearestP99Ms: Number(dearest.toFixed(2)),
      ...(cluster === undefined ? {} : { mostRows: most.rows, mostPages: most.pages }),
      polledOfAlone: Number(ratioOf('clock').toFixed(3)),
      polledOfAloneByProcessorTime: Number(ratioOf('processor').toFixed(3)),
    }),
  );

  /** Stores actions, 64 at a time. If `isPolled`, each of ten clients requests a page per second. */
  async function acceptance(isPolled: boolean): Promise<Rate> {
    const [from, used] = [performance.now(), process.cpuUsage()];
    const end = from + roundLength;
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const poller = async (first: number) => {
      await wait(first);
      while (performance.now() < end) {
        await search.byWallet(principal, first % 200 === 0 ? 'half' : 'busy', page);
        await wait(1_000);
      }
    };
    let stored = 0;
    const sender = async (wallet: BenchWallet) => {
      while (performance.now() < end) {
        await store.transaction((tx) =>
          insertActions(tx, [newAction(principal, wallet, stored, Date.now())], 'signed'),
        );
        stored += 1;
      }
    };
    const polling = Promise.all(
      isPolled ? Array.from({ length: 10 }, (_, index) => poller(index * 100)) : [],
    );
    await Promise.all(wallets.slice(0, 64).map(sender));
    const { user, system } = process.cpuUsage(used);
    const seconds = (performance.now() - from) / 1_000;
    await polling;
    return { clock: stored / seconds, processor: stored / ((user + system) / 1_000_000) };
  }
} finally {
  await store.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Wallets in memory, accessible to every caller. */
function walletsOf(
  wallets: readonly BenchWallet[],
): ConstructorParameters<typeof ActionSearch>[0]['wallets'] {
  const byId = new Map(wallets.map((wallet) => [wallet.walletId, wallet]));
  const demand = async ({ projectUid }: { projectUid: string }, _permission: string, walletId: string) => {
    const wallet = byId.get(walletId);
    if (wallet === undefined) throw new Error(`There is no wallet ${walletId}.`);
    const { uid, address } = wallet;
    return { uid, walletId, address, projectId: projectUid, ledgerUid: ledger.uid, chainId: ledger.chainId };
  };
  return Object.assign(Object.create(null), { demand });
}

function at(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Ignores the rejection of a sort order that is not supported for so many actions. */
function isRefused(error: unknown): void {
  if (!(error instanceof Problem) || error.problem !== 'invalid-request') throw error;
}

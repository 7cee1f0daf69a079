import { randomUUID } from 'node:crypto';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Principal } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { describePostgres, describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import {
  deleteSuspension,
  insertSuspension,
  type SuspendedKind,
  suspensionsTopic,
} from '../src/rows/actions/suspensions.ts';
import { storeUnknown } from '../src/rows/unknown-transactions.ts';
import { createSuspensions, type SuspensionsOptions } from '../src/suspensions/suspensions.ts';
import { startEngine, stopEngines, transfer } from './engine-harness.ts';

/**
 * Stores a suspension and returns its id.
 * @param silent whether the engine is not notified
 */
async function suspend(store: Store, kind: SuspendedKind, subject: string, silent = false): Promise<string> {
  const id = randomUUID();
  await store.transaction((tx) =>
    insertSuspension(tx, {
      ...{ subject, id, kind, name: subject, scope: 'project', reason: 'Maintenance' },
      ...{ created_by: 'alice', created_at: 1_000, cause: null },
    }),
  );
  if (!silent) store.notify(suspensionsTopic);
  return id;
}

async function resume(store: Store, id: string): Promise<void> {
  expect(await store.transaction((tx) => deleteSuspension(tx, id))).toBe(true);
  store.notify(suspensionsTopic);
}

/** Waits for the next database transaction, after which the engine has run since the last acceptance. */
async function waitForTurn(store: Store): Promise<void> {
  const before = store.ended();
  await vi.waitFor(() => expect(store.ended()).toBeGreaterThan(before), { timeout: 60_000 });
}

describeStores('suspensions of a ledger, wallet or project', (open) => {
  afterEach(stopEngines);

  test.each([
    ['ledger', 'account'],
    ['wallet', 'account'],
    ['project', 'none'],
  ] as const)(
    'a suspended action is not signed before its %s is resumed (sequence: %s)',
    async (kind, sequence) => {
      const store = await open();
      const ledger = createMemoryLedger({ sequence });
      const { engine, send, wallet, status, ended } = await startEngine({ store, ledger });
      const from = await wallet();
      const target = await wallet(0n);
      await ended([await send(from)]);
      const subject = { ledger: 'ledger', wallet: from.uid, project: 'project' }[kind];
      // These actions are accepted before the server knows of the suspension. It must discard what it signs for them.
      const id = await suspend(store, kind, subject, true);
      const early = await Promise.all([1, 2, 3].map(() => send(from, transfer(target.address))));
      store.notify(suspensionsTopic);
      const late = await Promise.all([1, 2, 3].map(() => send(from, transfer(target.address))));
      const waiting = await send(from, transfer(target.address), { unsigned: true });
      const ids = [...early, ...late, waiting];
      if (kind === 'wallet') {
        const other = await wallet();
        const ends = await ended([await send(other), await send(other, undefined, { unsigned: true })]);
        expect(ends.map((one) => one.status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      } else await waitForTurn(store);
      expect(new Set((await Promise.all(ids.map(status))).map(({ stage }) => stage))).toEqual(
        new Set(['ready']),
      );
      expect(ledger.balanceOf(target.address)).toBe(0n);
      const { pending } = await engine.state();
      expect(pending).toMatchObject([{ stage: 'ready', code: 'suspended', count: 7 }]);
      await resume(store, id);
      const ends = await ended(ids);
      expect(ends.map((one) => one.status)).toEqual(ids.map(() => 'SUCCEEDED'));
      expect(ledger.balanceOf(target.address)).toBe(7n);
    },
    180_000,
  );

  test('an action that was signed before a suspension is completed, whether or not it was sent', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { send, wallet, ended } = await startEngine({ store, ledger });
    const id = await send(await wallet());
    await suspend(store, 'ledger', 'ledger');
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), { timeout: 30_000 });
    ledger.autoMine = true;
    ledger.mine();
    expect((await ended([id]))[0]?.status).toBe('SUCCEEDED');
  }, 180_000);

  test('a suspension survives a restart, and an action that it delays past its deadline fails with that reason', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const first = await startEngine({ store, ledger });
    const from = await first.wallet();
    const id = await suspend(store, 'wallet', from.uid);
    const kept = await first.send(from);
    const hasty = await first.send(from, undefined, { deadline: Date.now() + 1 });
    await first.engine.stop();
    const second = await startEngine({ store, ledger });
    const [end] = await second.ended([hasty]);
    expect(JSON.parse(end?.problem ?? '{}')).toMatchObject({
      type: 'urn:ledger-ops:problem:deadline-passed',
      detail: expect.stringContaining(
        `The wallet ${from.uid} has been suspended by alice since 1970-01-01T00:00:01.000Z: Maintenance.`,
      ),
    });
    expect((await second.status(kept)).stage).toBe('ready');
    await resume(store, id);
    expect((await second.ended([kept]))[0]?.status).toBe('SUCCEEDED');
  }, 180_000);
});

describePostgres('suspensions on several servers', (open, { locate }) => {
  afterEach(stopEngines);

  test('does not resume a wallet while another server stores unknown transactions of it', async () => {
    const database = await locate();
    const first = await startEngine({ store: await open(database) });
    const { address } = await first.wallet();
    const chain = await first.engine.chainOf(await first.opened());
    const unknown = (sequence: number) => [{ chain, address, sequence, txId: null, height: null }];
    await first.store.transaction((tx) => storeUnknown(tx, unknown(7), 1));
    const second = await open(database);
    const [suspension] = await second.read.all<{ id: string }>('SELECT id FROM suspension');
    const compared = [{ unknown: { id: `${chain}/${address}/nonce:7` }, open: [] }];
    const unknownMatches: object = { compare: async () => compared };
    const auth: object = { demand: async () => {}, decide: async () => ({ result: true }) };
    const suspensions = createSuspensions({
      ...{ store: second, now: Date.now, unknownMatches, auth },
    } as SuspensionsOptions);
    const resuming = await first.store.transaction(async (tx) => {
      await storeUnknown(tx, unknown(8), 2);
      const attempt = suspensions
        .resume({ serviceId: 'alice', appId: 'app' } as Principal, suspension?.id ?? '')
        .catch((error: unknown) => error);
      const waiting = 'SELECT 1 FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted';
      await vi.waitFor(async () => expect(await second.read.all(waiting)).not.toEqual([]), 30_000);
      return { attempt };
    });
    expect(await resuming.attempt).toMatchObject({ problem: 'conflict' });
    expect(await second.read.all('SELECT id FROM suspension')).toEqual([suspension]);
  });

  test('a suspension applies on every server as soon as it is stored', async () => {
    const database = await locate();
    const ledger = createMemoryLedger();
    const options = { ledger, properties: { max_in_flight: 1_000 }, timing: { lease: 900 } };
    const first = await startEngine({ store: await open(database), ...options });
    const wallets = await Promise.all(Array.from({ length: 4 }, () => first.wallet()));
    await first.ended(await Promise.all(wallets.map((one) => first.send(one))));
    const second = await startEngine({ store: await open(database), ...options });
    await vi.waitFor(
      async () => {
        const rows = await first.store.read.all('SELECT DISTINCT owner FROM lane');
        expect(rows.length).toBe(2);
      },
      { timeout: 30_000 },
    );
    const sends: Promise<string>[] = [];
    let isStored = false;
    const sending = Promise.all(
      wallets.flatMap((one) =>
        [first, second].map(async (server) => {
          // Further transfers are sent until a few follow the stored suspension, however long storing takes.
          for (let later = 0; later < 5; later += isStored ? 1 : 0) {
            const send = server.send(one);
            sends.push(send);
            await send;
          }
        }),
      ),
    );
    await Promise.any(sends);
    const signed = async () => {
      const [row] = await first.store.read.all<{ n: number }>('SELECT count(*) AS n FROM attempt');
      return Number(row?.n);
    };
    const id = await suspend(second.store, 'project', 'project');
    const before = await signed();
    isStored = true;
    await sending;
    const ids = await Promise.all(sends);
    expect(await signed()).toBe(before);
    expect(before).toBeLessThan(ids.length);
    await resume(first.store, id);
    const ends = await first.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(await signed()).toBe(ids.length + wallets.length);
  }, 300_000);
});

import { randomUUID } from 'node:crypto';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Number of actions: more than a stream reads per batch. */
const many = 110;
/** Number of actions sent to each server while the stream is read and other actions complete. */
const atOnce = 40;
/** Time limit in milliseconds, for a busy machine. */
const patience = 240_000;

interface Seen {
  id: string;
  action: { actionId: string; status: string; dateUpdated: string };
}

let postgres: PostgresCluster;
beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))('on %s', (dialect) => {
  let here: Installation;
  let tenant: Tenant;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let another: RunningServer | undefined;
  let environment: Record<string, string>;
  beforeAll(async () => {
    environment = {
      BASE_URL: 'http://ledger.test',
      ...(dialect === 'postgres' ? { DATABASE_URL: await postgres.createDatabase() } : {}),
    };
    [here, folder] = await Promise.all([install({ ...environment }), openFolder()]);
    tenant = await addTenant(here.url, here.administrator, 'resumed');
    await addWallet(here, tenant, 'payer');
  });
  afterAll(async () => {
    await another?.close();
    await here?.close();
    await folder?.remove();
  });

  /** Starts a second server on the same database, next to the first one or after it. */
  async function startAnother(dataDir: string): Promise<RunningServer> {
    const config = readConfig({
      ...{ PORT: '0', DATA_DIR: dataDir, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') },
      ...{ OUTBOUND_OPEN: '127.0.0.1', LOG_LEVEL: 'silent', ...environment },
    });
    return await startServer({ config, log: createLog('silent'), adapters: [ethereumAdapter] });
  }

  /** Reads a stream until it has shown the expected events. */
  async function read(
    url: string,
    query: string,
    after: string | undefined,
    enough: (seen: Seen[]) => boolean,
  ) {
    const abort = new AbortController();
    const response = await fetch(`${url}/v1/ledger-ops/events?${query}`, {
      headers: { ...tenant.headers, ...(after === undefined ? {} : { 'Last-Event-ID': after }) },
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(patience)]),
    });
    expect(response.status).toBe(200);
    const seen: Seen[] = [];
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (id !== undefined && data !== undefined) seen.push({ id, action: JSON.parse(data) });
      }
      if (enough(seen)) break;
    }
    abort.abort();
    return seen;
  }

  const finals = (seen: readonly Seen[]) => seen.filter(({ action }) => action.status !== 'PENDING');
  const changedAt = ({ id }: Seen) => Number(id.split(':')[1]);

  async function sendAll(url: string, intent: string, count: number): Promise<string[]> {
    const body = JSON.stringify({ ...transferBody('payer', `0x${'11'.repeat(20)}`), intent });
    const headers = { ...tenant.headers, 'Content-Type': 'application/json' };
    return await Promise.all(
      Array.from({ length: count }, async () => {
        const response = await fetch(`${url}/v1/ledger-ops/send`, { method: 'POST', headers, body });
        expect(response.status).toBe(201);
        const { actionId }: { actionId: string } = JSON.parse(await response.text());
        return actionId;
      }),
    );
  }

  /** Waits until all actions have completed, while no client follows them. */
  async function allEnded(ids: readonly string[]): Promise<void> {
    const { store } = another ?? here.server;
    await vi.waitFor(
      async () => {
        const [open] = await store.read.all<{ n: number }>(
          "SELECT COUNT(*) AS n FROM action WHERE status = 'PENDING'",
        );
        expect(Number(open?.n)).toBe(0);
      },
      { timeout: patience, interval: 50 },
    );
    expect(new Set(ids).size).toBe(ids.length);
  }

  /** Asserts that a resumed stream sends each final state once, in the order of changes, and nothing else. */
  async function demandEach(url: string, query: string, after: string, ids: readonly string[]) {
    const seen = await read(url, query, after, (all) => finals(all).length >= ids.length);
    expect(
      finals(seen)
        .map(({ action }) => action.actionId)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(seen.map(changedAt)).toEqual(seen.map(changedAt).toSorted((a, b) => a - b));
    expect(finals(seen).every(({ action }) => action.status === 'SUCCEEDED')).toBe(true);
  }

  test('a resumed stream reports actions that completed while it was closed, once and in order, even after a restart', async () => {
    const intent = randomUUID();
    const [begun = ''] = await sendAll(here.url, intent, 1);
    const [first] = await read(here.url, `intent=${intent}`, undefined, (seen) => seen.length > 0);
    const after = first?.id ?? '';
    const ids = [begun, ...(await sendAll(here.url, intent, many - 1))];
    await allEnded(ids);
    const queries = [`intent=${intent}`, 'wallet=payer', `intent=${intent}&wallet=payer`];
    for (const query of queries) await demandEach(here.url, query, after, ids);
    if (dialect === 'postgres') another = await startAnother(folder.path);
    else {
      await here.server.close();
      another = await startAnother(here.folder);
    }
    for (const query of queries) await demandEach(another.url, query, after, ids);
  });

  test('each of two concurrent servers reports every final state to resuming and connected clients', async () => {
    const urls = dialect === 'postgres' ? [here.url, another?.url ?? ''] : [another?.url ?? ''];
    const intent = randomUUID();
    const [begun = ''] = await sendAll(urls[0] ?? '', intent, 1);
    const [first] = await read(urls[0] ?? '', `intent=${intent}`, undefined, (seen) => seen.length > 0);
    const sending = Promise.all(urls.map((url) => sendAll(url, intent, atOnce)));
    // These streams open while actions are sent and complete.
    const streams = urls.map((url) =>
      read(url, `intent=${intent}`, first?.id, (seen) => finals(seen).length >= 1 + atOnce * urls.length),
    );
    const ids = [begun, ...(await sending).flat()].toSorted();
    for (const seen of await Promise.all(streams))
      expect(
        finals(seen)
          .map(({ action }) => action.actionId)
          .toSorted(),
      ).toEqual(ids);
  });
});

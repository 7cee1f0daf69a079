import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, stopEngines } from '../engine-harness.ts';
import { source } from './plugin-folder.ts';
import { type World, world } from './plugin-world.ts';

/** Returns code and text of a pending action's reason as the service shows it; empty if there is none. */
async function reasonOf({ engine, store }: EngineHarness, id: string): Promise<string> {
  const [row] = await store.read.all<{
    ledger_uid: string;
    plugin: string;
    stage: string;
    code: string | null;
    text: string | null;
  }>('SELECT ledger_uid, plugin, stage, waiting_code AS code, waiting AS text FROM action WHERE id = $1', [
    id,
  ]);
  if (row === undefined) throw new Error(`There is no action ${id}.`);
  const unavailable = engine.unavailableReason(row.ledger_uid, row.plugin, {
    isSigned: row.stage === 'signed',
  });
  if (unavailable !== null) return `${unavailable.code}: ${unavailable.reason}`;
  return row.code === null ? '' : `${row.code}: ${row.text}`;
}

/** Returns all reasons that an action shows until it is final. */
async function reasonsUntilEnd(server: EngineHarness, id: string): Promise<string[]> {
  const seen = new Set<string>();
  let isFinal = false;
  const ended = server.ended([id]).finally(() => {
    isFinal = true;
  });
  while (!isFinal) {
    seen.add(await reasonOf(server, id));
    await setImmediate();
  }
  await ended;
  return [...seen].filter((reason) => reason !== '');
}

const oneInFlight = { properties: { max_in_flight: 1 } };
/** Source of a plugin whose start takes longer than the intervals at which the engine retries and checks. */
const slow = (name: string) => `await new Promise((done) => setTimeout(done, 700));\n${source(name)}`;
/** No server listens at this address. */
const nowhere = 'http://127.0.0.1:9/';

/** Sends two actions with the plugin `a`, of which one is signed and one is not, and stops the server. */
async function stopped({ ledger, folder, start }: World, url: string) {
  folder.put({ uid: 'a', url });
  const server = await start(oneInFlight);
  const from = await server.wallet();
  const signed = await server.send(from);
  const ready = await server.send(from);
  await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), 30_000);
  await stopEngines();
  return { signed, ready };
}

describeStores('pending actions after a restart', (open) => {
  afterEach(stopEngines);
  const pausedLedger = () => createMemoryLedger({ autoMine: false });

  test('pending actions do not show a reason while their plugin starts slowly', async () => {
    const here = await world(await open(), pausedLedger());
    const { signed, ready } = await stopped(here, here.folder.write('a', slow('a')));
    const next = await here.start(oneInFlight);
    here.ledger.autoMine = true;
    const seen = await Promise.all([signed, ready].map((id) => reasonsUntilEnd(next, id)));
    expect(seen).toEqual([[], []]);
  });

  test('pending actions do not show that their plugin was inactive before the restart', async () => {
    const here = await world(await open(), pausedLedger());
    const { ready } = await stopped(here, here.folder.write('a', slow('a')));
    here.folder.put({ uid: 'a', active: false });
    const without = await here.start(oneInFlight);
    await vi.waitFor(async () => expect(await reasonOf(without, ready)).toMatch(/deactivated/), 5_000);
    await stopEngines();
    here.folder.put({ uid: 'a', active: true });
    const next = await here.start(oneInFlight);
    here.ledger.autoMine = true;
    expect(await reasonsUntilEnd(next, ready)).toEqual([]);
  });

  test('pending actions do not show that their plugin is missing while its new version starts', async () => {
    const here = await world(await open(), pausedLedger());
    const { ready } = await stopped(here, here.folder.write('a'));
    const next = await here.start(oneInFlight);
    await vi.waitFor(() => expect(next.plugins.status('a')).toMatchObject({ loaded: true }), 30_000);
    here.folder.put({ uid: 'a', url: here.folder.write('other', slow('other')) });
    here.ledger.autoMine = true;
    expect(await reasonsUntilEnd(next, ready)).toEqual([]);
  });

  test.each<[string, (here: World, file: string) => void, RegExp, RegExp]>([
    [
      'the module is missing',
      (_, file) => rmSync(file),
      /^plugin-fault: There is no module at /,
      /^plugin-fault: There is no module at /,
    ],
    [
      'the module throws',
      ({ folder }) => void folder.write('a', 'null.x;'),
      /^plugin-fault: /,
      /^plugin-fault: /,
    ],
    [
      'the plugin is inactive',
      ({ folder }) => folder.put({ uid: 'a', active: false }),
      /^plugin-unavailable: .*deactivated/,
      /^$/,
    ],
    [
      'the plugin was deleted',
      ({ folder }) => folder.remove('a'),
      /^plugin-unavailable: .*deleted/,
      /^plugin-unavailable: .*deleted/,
    ],
    [
      'nothing listens at the address of the remote plugin',
      ({ folder }) => folder.put({ uid: 'a', url: nowhere }),
      /^ledger-unavailable: .*(reached|refused)/i,
      /^ledger-unavailable: .*(reached|refused)/i,
    ],
  ])('pending actions show why their plugin does not run: %s', async (_, change, ofReady, ofSigned) => {
    const here = await world(await open(), pausedLedger());
    const url = here.folder.write('a');
    const { ready, signed } = await stopped(here, url);
    change(here, url.slice('file:'.length));
    const next = await here.start(oneInFlight);
    await vi.waitFor(async () => {
      expect(await reasonOf(next, ready)).toMatch(ofReady);
      expect(await reasonOf(next, signed)).toMatch(ofSigned);
      const { pending } = await next.engine.state();
      const code = /^[a-z-]+/.exec(await reasonOf(next, ready))?.[0];
      expect(pending).toContainEqual(expect.objectContaining({ stage: 'ready', code, count: 1 }));
    }, 5_000);
    here.folder.write('a');
    here.folder.put({ uid: 'a', url, active: true });
    here.ledger.autoMine = true;
    expect(await next.ended([ready, signed])).toMatchObject([
      { status: 'SUCCEEDED' },
      { status: 'SUCCEEDED' },
    ]);
  });
});

// Events of contracts as a plugin at a URL tells them: pages as they are served, and pages that lie.
import type { ContractEvents } from '@ledger-ops/adapter';
import { memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger, openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { createCloudWalletClient, type RemoteLedger, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { problemOf } from './problem-of.ts';
import { type ServedMemory, serveMemory, storeCall } from './served-memory.ts';

const secret = 'a secret of thirty-two characters';
const plugin = {
  ...{ name: 'far', technology: 'ethereum', version: '1.0.0', interfaceVersion: '0.1.0' },
  capabilities: { operations: ['transfer'], checks: false, emulations: false, contractEvents: true },
};

/** A plugin that answers every page with this body. */
async function answering(body: string): Promise<RemoteLedger> {
  const headers = { 'content-type': 'application/json' };
  const client = createCloudWalletClient({
    url: 'https://far.example',
    fetch: async (url) =>
      new Response(url.endsWith('/v1/cloud-wallet') ? JSON.stringify(plugin) : body, { headers }),
    timeoutMs: 20_000,
  });
  return (await remoteAdapter(client)).open('l');
}

const event = (height: number, more: object = {}) => ({
  ...{ id: `e${height}`, height, blockHash: 'b', txId: 't', raw: {} },
  ...more,
});
const page = (more: object) =>
  JSON.stringify({ events: [], after: { height: 8 }, newest: 8, more: false, ...more });
const asked = { contract: { address: 'a' }, after: { height: 6 }, limit: 2 };

describe('a page that cannot be is a fault of the plugin, whatever it says', () => {
  test.each<[string, string, string]>([
    ['one event twice', page({ events: [event(7), event(7)] }), 'one event twice'],
    ['events out of order', page({ events: [event(8), event(7)] }), 'out of their order'],
    ['an event of a block that was read', page({ events: [event(6)] }), 'out of their order'],
    ['an event beyond its position', page({ events: [event(9)] }), 'out of their order'],
    [
      'more events than asked for',
      page({ events: [event(7), event(7, { id: 'f' }), event(8)] }),
      '3 events, where 2 were asked for',
    ],
    ['a position that goes back', page({ after: { height: 5 } }), 'does not move on'],
    ['a position inside a block that was read', page({ after: { height: 6, index: 1 } }), 'does not move on'],
    ['more at the same position', page({ after: { height: 6 }, more: true }), 'does not move on'],
    ['a position beyond the head', page({ after: { height: 900 } }), 'block 900 as reached'],
    ['a position beyond all numbers', page({ after: { height: 1e300 } }), 'JSON that cannot be read'],
    ['events of a chain that it lost', page({ events: [event(7)], lost: true }), 'only a place'],
    [
      'an event without a transaction',
      page({ events: [{ ...event(7), txId: undefined }] }),
      '/events/0/txId',
    ],
    ['no list', page({ events: { length: 1 } }), '/events'],
    [
      'a thousand and one events',
      page({ events: Array.from({ length: 1_001 }, (_, at) => event(7, { id: `${at}` })) }),
      '/events',
    ],
    ['an id of a megabyte', page({ events: [event(7, { id: 'x'.repeat(1_048_576) })] }), '/events/0/id'],
    [
      'a hundred megabytes',
      page({ events: [event(7, { raw: { x: 'x'.repeat(104_857_600) } })] }),
      'more than 10485760 bytes',
    ],
  ])('%s', async (_, body, detail) => {
    const problem = await problemOf((await answering(body)).contractEvents(asked));
    expect(problem).toMatchObject({
      ...{ code: 'adapter-fault', phase: 'lookup', detail: expect.stringContaining(detail) },
    });
    expect(JSON.stringify(problem).length).toBeLessThan(1_000);
  });
});

test('what is too long of an event is left out, and the event is told', async () => {
  const long = { text: 'x'.repeat(70_000) };
  const remote = await answering(page({ events: [event(7, { args: long, raw: long, name: 'Said' })] }));
  expect((await remote.contractEvents(asked)).events).toEqual([event(7, { name: 'Said' })]);
});

test('a NUL in an event goes no further', async () => {
  const remote = await answering(page({ events: [event(7, { id: 'a\0b', name: 'c\0' })] }));
  expect((await remote.contractEvents(asked)).events).toMatchObject([{ id: 'a\ufffdb', name: 'c\ufffd' }]);
});

/** A served ledger in memory, with a wallet that sets values in its store. */
async function serveStore(
  options: Parameters<typeof serveMemory>[0] = {},
  ledger = harnessLedger({ autoMine: true }),
) {
  const served = await serveMemory(options, ledger);
  onTestFinished(() => served.close());
  const { samples } = await openMemoryHarness(ledger);
  const store = samples.call?.contract.address ?? '';
  const remote = await open(served);
  const { address } = await remote.createWallet({ walletId: 'w', secret });
  ledger.fund(address, 10n ** 12n);
  const set = async (value: string) => {
    const actionId = `set-${value.slice(0, 20)}`;
    await remote.send({ actionId, walletId: 'w', secret, ...storeCall(store, 'set', ['key', value]) });
    await vi.waitFor(
      async () => expect(await remote.status([actionId])).toMatchObject([{ status: 'SUCCEEDED' }]),
      { timeout: 30_000 },
    );
  };
  const contract = { address: store, interface: storeCall(store, 'set', []).contractInterface };
  return { ledger, remote, set, contract };
}

async function open({ url }: Pick<ServedMemory, 'url'>): Promise<RemoteLedger> {
  return (await remoteAdapter(createCloudWalletClient({ url, fetch, timeoutMs: 20_000 }))).open('memory');
}

test('a position is of one chain: with another first block it is lost, however long the new chain is', async () => {
  const { ledger, remote, set, contract } = await serveStore();
  const { after: start } = await remote.contractEvents({ contract, after: null, limit: 1 });
  await set('before');
  const told = await remote.contractEvents({ contract, after: start, limit: 10 });
  expect(told.events).toMatchObject([{ name: 'ValueSet', args: { key: 'key', value: 'before' } }]);
  ledger.reset();
  expect(await remote.contractEvents({ contract, after: told.after, limit: 10 })).toMatchObject({
    ...{ events: [], after: told.after, more: false, lost: true },
  });
  ledger.mine(told.after.height + 10);
  expect(await remote.contractEvents({ contract, after: told.after, limit: 10 })).toMatchObject({
    lost: true,
  });
});

const wide = { wide: 'v'.repeat(60_000) };
const values = { values: Array.from({ length: 4_000 }, () => 1) };
const members = Object.fromEntries(Array.from({ length: 2_500 }, (_, at) => [`m${at}`, 1]));

test.each([
  ['longer than an answer may be', 200, wide, wide],
  ['of more values than an answer may have', 200, values, values],
  ['of one event that no host reads', 1, members, {}],
])('a page that would be %s comes in parts, and no event is left out', async (_, count, raw, told) => {
  const ledger = harnessLedger({ autoMine: true });
  const inner = memoryAdapter(ledger);
  const all = Array.from({ length: count }, (__, index) => event(1, { id: `${index}`, raw }));
  const definition: typeof inner = {
    ...inner,
    open: async (...given) => ({
      ...(await inner.open(...given)),
      async contractEvents({ after, limit }): Promise<ContractEvents> {
        const from = after?.index ?? 0;
        const events = all.slice(from, from + limit);
        const more = from + events.length < all.length;
        return { events, after: { height: 1, ...(more ? { index: from + limit } : {}) }, newest: 1, more };
      },
    }),
  };
  const { remote, contract } = await serveStore({ definition }, ledger);
  const got: unknown[] = [];
  for (let after: ContractEvents['after'] = { height: 0 }, more = true; more; ) {
    const part: ContractEvents = await remote.contractEvents({ contract, after, limit: 200 });
    got.push(...part.events);
    ({ after, more } = part);
  }
  expect(got).toEqual(all.map((one) => ({ ...one, raw: told })));
});

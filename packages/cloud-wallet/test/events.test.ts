import {
  createCloudWalletClient,
  exchangeWith,
  type RemoteLedger,
  remoteAdapter,
} from '@ledger-ops/cloud-wallet';
import { describe, expect, test } from 'vitest';
import { problemOf } from './problem-of.ts';

const plugin = {
  ...{ name: 'far', technology: 'ethereum', version: '1.0.0', interfaceVersion: '0.1.0' },
  capabilities: { operations: ['transfer'], checks: false, emulations: false, contractEvents: true },
};

/** Opens a ledger of a remote plugin that answers every request for events with this body. */
async function answering(body: string): Promise<RemoteLedger> {
  const headers = { 'content-type': 'application/json' };
  const client = createCloudWalletClient({
    url: 'https://far.example',
    exchange: exchangeWith(
      async (url) =>
        new Response(url.endsWith('/v1/cloud-wallet') ? JSON.stringify(plugin) : body, { headers }),
    ),
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
const eventsRequest = { contract: { address: 'a' }, after: { height: 6 }, limit: 2 };

describe('invalid pages of events', () => {
  test.each<[string, string, string]>([
    ['the same event twice', page({ events: [event(7), event(7)] }), 'the same event twice'],
    ['events out of order', page({ events: [event(8), event(7)] }), 'in the wrong order'],
    ['an event of a block that was already read', page({ events: [event(6)] }), 'in the wrong order'],
    ['an event after the position of the page', page({ events: [event(9)] }), 'in the wrong order'],
    [
      'more events than requested',
      page({ events: [event(7), event(7, { id: 'f' }), event(8)] }),
      '3 events, but at most 2 were requested',
    ],
    ['a position before the requested one', page({ after: { height: 5 } }), 'does not advance'],
    [
      'a position inside a block that was already read',
      page({ after: { height: 6, index: 1 } }),
      'does not advance',
    ],
    [
      'the requested position and a promise of more events',
      page({ after: { height: 6 }, more: true }),
      'does not advance',
    ],
    ['a position beyond the head', page({ after: { height: 900 } }), 'block 900 as the position'],
    ['a position that is not a safe integer', page({ after: { height: 1e300 } }), 'JSON that cannot be read'],
    ['events although it reports lost blocks', page({ events: [event(7)], lost: true }), 'only a position'],
    [
      'an event without a transaction',
      page({ events: [{ ...event(7), txId: undefined }] }),
      '/events/0/txId',
    ],
    ['an object instead of the list', page({ events: { length: 1 } }), '/events'],
    [
      '1,001 events',
      page({ events: Array.from({ length: 1_001 }, (_, at) => event(7, { id: `${at}` })) }),
      '/events',
    ],
    ['an id of 1 MiB', page({ events: [event(7, { id: 'x'.repeat(1_048_576) })] }), '/events/0/id'],
    [
      '100 MiB of content',
      page({ events: [event(7, { raw: { x: 'x'.repeat(104_857_600) } })] }),
      'more than 10485760 bytes',
    ],
  ])('the client reports a page of events with %s as a fault of the plugin', async (_, body, detail) => {
    const problem = await problemOf((await answering(body)).contractEvents(eventsRequest));
    expect(problem).toMatchObject({
      ...{ code: 'adapter-fault', phase: 'lookup', detail: expect.stringContaining(detail) },
    });
    expect(JSON.stringify(problem).length).toBeLessThan(1_000);
  });
});

test('the client omits the content of an event if it is too long, but returns the event', async () => {
  const long = { text: 'x'.repeat(70_000) };
  const remote = await answering(page({ events: [event(7, { args: long, raw: long, name: 'Said' })] }));
  expect((await remote.contractEvents(eventsRequest)).events).toEqual([
    event(7, { name: 'Said', contentOmitted: true }),
  ]);
});

test('the client removes NUL from an event', async () => {
  const remote = await answering(page({ events: [event(7, { id: 'a\0b', name: 'c\0' })] }));
  expect((await remote.contractEvents(eventsRequest)).events).toMatchObject([
    { id: 'a\ufffdb', name: 'c\ufffd' },
  ]);
});

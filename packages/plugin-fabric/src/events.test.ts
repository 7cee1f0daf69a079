// A lying peer may return blocks of up to 32 MiB each. A page of events may keep only a small part of them in
// memory.
import { peer } from '@hyperledger/fabric-protos';
import type { EventPosition } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { collectGarbage, expectShortTurns } from '../../../testing/longest-block.ts';
import { createEventReader } from './events.ts';
import { field } from './gateway/gateway-client.ts';
import type { BlockByNumber } from './gateway/qscc.ts';

const contract = { address: 'channel/token' };

/** Returns a valid transaction whose chaincode set an event. */
function transaction(txId: string, payload: Uint8Array): BlockByNumber['transactions'][number] {
  const event = Buffer.concat([
    field(1, Buffer.from('token')),
    field(3, Buffer.from('Sent')),
    field(4, payload),
  ]);
  const chaincodeAction = Buffer.concat([field(2, event), field(4, field(2, Buffer.from('token')))]);
  const endorsed = field(2, field(1, field(2, chaincodeAction)));
  const header = field(
    1,
    field(1, Buffer.concat([field(4, Buffer.from('channel')), field(5, Buffer.from(txId))])),
  );
  const message = Buffer.concat([header, field(2, field(1, field(2, endorsed)))]);
  return { txId, code: peer.TxValidationCode.VALID, envelope: field(1, message) };
}

/** Returns a channel with these transactions in its blocks. */
function readerOf(transactionsOf: (number: number) => BlockByNumber['transactions'], height = 1_000) {
  let queries = 0;
  const reader = createEventReader({
    qscc: {
      height: async () => height,
      blockAt: async (_, number) => {
        queries += 1;
        return {
          ...{ number, hash: `hash ${number}`, previousHash: `hash ${number - 1}` },
          transactions: transactionsOf(number),
        };
      },
    },
  });
  return { reader, queries: () => queries };
}

test('reading events keeps only a small part of long blocks in memory, and omits the content of long events', async () => {
  const long = transaction('long', Buffer.alloc(2 * 2 ** 20, '{'));
  const short = transaction('short', Buffer.from('{"a":1}'));
  const { reader } = readerOf((number) => (number % 2 === 0 ? [long, short] : []));
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  let after: EventPosition = { height: 0 };
  await expectShortTurns(async () => {
    for (let pages = 0; pages < 6; pages += 1) {
      const page = await reader.read({ contract, after, limit: 200 });
      expect(page.events).toHaveLength(20);
      expect(page.events[0]).toMatchObject({ raw: {}, contentOmitted: true, name: 'Sent' });
      expect(page.events[1]).toMatchObject({ args: { a: 1 } });
      after = page.after;
    }
  });
  const heldMiB = () => {
    // Buffers are freed some time after they were collected, so the check is repeated.
    collectGarbage();
    return (process.memoryUsage().arrayBuffers - before) / 2 ** 20;
  };
  // 50 of the last 100 blocks are long, and have 100 MiB together.
  await expect.poll(heldMiB, { timeout: 10_000 }).toBeLessThan(30);
});

test('reads a block again for payloads that do not fit in a page, without losing or repeating an event', async () => {
  const payload = Buffer.alloc(60_000, 'x');
  const blocks = [1, 2].map((number) =>
    Array.from({ length: 30 }, (_, at) => transaction(`${number}-${at}`, payload)),
  );
  const { reader, queries } = readerOf((number) => blocks[number - 1] ?? [], 3);
  const ids: string[] = [];
  let after: EventPosition = { height: 0 };
  for (let more = true; more; ) {
    const page = await reader.read({ contract, after, limit: 200 });
    ids.push(...page.events.map(({ txId }) => txId));
    ({ after, more } = page);
  }
  expect(ids).toEqual(blocks.flat().map(({ txId }) => txId));
  // Each read keeps 512 KiB.
  expect(queries()).toBeLessThan(20);
});

import type { ContractEventsRequest } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { EmittedEventsReader } from './emitted-events.ts';

/**
 * Reads the events of an action in block 7. The node returns as many events as requested, each with `characters`
 * characters of data.
 */
function readFrom(characters: number) {
  let emitted = 0;
  const contractEvents = async ({ limit }: ContractEventsRequest) => {
    const events = Array.from({ length: limit }, () => {
      emitted += 1;
      const raw = { data: 'x'.repeat(characters) };
      return { id: `${emitted}`, height: 7, blockHash: 'block', txId: 'transaction', raw };
    });
    return { events, after: { height: 7, index: emitted }, newest: 9, more: true };
  };
  const action = {
    ledger_uid: 'l',
    project_id: 'p',
    height: 7,
    locator: 'transaction',
    contract_address: 'c',
  };
  const rows = [[{ ...action, operation: '{}' }], []];
  const stage = {
    read: { all: async () => rows.shift() ?? [] },
    ledgers: {
      open: async () => ({
        session: { contractEvents },
        definition: { capabilities: { contractEvents: true } },
      }),
    },
    describe: async () => ({ uid: 'a', status: 'SUCCEEDED' }),
  };
  // The options that `emittedEvents` does not use are omitted.
  return new EmittedEventsReader(stage as never).emittedEvents({} as never, 'a');
}

test('returns all events of an action, and their contents up to a limit on the total length', async () => {
  const { events } = await readFrom(60_000);
  expect(events).toHaveLength(500);
  expect(JSON.stringify(events).length).toBeLessThan(1.2 * 2 ** 20);
  expect(events[0]).not.toHaveProperty('contentOmitted');
  expect(events[499]).toEqual({ id: '500', raw: {}, contentOmitted: true });
});

test('omits the content of an event that is too long, and marks the event', async () => {
  const { events } = await readFrom(70_000);
  expect(events[0]).toEqual({ id: '1', raw: {}, contentOmitted: true });
});

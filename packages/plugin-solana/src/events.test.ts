// A lying node may list any number of transactions in one slot. A page of events reads and holds only a small
// part of them.
import { createHash } from 'node:crypto';
import { getBase58Decoder } from '@solana/codecs';
import { expect, test } from 'vitest';
import { expectShortTurns } from '../../../testing/longest-block.ts';
import { readEvents } from './events.ts';
import { readProperties } from './properties.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { defaultTiming } from './timing.ts';
import { UnreadableTransactions } from './unreadable-transactions.ts';

const program = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const discriminator = [...createHash('sha256').update('event:Paid').digest().subarray(0, 8)];
const idl = JSON.stringify({
  ...{ instructions: [], events: [{ name: 'Paid', discriminator }] },
  types: [{ name: 'Paid', type: { kind: 'struct', fields: [{ name: 'amount', type: 'u64' }] } }],
});
const paid = `Program data: ${Buffer.from([...discriminator, 1, 0, 0, 0, 0, 0, 0, 0]).toString('base64')}`;
const signatureOf = (at: number) => {
  const bytes = Buffer.alloc(64, 1);
  bytes.writeUInt32BE(at);
  return getBase58Decoder().decode(bytes);
};

/** Returns a node that lists transactions of one slot, each with these log lines. */
function nodeOf(transactions: number, logMessages: readonly string[]) {
  const hash = getBase58Decoder().decode(Buffer.alloc(32, 1));
  const signatures = Array.from({ length: transactions }, (_, at) => ({
    signature: signatureOf(at),
    slot: 7,
    err: null,
  }));
  let read = 0;
  const answerTo = (method: string): unknown => {
    switch (method) {
      case 'getLatestBlockhash':
        return { context: { slot: 9 }, value: { blockhash: hash, lastValidBlockHeight: 159 } };
      case 'getSignaturesForAddress':
        return signatures;
      case 'getBlock':
        return { blockHeight: 7, blockhash: hash };
      default:
        read += 1;
        return { slot: 7, meta: { fee: 1, logMessages }, transaction: {} };
    }
  };
  const node: SolanaNode = {
    nodeId: 'n',
    ask: async (method, _params, schema) => schema.parse(answerTo(method)),
    close: async () => undefined,
  };
  return { node, read: () => read };
}

function pageOf(node: SolanaNode, idlText: string | undefined, limit: number, timing = defaultTiming) {
  const nodes: Pick<Nodes, 'onNode'> = { onNode: (_phase, use) => use(node) };
  let now = 0;
  const properties = readProperties({
    ...{ ledgerId: 'l', technology: 'solana', nodes: [] },
    properties: { confirmations: '1' },
  });
  return readEvents(
    {
      contract: { address: program, ...(idlText === undefined ? {} : { interface: idlText }) },
      after: { height: 6 },
      limit,
    },
    {
      ...{ nodes: nodes as Nodes, properties, timing },
      unreadable: new UnreadableTransactions(1, 0, () => 0),
      host: { log: () => undefined, now: () => (now += 1) },
    },
  );
}

test('stops reading a slot’s transactions once the page of events is full', async () => {
  const { node, read } = nodeOf(900, [
    `Program ${program} invoke [1]`,
    ...Array.from({ length: 10_000 }, () => paid),
  ]);
  const page = await expectShortTurns(() => pageOf(node, idl, 200));
  expect(page.events).toHaveLength(200);
  expect(page.events[199]).toMatchObject({ name: 'Paid', args: { amount: '1' }, txId: signatureOf(899) });
  expect(page).toMatchObject({ after: { height: 7, index: 200 }, more: true });
  expect(read()).toBeLessThan(200);
});

test('omits the content of logs that are too long', async () => {
  const { node } = nodeOf(40, [`Program ${program} invoke [1]`, `Program log: ${'a'.repeat(1_000_000)}`]);
  const { events } = await pageOf(node, undefined, 200);
  expect(events).toHaveLength(40);
  expect(events[0]).toMatchObject({ raw: {}, contentOmitted: true });
});

test('refuses more log data than a program can write in a transaction', async () => {
  const { node } = nodeOf(1, [`Program ${program} invoke [1]`, `Program data: ${'AAAA'.repeat(600_000)}`]);
  await expect(pageOf(node, idl, 200)).rejects.toThrow('more data than a transaction can log');
});

test('fails if reading a page of events takes too long', async () => {
  const { node } = nodeOf(900, [`Program ${program} invoke [1]`]);
  await expect(pageOf(node, idl, 200, { ...defaultTiming, eventPage: 500 })).rejects.toThrow(
    'did not return a page of events within 0.5 s',
  );
});

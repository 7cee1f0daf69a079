import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { answerBudget } from '@ledger-ops/adapter/outbound';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CostOfAnswers } from '../../../../testing/cost-of-answers.ts';
import { createPoster, type Poster } from './post.ts';

/**
 * Receivers in a separate thread, so that their work is not measured. The path of a request selects the response.
 * Endless responses are written as fast as they are read.
 */
const receivers = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (request) => {
    const [begin, again] = workerData[Number(/^POST \\/(\\d+)/.exec(request)[1])];
    socket.write(begin);
    if (again === '') { socket.end(); return; }
    const flood = () => { while (socket.writable && socket.write(again)); };
    socket.on('drain', flood);
    flood();
  });
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
/** Name, first bytes, bytes that are repeated endlessly (none if empty), and the expected result of the delivery. */
const worst: [name: string, begin: string, again: string, reported: object][] = [
  ['an endless body', `${ok}\r\n`, 'x'.repeat(65_536), { status: 200 }],
  [
    'a body with a huge length',
    `${ok}content-length: 99999999999\r\n\r\n`,
    'x'.repeat(65_536),
    { status: 200 },
  ],
  ['chunks of one byte', chunked, '1\r\nx\r\n'.repeat(10_000), { status: 200 }],
  ['chunk extensions', chunked, `1;${'a'.repeat(60_000)}\r\nx\r\n`, { status: 200 }],
  ['endless trailers', `${chunked}0\r\n`, 'a: b\r\n'.repeat(10_000), { status: 200 }],
  ['endless headers', ok, 'a: b\r\n'.repeat(10_000), { status: null }],
  ['endless short headers', ok, 'a:\r\n'.repeat(16_000), { status: null }],
  ['an endless header', `${ok}a: `, 'b'.repeat(65_536), { status: null }],
  ['the most headers that are accepted', `${ok}${'a:\r\n'.repeat(3_500)}\r\n`, '', { status: 200 }],
  ['an endless status line', 'HTTP/1.1 200 ', 'O'.repeat(65_536), { status: null }],
  [
    'endless interim responses',
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'HTTP/1.1 103 A\r\n\r\n'.repeat(3_000),
    { status: null },
  ],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', '', { status: null }],
  [
    'the status 999',
    'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n',
    '',
    { status: 999, error: 'The receiver answered 999.' },
  ],
  [
    'a protocol switch',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    'x'.repeat(65_536),
    { status: null },
  ],
  ['a body where none is allowed', 'HTTP/1.1 204 No Content\r\n\r\n', 'x'.repeat(65_536), { status: 204 }],
  [
    'more responses after the first',
    `${ok}content-length: 0\r\n\r\n`,
    `${ok}content-length: 0\r\n\r\n`.repeat(1_000),
    { status: 200 },
  ],
  [
    'a long wait',
    `HTTP/1.1 429 No\r\nretry-after: ${'9'.repeat(15_000)}\r\ncontent-length: 0\r\n\r\n`,
    '',
    { status: 429 },
  ],
  [
    'a long location',
    `HTTP/1.1 302 No\r\nlocation: /${'a'.repeat(15_000)}\r\ncontent-length: 0\r\n\r\n`,
    '',
    { status: 302 },
  ],
  ['bytes that are not HTTP', '\u0000\u0001', '\u0000'.repeat(65_536), { status: null }],
];

let thread: Worker;
let poster: Poster;
let port: number;
beforeAll(async () => {
  const answers = worst.map(([, begin, again]) => [begin, again]);
  thread = new Worker(receivers, { eval: true, workerData: answers });
  [port] = await once(thread, 'message');
  poster = createPoster({ open: ['127.0.0.1'] }, 2_000);
});
afterAll(async () => {
  await poster?.close();
  await thread?.terminate();
});

test('no response of a webhook receiver blocks the event loop or stays in memory', async () => {
  const post = (at: number) => poster.post(`http://127.0.0.1:${port}/${at}`, {}, '{}');
  for (const at of worst.keys()) await post(at);
  const costs = await CostOfAnswers.start();
  for (const [at, [name, , , reported]] of worst.entries()) {
    // Two deliveries are sent together, because deliveries to one receiver can be concurrent.
    const results: unknown[] = [];
    await costs.measure(name, async () => {
      results.push(...(await Promise.all(Array.from({ length: 2 }, () => post(at)))));
    });
    for (const result of results) expect(result, name).toMatchObject(reported);
  }
  expect(await costs.excesses()).toEqual([]);
  expect(answerBudget.used).toBe(0);
}, 120_000);

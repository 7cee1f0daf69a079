import { Worker } from 'node:worker_threads';

/**
 * A JSON-RPC node in a separate thread, so that its work is not measured. It forwards calls to another node and
 * records their methods. Calls of one method get a given response instead.
 */
const source = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
let method, outcome;
parentPort.on('message', (wanted) => { ({ method, outcome } = wanted); parentPort.postMessage({ isSet: true }); });
const forward = async (body) => {
  const answer = await fetch(workerData, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return answer.text();
};
createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks).toString();
    const calls = [JSON.parse(body)].flat();
    for (const one of calls) parentPort.postMessage({ method: one.method });
    response.setHeader('content-type', 'application/json');
    if (!calls.some((one) => one.method === method)) {
      response.end(await forward(body));
      return;
    }
    const answers = [];
    for (const one of calls) {
      if (one.method === method) answers.push('{"jsonrpc":"2.0","id":' + one.id + ',' + outcome + '}');
      else answers.push(await forward(JSON.stringify(one)));
    }
    response.end(body.startsWith('[') ? '[' + answers.join(',') + ']' : answers[0]);
  });
}).listen(0, '127.0.0.1', function () { parentPort.postMessage({ port: this.address().port }); });
`;

interface Message {
  port?: number;
  method?: string;
  isSet?: true;
}

/** A node whose responses a test sets. */
export interface WorstNode {
  url: string;
  /** Methods that were called. */
  methods: ReadonlySet<string>;
  /**
   * Sets the response of a method.
   * @param outcome as JSON: a member `result` or `error`
   */
  answer(method: string, outcome: string): Promise<void>;
  /** Forwards all calls again. */
  answerNothing(): Promise<void>;
  close(): Promise<void>;
}

/** @param upstream URL of the node to which calls are forwarded */
export async function startWorstNode(upstream: string): Promise<WorstNode> {
  const methods = new Set<string>();
  const thread = new Worker(source, { eval: true, workerData: upstream });
  let onSet: () => void = () => undefined;
  const port = await new Promise<number>((resolve, reject) => {
    thread.on('error', reject);
    thread.on('message', (message: Message) => {
      if (message.port !== undefined) resolve(message.port);
      if (message.method !== undefined) methods.add(message.method);
      if (message.isSet === true) onSet();
    });
  });
  const set = (wanted: { method?: string; outcome?: string }) =>
    new Promise<void>((resolve) => {
      onSet = resolve;
      thread.postMessage(wanted);
    });
  return {
    url: `http://127.0.0.1:${port}`,
    methods,
    answer: (method, outcome) => set({ method, outcome }),
    answerNothing: () => set({}),
    async close() {
      await thread.terminate();
    },
  };
}

/** A JSON array that repeats one value. */
export const repeated = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`;

/** Outcomes of a call: name and JSON member. */
export type Outcomes = readonly (readonly [name: string, outcome: string])[];

/**
 * Flattens the strings. V8 would otherwise join their pieces on first use, and the measured code would appear to
 * allocate this memory.
 */
export const inOnePiece = (outcomes: Outcomes): Outcomes =>
  outcomes.map(([name, outcome]) => [name, Buffer.from(outcome).toString('latin1')] as const);

/** `inOnePiece` for the outcomes of each method. */
export const inOnePieceEach = (all: Readonly<Record<string, Outcomes>>): Readonly<Record<string, Outcomes>> =>
  Object.fromEntries(Object.entries(all).map(([method, outcomes]) => [method, inOnePiece(outcomes)]));

/** The worst possible outcomes of any method. */
export const worstOutcomes: Outcomes = inOnePiece([
  ['numbers', `"result":${repeated('1', 480_000)}`],
  ['numbers within the limit', `"result":${repeated('1000000000', 49_000)}`],
  ['strings within the limit', `"result":${repeated('""', 48_000)}`],
  ['empty objects within the limit', `"result":${repeated('{}', 24_000)}`],
  ['long numbers', `"result":${repeated('1'.repeat(19), 400_000)}`],
  ['empty objects', `"result":${repeated('{}', 240_000)}`],
  ['a long string', `"result":"0x${'ab'.repeat(8_000_000)}"`],
  ['a string within the limit', `"result":"${'a'.repeat(15_000_000)}"`],
  ['escapes', `"result":"${'\\u0041'.repeat(2_000_000)}"`],
  ['members', `"result":{${Array.from({ length: 19_000 }, (_, at) => `"m${at}":{"a":"0x1"}`).join(',')}}`],
  ['keys', `"result":{${Array.from({ length: 240_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
  ['depth', `"result":${'['.repeat(60_000)}${']'.repeat(60_000)}`],
  ['a number with many digits', `"result":${'1'.repeat(6_000_000)}`],
  ['a long error message', `"error":{"code":-32000,"message":"${'execution reverted '.repeat(500_000)}"}`],
  ['error data of many values', `"error":{"code":-32000,"message":"no","data":${repeated('{}', 24_000)}}`],
  [
    'error data of one long string',
    `"error":{"code":3,"message":"execution reverted","data":"0x${'08'.repeat(4_000_000)}"}`,
  ],
]);

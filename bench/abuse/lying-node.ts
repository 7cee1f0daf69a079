import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a node misbehaves. */
export type Lie = 'stalls' | 'long-answer' | 'interim-answers' | 'many-events' | 'endless-blocks';

/**
 * Starts an Ethereum node on loopback that misbehaves. With `many-events` and `endless-blocks`, a ledger can be created on
 * it: only its later responses are false.
 *
 * @param onLie called for each false response
 */
export async function startLyingNode(lie: Lie, onLie: () => void): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => answer(lie, onLie, Buffer.concat(parts).toString(), response));
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

const zeros = `0x${'0'.repeat(64)}`;
const address = `0x${'1'.repeat(40)}`;
let height = 1_000;

function answer(lie: Lie, onLie: () => void, text: string, response: ServerResponse): void {
  response.on('error', () => response.destroy());
  if (lie === 'many-events' || lie === 'endless-blocks') {
    const calls: Call | Call[] = JSON.parse(text);
    if ([calls].flat().some(({ method }) => method === 'eth_getLogs')) onLie();
    sendFalsehoods(lie, calls, response);
    return;
  }
  onLie();
  if (lie === 'long-answer') sendLongAnswer(response);
  else if (lie === 'interim-answers') sendInterimAnswers(response);
}

function sendFalsehoods(lie: Lie, calls: Call | Call[], response: ServerResponse): void {
  const resultOf = lie === 'endless-blocks' ? endlessResultOf : busyResultOf;
  const answers = [calls].flat().map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call) }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]));
}

/** Sends 62 MB and then stalls. */
function sendLongAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0","id":1,"result":"');
  const part = Buffer.alloc(1_048_576, 'a');
  let left = 62;
  const more = () => {
    while (left > 0) {
      left -= 1;
      if (response.write(part)) continue;
      response.once('drain', more);
      return;
    }
  };
  more();
}

function sendInterimAnswers(response: ServerResponse): void {
  const many = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000);
  const { socket } = response;
  const more = () => {
    if (socket === null || socket.destroyed) return;
    if (socket.write(many)) setImmediate(more);
    else socket.once('drain', more);
  };
  socket?.on('error', () => socket.destroy());
  more();
}

/** Responds like geth. Every query for logs returns 60,000 of them. */
function busyResultOf({ method }: Pick<Call, 'method'>): unknown {
  switch (method) {
    case 'eth_chainId':
      return '0x7a69';
    case 'net_version':
      return '31337';
    case 'eth_blockNumber':
      height += 1;
      return `0x${height.toString(16)}`;
    case 'eth_syncing':
      return false;
    case 'eth_getLogs':
      return Array.from({ length: 60_000 }, (_, index) => logOf(index));
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return blockOf();
    case 'eth_getBlockReceipts':
      return [];
    case 'eth_gasPrice':
    case 'eth_maxPriorityFeePerGas':
    case 'eth_getBalance':
    case 'eth_getTransactionCount':
      return '0x1';
    case 'eth_getCode':
      return '0x60';
    default:
      return null;
  }
}

/** Height of a chain that takes years to read. */
const endless = 2 ** 50;

/** Responds like the node of a chain that has a block, without events, at any height. */
function endlessResultOf({ method, params: [place] = [] }: Call): unknown {
  if (method === 'eth_blockNumber') return `0x${endless.toString(16)}`;
  if (method === 'eth_getLogs') return [];
  if (method !== 'eth_getBlockByNumber') return busyResultOf({ method });
  const at = typeof place === 'string' && place.startsWith('0x') ? Number(place) : endless;
  return { ...blockOf(), number: `0x${at.toString(16)}`, hash: `0x${at.toString(16).padStart(64, 'c')}` };
}

function blockOf() {
  return {
    number: `0x${height.toString(16)}`,
    hash: `0x${height.toString(16).padStart(64, 'b')}`,
    parentHash: `0x${(height - 1).toString(16).padStart(64, 'b')}`,
    timestamp: '0x6700000',
    gasLimit: '0x1c9c380',
    gasUsed: '0x0',
    baseFeePerGas: '0x1',
    transactions: [],
  };
}

function logOf(index: number) {
  return {
    address,
    topics: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', zeros, zeros],
    data: zeros,
    blockNumber: `0x${(height - 10).toString(16)}`,
    blockHash: zeros,
    transactionHash: zeros,
    transactionIndex: '0x0',
    logIndex: `0x${index.toString(16)}`,
    removed: false,
  };
}

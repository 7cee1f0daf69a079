import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Pool } from 'undici';
import { type Lie, startLyingNode } from './lying-node.ts';

/** The attacker's target, credentials and duration. */
export interface Attacker {
  readonly url: URL;
  /** Credentials of an organization's owner. Attacks without credentials do not send them. */
  readonly headers: Record<string, string>;
  readonly organizationId: string;
  readonly projectId: string;
  /** A remote plugin that the deployer allows. Its description has patterns that are slow to match. */
  readonly pluginUrl: string;
  readonly signal: AbortSignal;
  /** Counts a response by its status, or the error. */
  count(attack: string, what: string | number): void;
}

/** A kind of load with which one tenant could slow down the others. */
export interface Attack {
  /** Repeats the attack until the signal is aborted. */
  run(attacker: Attacker): Promise<void>;
  /**
   * Outcomes that prove that the attack reaches its target. Each must occur, and together they must be at least half of
   * the attack's outcomes.
   */
  readonly proof: readonly (string | number)[];
}

/** All attacks by name. Each has a limited number of open connections. */
export const attacks: Readonly<Record<string, Attack>> = {
  pipelining: { run: (attacker) => inParallel(100, attacker, pipeline), proof: [200] },
  'half-sent requests': { run: (attacker) => inParallel(500, attacker, sendHalf), proof: [408] },
  'lying nodes': {
    run: (attacker) => inParallel(24, attacker, createLedger),
    proof: ['long-answer', 'stalls', 'interim-answers', 503],
  },
  storage: { run: (attacker) => inParallel(8, attacker, store), proof: [201] },
  interfaces: { run: registerInterfaces, proof: [201, 400] },
  patterns: { run: sendMemos, proof: [400] },
  subscriptions: { run: subscribe, proof: [201, 'many-events', 'endless-blocks'] },
  searches: { run: (attacker) => inParallel(8, attacker, search), proof: [200] },
};

/**
 * Checks the outcomes of an attack against its proof. Returns one line for each failed condition.
 *
 * @param counts number of occurrences by outcome
 */
export function missingProof({ proof }: Attack, counts: Readonly<Record<string, number>>): string[] {
  const of = (outcome: string | number) => counts[outcome] ?? 0;
  const proven = proof.reduce<number>((sum, outcome) => sum + of(outcome), 0);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    ...proof.filter((outcome) => of(outcome) === 0).map((outcome) => `${outcome} did not occur`),
    ...(proven * 2 < all ? [`only ${proven} of ${all} outcomes were ${proof.join(' or ')}`] : []),
  ];
}

async function inParallel(
  count: number,
  attacker: Attacker,
  once: (attacker: Attacker, nth: number) => Promise<void>,
): Promise<void> {
  const loop = async (nth: number) => {
    while (!attacker.signal.aborted) await once(attacker, nth);
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => loop(nth)));
}

const pools = new Map<string, Pool>();
/**
 * Each attack connects from its own address, as different attackers would, because the server limits connections per
 * address. All addresses in 127.0.0.0/8 belong to this machine, and the other tenant uses 127.0.0.1.
 */
function addressOf(attack: string): string {
  return `127.0.0.${Object.keys(attacks).indexOf(attack) + 2}`;
}

async function call(
  { url, headers, signal, count }: Attacker,
  attack: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const pool =
    pools.get(attack) ??
    new Pool(url.origin, { connections: 32, connect: { localAddress: addressOf(attack) } });
  pools.set(attack, pool);
  try {
    const answer = await pool.request({
      method,
      path,
      signal,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    count(attack, answer.statusCode);
    // Rejections cost the attacker nothing, so the pace is limited: the bench must measure the server, not
    // the attacker.
    if (answer.statusCode >= 400) await pause(50, signal);
    return text.startsWith('{') ? JSON.parse(text) : {};
  } catch (error) {
    if (!signal.aborted) count(attack, error instanceof Error ? error.name : 'failed');
    await pause(50, signal);
    return {};
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}

/** Opens a connection for an attack. It stays open until the server closes it, the time limit passes, or the attack is aborted. */
function onSocket(
  { url, signal }: Attacker,
  attack: string,
  ms: number,
  use: (socket: Socket) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const localAddress = addressOf(attack);
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress });
    const end = () => socket.destroy();
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    socket.on('error', end);
    socket.once('connect', () => use(socket));
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      // Waits a moment before the attacker connects again.
      setTimeout(resolve, 20);
    });
  });
}

/** Counts the first response on a connection, and discards the rest. */
function countStatus(socket: Socket, count: (status: number) => void): void {
  socket.once('data', (part: Buffer) => {
    count(Number(part.toString('latin1', 9, 12)));
    socket.resume();
  });
}

/** Sends 64 kB of small requests in one write. Every second connection does not read the responses. */
async function pipeline(attacker: Attacker, nth: number): Promise<void> {
  const path = nth % 4 < 2 ? '/livez' : '/openapi.json';
  const request = `GET ${path} HTTP/1.1\r\nHost: ${attacker.url.host}\r\n\r\n`;
  await onSocket(attacker, 'pipelining', 5_000, (socket) => {
    if (nth % 2 === 0) countStatus(socket, (status) => attacker.count('pipelining', status));
    socket.write(request.repeat(Math.floor(65_536 / request.length)));
  });
}

/** Sends an incomplete head or body. */
async function sendHalf(attacker: Attacker, nth: number): Promise<void> {
  const head = `POST /v1/auth/token HTTP/1.1\r\nHost: ${attacker.url.host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
  await onSocket(attacker, 'half-sent requests', 60_000, (socket) => {
    countStatus(socket, (status) => attacker.count('half-sent requests', status));
    socket.write(nth % 2 === 0 ? head : `${head}Content-Length: 10000\r\n\r\ngrant_type=`);
  });
}

const lies: readonly Lie[] = ['long-answer', 'stalls', 'interim-answers'];

async function createLedger(attacker: Attacker, nth: number): Promise<void> {
  const lie = lies[nth % lies.length] ?? 'stalls';
  const node = await startLyingNode(lie, () => attacker.count('lying nodes', lie));
  await call(attacker, 'lying nodes', 'POST', '/v1/admin/ledgers', ledgerOf(node.url));
  node.close();
}

function ledgerOf(uri: string) {
  return {
    ledgerId: `lying-${randomUUID()}`,
    name: 'lying',
    technology: 'ethereum',
    properties: { chain_id: 31_337 },
    nodes: [{ name: 'a', uri }],
  };
}

/** Stores as much data as an owner may store, in the largest records that the service accepts. */
async function store(attacker: Attacker, nth: number): Promise<void> {
  const name = `n-${randomUUID()}`;
  const { projectId, organizationId } = attacker;
  switch (nth % 4) {
    case 0: {
      const code = { abi: [], bytecode: `0x${'60'.repeat(400_000)}` };
      await call(attacker, 'storage', 'POST', '/v1/contract-templates', { templateId: name, name });
      const path = `/v1/contract-templates/${name}/versions`;
      for (let version = 1; version < 10 && !attacker.signal.aborted; version += 1)
        await call(attacker, 'storage', 'POST', path, { version: String(version), code });
      return;
    }
    case 1:
      await call(attacker, 'storage', 'POST', '/v1/admin/apps', { appId: name, name, projectId });
      return;
    case 2:
      await call(attacker, 'storage', 'POST', '/v1/admin/projects', {
        projectId: name,
        name,
        organizationId,
      });
      return;
    default:
      await call(attacker, 'storage', 'POST', '/v1/admin/accounts', { accountId: name, name, projectId });
  }
}

const deepTemplate = 'deep';

/** Sends interfaces to one template. */
async function registerInterfaces(attacker: Attacker): Promise<void> {
  // Only one, because the attack on storage uses up the limit of templates.
  await call(attacker, 'interfaces', 'POST', '/v1/contract-templates', {
    ...{ templateId: deepTemplate, name: deepTemplate },
  });
  await inParallel(2, attacker, registerInterface);
}

/** Sends an interface with types of 2,000 dimensions. */
async function registerInterface(attacker: Attacker): Promise<void> {
  const type = `uint8${'[1]'.repeat(2_000)}`;
  const abi = Array.from({ length: 20 }, (_, nth) => ({
    type: 'function',
    name: `f${nth}`,
    inputs: [{ name: 'a', type }],
    outputs: [],
    stateMutability: 'view',
  }));
  await call(attacker, 'interfaces', 'POST', `/v1/contract-templates/${deepTemplate}/versions`, {
    version: '1',
    code: { abi, bytecode: '0x60' },
  });
}

const memo = { ledgerId: 'memos', walletId: 'memos', password: 'a password of the attacker' };

/** Sends operations with two memos: the longest one that the service matches against the slow patterns, and a longer one. */
async function sendMemos(attacker: Attacker): Promise<void> {
  const { projectId, pluginUrl } = attacker;
  await call(attacker, 'patterns', 'POST', '/v1/plugins', {
    ...{ name: 'memos', projectId, url: pluginUrl, tags: ['tally'] },
  });
  await call(attacker, 'patterns', 'POST', '/v1/admin/ledgers', {
    ...{ ledgerId: memo.ledgerId, name: 'memos', technology: 'tally', properties: {}, nodes: [] },
  });
  await call(attacker, 'patterns', 'POST', '/v1/cloud-wallet/wallets', {
    ...{
      walletId: memo.walletId,
      ledgerId: memo.ledgerId,
      pluginParameters: { walletPassword: memo.password },
    },
  });
  await inParallel(2, attacker, sendMemo);
}

async function sendMemo(attacker: Attacker, nth: number): Promise<void> {
  await call(attacker, 'patterns', 'POST', '/v1/ledger-ops/send', {
    walletId: memo.walletId,
    walletPassword: memo.password,
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'tally' }, resource: 't0000000a' },
        amount: '1',
      },
      meta: {
        ledger: {
          tally: { version: '1', native_transaction_content: { memo: 'ab'.repeat(nth === 0 ? 6_000 : 100) } },
        },
      },
    },
  });
}

const transferEvent = {
  type: 'event',
  name: 'Transfer',
  inputs: [
    { name: 'from', type: 'address', indexed: true },
    { name: 'to', type: 'address', indexed: true },
    { name: 'value', type: 'uint256', indexed: false },
  ],
};

/** Subscribes to contracts on a node that reports thousands of events, and on one with endless empty blocks. */
async function subscribe(attacker: Attacker): Promise<void> {
  await Promise.all((['many-events', 'endless-blocks'] as const).map((lie) => subscribeTo(attacker, lie)));
}

async function subscribeTo(attacker: Attacker, lie: Lie): Promise<void> {
  const node = await startLyingNode(lie, () => attacker.count('subscriptions', lie));
  const ledger = ledgerOf(node.url);
  const group = { name: 'abuse', projectId: attacker.projectId };
  await call(attacker, 'subscriptions', 'POST', '/v1/admin/ledgers', ledger);
  const { groupId } = await call(attacker, 'subscriptions', 'POST', '/v1/contract-groups', group);
  // A project has at most 20 subscriptions.
  for (let nth = 0; nth < 10 && !attacker.signal.aborted; nth += 1) {
    const instances = `/v1/contract-groups/${groupId}/instances`;
    const { contractId } = await call(attacker, 'subscriptions', 'POST', instances, {
      ledgerReference: { ledgerId: ledger.ledgerId, nativeReference: `0x${'1'.repeat(40)}` },
      interface: JSON.stringify([transferEvent]),
    });
    const subscription = { contractId, fromBlock: 1 };
    await call(attacker, 'subscriptions', 'POST', '/v1/contract-subscriptions', subscription);
  }
  await pause(600_000, attacker.signal);
  node.close();
}

async function search(attacker: Attacker): Promise<void> {
  for (const path of [
    '/v1/ledger-ops/actions?size=100',
    '/v1/admin/timeline?service=ledger-ops&size=100',
    '/openapi.json',
  ])
    await call(attacker, 'searches', 'GET', path);
}

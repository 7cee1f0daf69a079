// The worst message of each kind that a child can send must not block the host's event loop.
import type { LedgerSession, ResolvedOperation } from '@ledger-ops/adapter';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { expect, test } from 'vitest';
import { CostOfAnswers } from '../../../testing/cost-of-answers.ts';
import type { TurnLimit } from '../../../testing/longest-block.ts';
import { members, openModule, writeModule } from './modules.ts';

const turnLimit: TurnLimit = { ms: 50, units: 3 };

const native = { technology: 'ethereum', content: {} } as const;
const wallet = { address: '0x' };
const operation: ResolvedOperation = { type: 'transfer', recipient: 'a', amount: 1n, native };
const emulated = { operation, height: undefined } as const;
const pending = new Map(Array.from({ length: 10_000 }, (_, at) => [`tx${at}`, wallet]));
const submissions = [...pending.keys()].map((txId) => ({ txId, bytes: new Uint8Array(1) }));
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

type Ask = (session: LedgerSession) => Promise<unknown>;
const asks = {
  confirm: (session) => session.confirm({ cursor: null, pending }),
  submit: (session) => session.submit(submissions),
  check: (session) => session.check({ wallet, operation }),
  estimate: (session) => session.estimate(many(1_000, { wallet, plan: {}, minHeight: 0 })),
  prepare: (session) => session.prepare(many(1_000, { actionId: 'a', wallet, plan: {}, sequence: 0n })),
  advance: (session) => session.advance([]),
  balances: (session) => session.balances(many(150_000, 'a')),
  chain: (session) => session.chain(),
  createWallet: (session) =>
    session.createWallet({ walletId: 'w', publicKey: new Uint8Array(33), parameters: {} }),
  normaliseAddress: (session) => session.normaliseAddress('a'),
  emulate: (session) => session.emulate(emulated),
  lookup: (session) => session.lookup('a'),
  advanceWallet: (session) => session.advanceWallet({ state: 1, signatures: [] }),
  renewWallet: async (session) => session.renewWallet?.(wallet),
  sequences: (session) => session.sequences(many(150_000, 'a')),
  describeContract: async (session) => session.describeContract?.('a'),
  contractEvents: async (session) =>
    session.contractEvents?.({ contract: { address: 'a' }, after: { height: 0 }, limit: 10_000 }),
  transactionsOf: async (session) => session.transactionsOf?.({ address: 'a', since: 0 }),
  signersOf: async (session) => session.signersOf?.(many(100, 'a')),
  emulateAs: async (session) => session.emulateAs?.({ ...emulated, wallet }),
  advanceEmulation: async (session) => session.advanceEmulation?.({ state: 1, signatures: [] }),
} satisfies Partial<Record<keyof LedgerSession, Ask>>;

/** Answers as source code. The functions create many values. */
const control = (length: number) => `'\\u0001'.repeat(${length})`;
const list = (count: number, item: string) => `Array.from({ length: ${count} }, (_, at) => (${item}))`;
const tip = "{ height: 1, hash: 'b' }";
const confirming = (more: string) =>
  `{ cursor: ${tip}, head: ${tip}, reorganised: false, outcomes: [], ${more} }`;
const final = "txId: 'tx' + at, height: at, blockHash: 'block' + at";
const problem = (more: string) => `{ code: 'reverted', phase: 'confirm', detail: 'why', ${more} }`;
const failing = (more: string) =>
  `{ throw Object.assign(new Error(), { name: 'AdapterError', problem: ${problem(more)} }); }`;

const placed = "height: 1, blockHash: 'b', txId: 't'";
const eventsOf = (events: string) => `{ events: ${events}, after: { height: 1 }, newest: 1, more: false }`;
const rounds = `{ done: false, state: ${list(100_000, 'at')}, requests: ${list(100_000, "{ curve: 'secp256k1', digest: 1 }")} }`;

const worst: [keyof typeof asks, string, string][] = [
  [
    'confirm',
    'an outcome for each transaction',
    confirming(
      `outcomes: ${list(10_000, `{ ${final}, status: 'succeeded', contractAddress: '0x' + at, fee: 10n ** 18n, locator: 'l' + at, details: { gasUsed: at, status: 1, block: at } }`)}`,
    ),
  ],
  [
    'confirm',
    'a failure of each transaction',
    confirming(
      `outcomes: ${list(10_000, `{ ${final}, status: 'failed', problem: ${problem("detail: 'x'.repeat(1000), data: { a: 1 }")} }`)}`,
    ),
  ],
  [
    'confirm',
    'long details',
    confirming(
      `outcomes: [0].map((at) => ({ ${final}, status: 'succeeded', details: { a: ${control(30_000_000)} } }))`,
    ),
  ],
  [
    'confirm',
    'remarks and warnings',
    confirming(
      `remarks: ${list(20_000, "{ txId: 'tx1', detail: 'why' }")}, warnings: ${list(150_000, "'why'")}`,
    ),
  ],
  [
    'submit',
    'an answer for each transaction',
    list(10_000, `{ txId: 'tx' + at, status: 'refused', problem: ${problem('data: { at }')} }`),
  ],
  [
    'check',
    'a plan of control characters',
    `{ plan: { a: ${control(30_000_000)} }, recipients: [], readiness: 'ready', cost: 0n }`,
  ],
  [
    'check',
    'a plan of many values',
    `{ plan: { a: ${list(390_000, 'at')} }, recipients: [], readiness: 'ready', cost: 0n }`,
  ],
  [
    'check',
    'many recipients',
    `{ plan: {}, recipients: ${list(7_000, control(512))}, readiness: 'ready', cost: 0n }`,
  ],
  [
    'check',
    'the maximum number of recipients',
    `{ plan: {}, recipients: ${list(256, control(512))}, readiness: 'ready', cost: 0n }`,
  ],
  [
    'estimate',
    'many issues',
    list(
      1_000,
      `{ status: 'wait', problem: ${problem("issues: Array(30).fill(0).map(() => ({ pointer: '/a', detail: 'b' }))")} }`,
    ),
  ],
  [
    'prepare',
    'bytes in many pieces',
    list(
      1_000,
      "{ status: 'prepared', attempts: [{ kind: 'main', round: { done: false, state: 1, requests: Array.from({ length: 9 }, () => ({ curve: 'secp256k1', digest: new Uint8Array(32) })) } }] }",
    ),
  ],
  ['advance', 'more answers than requests', list(100_000, '1')],
  ['advanceWallet', 'requests', rounds],
  ['renewWallet', 'requests', rounds],
  ['emulateAs', 'requests', rounds],
  [
    'advanceEmulation',
    'a result of control characters',
    `{ done: true, result: { result: ${control(30_000_000)} } }`,
  ],
  ['sequences', 'numbers', list(150_000, 'BigInt(at)')],
  ['sequences', 'texts', list(150_000, "''")],
  ['describeContract', 'control characters', control(30_000_000)],
  ['contractEvents', 'events', eventsOf(list(10_000, `{ id: 'e' + at, ${placed}, raw: { at } }`))],
  [
    'contractEvents',
    'long events',
    eventsOf(list(400, `{ id: 'e' + at, ${placed}, raw: { a: ${control(60_000)} } }`)),
  ],
  ['contractEvents', 'wrong events', eventsOf(list(90_000, '{}'))],
  [
    'transactionsOf',
    'the maximum number of ids',
    `{ txIds: ${list(20_000, control(512))}, head: 1, completeTo: 1 }`,
  ],
  ['transactionsOf', 'too many ids', `{ txIds: ${list(300_000, "'a'")}, head: 1, completeTo: 1 }`],
  ['signersOf', 'the maximum number of signers', list(100, list(256, control(512)))],
  ['balances', 'numbers', list(150_000, 'BigInt(at)')],
  ['balances', 'strings instead of numbers', list(150_000, "'no'")],
  ['chain', 'long words', `{ id: 'i', genesis: 'g', unsure: ${control(30_000_000)} }`],
  [
    'createWallet',
    'aliases',
    `{ done: true, result: { address: 'a', aliases: ${list(256, control(4_096))}, material: { a: ${list(100_000, 'at')} } } }`,
  ],
  ['normaliseAddress', 'a string of control characters', control(30_000_000)],
  ['emulate', 'a result of control characters', `{ result: ${control(30_000_000)} }`],
  ['emulate', 'lone surrogates', `{ result: '\\ud800'.repeat(15_000_000) }`],
  ['emulate', 'new names', `{ result: ${list(12_000, "{ ['name' + at]: at }")} }`],
  ['emulate', 'one object', `{ result: Object.fromEntries(${list(15_000, "['name' + at, at]")}) }`],
  [
    'emulate',
    'maps, dates and patterns',
    `{ result: ${list(5_000, '[new Map([[at, at]]), new Date(at), new RegExp(String(at))]')} }`,
  ],
  [
    'lookup',
    'a receipt',
    `{ txId: 'a', status: 'FAILED', problem: ${problem(`issues: ${list(30_000, "{ pointer: '', detail: 'x' }")}`)}, receipt: ${control(10_000_000)} }`,
  ],
  ['normaliseAddress', 'a problem with data', failing(`data: { a: ${list(390_000, 'at')} }`)],
  [
    'normaliseAddress',
    'a problem with issues',
    failing(`issues: ${list(30_000, "{ pointer: '/a', detail: 'b' }")}`),
  ],
  ['normaliseAddress', 'a problem with long words', failing(`detail: ${control(30_000_000)}`)],
  [
    'normaliseAddress',
    'a long exception',
    `{ const error = new Error(${control(20_000_000)}); error.name = 'x'.repeat(9_000_000); throw error; }`,
  ],
  [
    'normaliseAddress',
    'lines of the log',
    `{ for (let line = 0; line < 1_500; line += 1) host.log('info', 'line', { line }); return 'a'; }`,
  ],
  [
    'normaliseAddress',
    'long lines of the log',
    `{ for (let line = 0; line < 300; line += 1) host.log('info', ${control(50_000)}, { text: ${control(60_000)} }); return 'a'; }`,
  ],
  [
    'normaliseAddress',
    'a line of the log as long as a message',
    `{ write(frame({ t: 'log', session: 1, level: 'info', event: ${control(30_000_000)}, fields: {} })); return 'a'; }`,
  ],
  [
    'normaliseAddress',
    'heads',
    `{ for (let height = 0; height < 1_500; height += 1) write(frame({ t: 'head', session: 1, head: { height, hash: ${control(4_096)} } })); return 'a'; }`,
  ],
  [
    'normaliseAddress',
    'lines of its output',
    `{ for (let line = 0; line < 3_000; line += 1) console.log(${control(80)}); return 'a'; }`,
  ],
];

const more =
  'balance: true, contractEvents: true, describesContracts: true, signedEmulation: true, listsTransactions: true';
/** A module whose sessions answer as selected by the number in their ledger's id. */
const source = `import * as fs from 'node:fs';
  import { serialize } from 'node:v8';
  const frame = (message) => {
    const body = serialize(message);
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    return Buffer.concat([header, body]);
  };
  const write = (bytes) => {
    for (let at = 0; at < bytes.length; )
      try { at += fs.writeSync(3, bytes, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  };
  const methods = ${list(10_000, "{ name: 'm' + at, signature: 'm()', view: true, inputs: [], outputs: [] }")};
  let host;
  const worst = [${worst.map(([, , answer]) => `async () => ${answer.includes(';') ? answer : `(${answer})`}`).join(',\n')}];
  export default { ${members.replace('methods: []', 'methods').replace('balance: false', more)}
    open: async ({ properties }, given) => {
      host = given;
      const others = { onHead: () => () => undefined, close: async () => undefined, then: undefined };
      return new Proxy(others, { get: (_, name) => name in others ? others[name] : worst[properties.worst] });
    },
  };`;

test('no long message blocks the event loop', async () => {
  const costs = await CostOfAnswers.start();
  const { adapter, until } = await openModule(source, { timing: { call: 20_000 }, memoryLimitMb: 2_000 });
  const measure = (name: string, ask: () => Promise<unknown>) =>
    costs.measure(
      name,
      async () => {
        await until(({ state }) => state === 'up');
        return await ask();
      },
      turnLimit,
    );
  for (const [index, [method, name]] of worst.entries()) {
    const ledger = { ledgerId: 'l', technology: 'ethereum', properties: { worst: index }, nodes: [] };
    const session = await adapter.open(ledger, {
      now: Date.now,
      log: () => undefined,
      signal: new AbortController().signal,
    });
    await measure(`${method}: ${name}`, () => asks[method](session));
    await session.close();
  }
  await measure('readInterface: methods', () => adapter.readInterface(''));
  const operations = `operations: Array(390_000).fill('transfer')`;
  const said = writeModule(
    `export default { ${members.replace("operations: ['transfer']", operations)} open: () => 1 };`,
  );
  await measure('a definition', () => openProcessAdapter({ specifier: said, log: () => undefined }));
  expect(await costs.excesses()).toEqual([]);
}, 300_000);

// Answers every method that a session calls with the worst possible results. The event loop must not be
// blocked.
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { answerBudget } from '@ledger-ops/adapter/outbound';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CostOfAnswers } from '../../../testing/cost-of-answers.ts';
import {
  inOnePieceEach,
  type Outcomes,
  repeated,
  startWorstNode,
  type WorstNode,
  worstOutcomes,
} from '../../../testing/worst-node.ts';
import { transferFeesOf } from '../src/tokens/transfer-fee.ts';
import {
  deploymentOf,
  fund,
  furnish,
  memo,
  memoProgram,
  recipient,
  systemProgram,
  transferOf,
} from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

const ofValue = (value: string) => `"result":{"context":{"slot":5},"value":${value}}`;
const key = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const account = (owner: string, data: string) =>
  `{"lamports":1,"owner":"${owner}","data":["${data}","base64"]}`;
const meta = (more: string) => `"result":{"slot":5,"meta":{"err":null,"fee":5000,${more}}`;
const message = (accounts: number, instructions: string) =>
  `"transaction":{"message":{"accountKeys":${repeated(`"${key}"`, accounts)},"instructions":${instructions}},"signatures":["${key}"]}}`;

/** Well-formed results, by RPC method. They get further than malformed ones, so they reach more code. */
const formed: Readonly<Record<string, Outcomes>> = inOnePieceEach({
  getAccountInfo: [
    [
      'a large table',
      ofValue(account('AddressLookupTab1e1111111111111111111111111', 'AQEB'.repeat(3_500_000))),
    ],
    ['a large account', ofValue(account(systemProgram, 'AQEB'.repeat(3_500_000)))],
    ['accounts where one is expected', ofValue(repeated(account('a', 'AAAA'), 6_000))],
  ],
  getMultipleAccounts: [
    ['accounts', ofValue(repeated('{"lamports":1,"owner":"a","data":["AAAA","base64"]}', 8_000))],
    ['texts', ofValue(repeated('""', 48_000))],
  ],
  getSignatureStatuses: [
    ['statuses', ofValue(repeated('{"slot":5,"err":null,"confirmationStatus":"finalized"}', 12_000))],
    ['texts', ofValue(repeated('""', 48_000))],
    ['an error of values', ofValue(`[{"slot":5,"err":${repeated('{}', 24_000)}}]`)],
  ],
  getSignaturesForAddress: [
    ['signatures', `"result":${repeated(`{"signature":"${key}","slot":5,"err":null}`, 12_000)}`],
    [
      'long signatures',
      `"result":${repeated(`{"signature":"${'1'.repeat(15_000)}","slot":5,"err":null}`, 1_000)}`,
    ],
  ],
  getRecentPrioritizationFees: [
    ['fees', `"result":${repeated('{"prioritizationFee":18446744073709551615}', 24_000)}`],
  ],
  getBlock: [['a long hash', `"result":{"blockHeight":5,"blockhash":"${'1'.repeat(15_000_000)}"}`]],
  getGenesisHash: [['a long hash', `"result":"${'1'.repeat(15_000_000)}"`]],
  getTransaction: [
    ['log lines', `${meta(`"logMessages":${repeated('"Program data: AAAA"', 49_000)}`)},${message(3, '[]')}`],
    [
      'a log line',
      `${meta(`"logMessages":["Program data: ${'AAAA'.repeat(3_500_000)}"]`)},${message(3, '[]')}`,
    ],
    [
      'nested programs in the log',
      `${meta(`"logMessages":${repeated(`"Program ${memoProgram} invoke [1]"`, 49_000)}`)},${message(3, '[]')}`,
    ],
    [
      'instructions',
      `${meta(`"innerInstructions":${repeated(`{"index":0,"instructions":[{"programIdIndex":1,"accounts":[0],"data":"${'z'.repeat(800)}"}]}`, 5_000)}`)},${message(200, '[]')}`,
    ],
    [
      'an instruction with long data',
      `${meta(`"innerInstructions":[{"index":0,"instructions":[{"programIdIndex":1,"accounts":[0],"data":"${'z'.repeat(10_000_000)}"}]}]`)},${message(3, '[]')}`,
    ],
    [
      'account indexes',
      `${meta(`"innerInstructions":[{"index":0,"instructions":[{"programIdIndex":1,"accounts":${repeated('""', 48_000)},"data":""}]}]`)},${message(3, '[]')}`,
    ],
    ['account keys', `${meta('"logMessages":[]')},${message(48_000, '[]')}`],
  ],
  simulateTransaction: [
    ['log lines', ofValue(`{"err":null,"logs":${repeated('"Program log: a"', 49_000)},"unitsConsumed":1}`)],
    ['an error of values', ofValue(`{"err":${repeated('{}', 24_000)},"logs":[]}`)],
    ['balances', ofValue(`{"err":null,"logs":[],"fee":1,"preBalances":${repeated('""', 48_000)}}`)],
    [
      'more balances',
      ofValue(
        `{"err":null,"logs":[],"fee":1,"preBalances":${repeated('18446744073709551615', 24_000)},"postBalances":${repeated('1', 24_000)}}`,
      ),
    ],
    [
      'returned data',
      ofValue(
        `{"err":null,"logs":[],"returnData":{"programId":"${key}","data":["${'AAAA'.repeat(3_500_000)}","base64"]}}`,
      ),
    ],
  ],
});

/**
 * `npm run test:faults` tries all answers; `npm test` tries one per method, a well-formed one if possible.
 */
function outcomesOf(method: string): Outcomes {
  const ofForm = formed[method] ?? [];
  if (inject('faults') !== undefined) return [...worstOutcomes, ...ofForm];
  const brief = worstOutcomes.filter(([name]) => name === 'long numbers');
  return [...ofForm, ...brief].slice(0, 1);
}

let ledger: SolanaProcess;
let node: WorstNode;
let direct: Actor;
let deployment: ResolvedOperation;
let sent: Awaited<ReturnType<typeof sign>>;

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  direct = await openActor(ledgerOf([ledger.url]));
  await fund(ledger, direct.wallet.address, 10_000_000_000);
  sent = await sign(direct, memo('words'));
  await direct.session.submit([sent]);
  await ledger.rpc('devnet_mine', [3]);
  deployment = await deploymentOf(ledger);
  node = await startWorstNode(ledger.url);
});
afterAll(async () => {
  await direct?.session.close();
  await node?.close();
  await ledger?.stop();
});

/** Returns a signature that no transaction has. */
const unknownId = () => `${sent.txId.slice(0, 40)}${sent.txId.slice(40).split('').toReversed().join('')}`;

/** Uses a ledger like a host does. Each step may fail, because the node returns invalid answers. */
async function use(): Promise<void> {
  const actor = await openActor(ledgerOf([node.url], { rpc_timeout: 5_000 }), undefined, direct.signer);
  const { session, wallet } = actor;
  await Promise.allSettled([
    session.chain({ everyNode: true }),
    session.balances([recipient]),
    session.confirm({ cursor: null, pending: pendingOf(actor, [sent]) }),
    session.confirm({
      cursor: { height: 1, hash: '1:none' },
      pending: new Map([[unknownId(), { address: wallet.address, validUntil: 1 }]]),
    }),
    session.contractEvents?.({ contract: { address: memoProgram }, after: { height: 0 }, limit: 100 }),
    session.lookup(sent.txId),
    session.emulate({ wallet, operation: transferOf(recipient) }),
    session.emulate({ wallet, operation: memo('m', { addressLookupTables: [key] }) }),
    sign(actor, memo('m', { nonceAccount: key })),
    sign(actor, deployment),
    sign(actor, transferOf(recipient)).then((main) => session.submit([main])),
  ]);
  await session.close();
}

test('reading a mint with more extensions than exist takes little time', async () => {
  const costs = await CostOfAnswers.start();
  for (const type of [0, 1, 2]) {
    const mint = Buffer.alloc(12 * 2 ** 20);
    for (let at = 166; at + 4 <= mint.length; at += 4) mint.writeUInt16LE(type, at);
    await costs.measure(`extensions of type ${type}`, async () => transferFeesOf(mint, 1n));
  }
  expect(await costs.excesses()).toEqual([]);
});

test('no answer of a node to any method blocks the event loop or stays in memory', async () => {
  await use();
  const called = [...node.methods];
  expect(called).toEqual(expect.arrayContaining(Object.keys(formed)));
  const costs = await CostOfAnswers.start();
  // `npm run test:faults` answers each method; `npm test` answers every third one.
  const answered = called.filter((_, at) => inject('faults') !== undefined || at % 3 === 0);
  for (const method of answered) {
    for (const [name, outcome] of outcomesOf(method)) {
      await node.answer(method, outcome);
      await costs.measure(`${method}: ${name}`, use);
    }
  }
  expect(await costs.excesses()).toEqual([]);
  expect(answerBudget.used).toBe(0);
}, 600_000);

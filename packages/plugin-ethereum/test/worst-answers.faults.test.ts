// Answers every method that a session calls with the worst possible results. The event loop must not be
// blocked.

import { answerBudget } from '@ledger-ops/adapter/outbound';
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { CostOfAnswers } from '../../../testing/cost-of-answers.ts';
import {
  inOnePiece,
  repeated,
  startWorstNode,
  type WorstNode,
  worstOutcomes,
} from '../../../testing/worst-node.ts';
import { askReplacement, inspectOne, type Late, makeLate } from './late.ts';
import { call, deploy, keyOf, ledgerOf, openSession, sign, type TestSession } from './stage.ts';

const log = `{"address":"0x${'12'.repeat(20)}","topics":["0x${'34'.repeat(32)}"],"data":"0x","blockNumber":"0x1","blockHash":"0x${'56'.repeat(32)}","transactionHash":"0x${'78'.repeat(32)}","logIndex":"0x0","removed":false}`;
const worst = [...worstOutcomes, ...inOnePiece([['logs', `"result":${repeated(log, 40_000)}`]])];
/** `npm run test:faults` tries all answers; `npm test` tries one per method. */
const outcomesOf = (method: string) => {
  const brief = method === 'eth_getLogs' ? 'logs' : 'numbers';
  return inject('faults') === undefined ? worst.filter(([name]) => name === brief) : worst;
};

let anvil: Anvil;
let node: WorstNode;
let token: string;
let late: Late;

beforeAll(async () => {
  anvil = await startAnvil({ mining: 'automine' });
  const actor = await openSession(ledgerOf([anvil.url]), keyOf(anvil));
  token = await deploy(actor, tokenTemplate, ['Token', 'TOK', '1000']);
  const contract = { address: token, interface: tokenTemplate.interface };
  late = await makeLate(actor, call(token, 'transfer', [`0x${'01'.repeat(20)}`, '1'], { contract }));
  await actor.session.close();
  node = await startWorstNode(anvil.url);
});
afterAll(async () => {
  await node?.close();
  await anvil?.stop();
});

/** Uses a ledger like a host does. Each step may fail, because the node returns invalid answers. */
async function use(): Promise<void> {
  const contract = { address: token, interface: tokenTemplate.interface };
  let actor: TestSession;
  try {
    actor = await openSession(ledgerOf([node.url]), keyOf(anvil));
  } catch {
    return;
  }
  const { session, wallet } = actor;
  const transfer = call(token, 'transfer', [`0x${'01'.repeat(20)}`, '1'], { contract });
  await Promise.allSettled([
    session.contractEvents?.({ contract, after: { height: 0 }, limit: 1_000 }),
    sign(actor, transfer).then(({ main, pending }) =>
      session.submit([main]).then(() => session.confirm({ pending, cursor: null })),
    ),
    session.emulate?.({ wallet, operation: transfer }),
    askReplacement(actor, late, 'bump', { raise: 'always' }),
    askReplacement(actor, late, 'noop'),
    inspectOne(actor, late),
  ]);
  await session.close();
}

test('no answer of a node to any method blocks the event loop or stays in memory', async () => {
  await use();
  const called = [...node.methods];
  expect(called.length).toBeGreaterThan(5);
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

// Nodes return receipts without a status (harmony#3291, go-ethereum#19879), and receipts of other transaction types.
import type { Remark } from '@ledger-ops/adapter';
import { type Misbehaviour, misbehaving } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import { type Attempt, keyOf, ledgerOf, openSession, sign, type TestSession, transfer } from './stage.ts';

const shared = shareAnvil();
let proxy: RpcProxy;
const open: TestSession[] = [];
beforeEach(async () => {
  proxy = await startProxy(shared().url);
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  await proxy.close();
});

const other = '0x000000000000000000000000000000000000bEEF';

async function enter(account = 0, uris = [proxy.url]): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris), keyOf(shared(), account));
  open.push(actor);
  return actor;
}

const mine = (blocks = 1) => shared().rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1']);

type Members = Record<string, unknown>;

/** Changes the receipts of these transactions, read individually and by block. */
function receiptsOf(
  isOdd: (receipt: Members) => boolean,
  change: (receipt: Members) => unknown,
): Misbehaviour {
  const changed = (receipt: Members) => (isOdd(receipt) ? change(receipt) : receipt);
  return {
    async eth_getTransactionReceipt(call, ask) {
      const answer = await ask(call);
      if (!('result' in answer) || answer.result === null) return answer;
      return { ...answer, result: changed({ ...Object(answer.result) }) };
    },
    async eth_getBlockReceipts(call, ask) {
      const answer = await ask(call);
      if (!('result' in answer) || !Array.isArray(answer.result)) return answer;
      return { ...answer, result: answer.result.map(changed) };
    },
  };
}

const withoutStatus = ({ status: _, ...receipt }: Members) => ({ ...receipt, root: `0x${'ab'.repeat(32)}` });

/** Sends three transactions from one wallet and does not mine them. */
async function sendThree(actor: TestSession): Promise<Attempt[]> {
  const sent: Attempt[] = [];
  for (const nonce of [0n, 1n, 2n]) sent.push((await sign(actor, transfer(other), nonce)).main);
  await actor.session.submit(sent);
  return sent;
}

const pendingOf = ({ wallet: { address } }: TestSession, sent: readonly Attempt[]) =>
  new Map(sent.map(({ txId }, index) => [txId, { address, sequence: BigInt(index) }]));

test.each<[string, (receipt: Members) => unknown]>([
  ['without status', withoutStatus],
  ['with no members', () => ({})],
  ['that is null', () => null],
  ['that is a number', () => 7],
  ['without a block hash', (receipt) => ({ ...receipt, blockHash: null })],
])(
  "the receipt of another account's transaction %s does not delay the confirmation of our transactions",
  async (_, change) => {
    const [actor, stranger] = [await enter(), await enter(1, [shared().url])];
    const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const sent = await sendThree(actor);
    const { main } = await sign(stranger, transfer(other));
    await stranger.session.submit([main]);
    await mine();
    proxy.setFault(misbehaving(receiptsOf(({ transactionHash }) => transactionHash === main.txId, change)));
    const { outcomes, remarks } = await actor.session.confirm({ cursor, pending: pendingOf(actor, sent) });
    expect(outcomes.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(remarks).toBeUndefined();
    expect(proxy.methods).toContain('eth_getBlockReceipts');
  },
);

test.each<[string, (receipt: Members) => unknown, RegExp]>([
  [
    'without status',
    withoutStatus,
    /receipt's status\. The node's values: root: "0xabab.*blockNumber: "0x1"/,
  ],
  ['with a status that is neither 0 nor 1', (one) => ({ ...one, status: '0x5' }), /status: "0x5"/],
  ['whose gas is null', (one) => ({ ...one, gasUsed: null }), /receipt's gas.*gasUsed: null/],
  [
    'of a block that the chain does not have',
    (one) => ({ ...one, blockHash: `0x${'fe'.repeat(32)}` }),
    /receipt of block \d+ with the hash 0xfe/,
  ],
  ['of block 0', (one) => ({ ...one, blockNumber: '0x0' }), /receipt of block 0 with the hash 0x/],
])(
  'a receipt %s keeps only its own action pending, and the reason contains the node’s values',
  async (_, change, words) => {
    const actor = await enter();
    const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const sent = await sendThree(actor);
    const [, odd] = sent;
    await mine();
    proxy.setFault(misbehaving(receiptsOf(({ transactionHash }) => transactionHash === odd?.txId, change)));
    const pending = pendingOf(actor, sent);
    const first = await actor.session.confirm({ cursor, pending });
    expect(first.outcomes.map(({ txId }) => txId)).toEqual([sent[0]?.txId, sent[2]?.txId]);
    const remark: Remark = { txId: odd?.txId ?? '', detail: expect.stringMatching(words) };
    expect(first.remarks).toEqual([remark]);
    for (const { txId } of first.outcomes) pending.delete(txId);

    // The remark stays long after the block was dropped from the cache, and when all receipts are requested at once, as
    // after a restart.
    let last = first;
    for (const blocks of [1, 20, 100, 20]) {
      await mine(blocks);
      last = await actor.session.confirm({ cursor: last.cursor, pending });
      expect(last).toMatchObject({ outcomes: [], remarks: [remark] });
    }
    const restarted = await enter();
    expect(await restarted.session.confirm({ cursor: last.cursor, pending })).toMatchObject({
      outcomes: [],
      remarks: [remark],
    });

    proxy.setFault(undefined);
    let healed = await actor.session.confirm({ cursor: last.cursor, pending });
    for (let looks = 0; looks < 4 && healed.outcomes.length === 0; looks += 1) {
      await mine(20);
      healed = await actor.session.confirm({ cursor: healed.cursor, pending });
    }
    expect(healed.outcomes).toMatchObject([{ txId: odd?.txId, status: 'succeeded' }]);
    expect(healed.remarks).toBeUndefined();
  },
);

test.each<[string, Misbehaviour, number[]]>([
  ['the receipt is read from its block', {}, [1, 2, 0]],
  [
    'if the node also refuses the block’s receipts, only this action is delayed, with the node’s message',
    { eth_getBlockReceipts: () => Promise.resolve({ error: { code: -32_601, message: 'not found' } }) },
    [1, 2],
  ],
])('if a node refuses to return a receipt, %s', async (_, blocks, found) => {
  const actor = await enter();
  const sent = await sendThree(actor);
  await mine();
  const [odd] = sent;
  const message = 'transaction indexing is in progress';
  proxy.setFault(
    misbehaving({
      ...blocks,
      eth_getTransactionReceipt: (call, ask) =>
        call.params[0] === odd?.txId ? Promise.resolve({ error: { code: -32_000, message } }) : ask(call),
    }),
  );
  const pending = pendingOf(actor, sent);
  const { outcomes, remarks } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes.map(({ txId }) => txId)).toEqual(found.map((index) => sent[index]?.txId));
  if (found.length < 3)
    expect(remarks).toEqual([{ txId: odd?.txId, detail: expect.stringContaining(`${message} (-32000)`) }]);
});

test('a receipt of the wrong transaction delays only the affected action, and the reason contains the node’s values', async () => {
  const actor = await enter();
  const sent = await sendThree(actor);
  await mine();
  const [odd] = sent;
  const change = (one: Members) => ({ ...one, transactionHash: `0x${'fe'.repeat(32)}` });
  proxy.setFault(misbehaving(receiptsOf(({ transactionHash }) => transactionHash === odd?.txId, change)));
  const { outcomes, remarks } = await actor.session.confirm({
    cursor: null,
    pending: pendingOf(actor, sent),
  });
  expect(outcomes.map(({ txId }) => txId)).toEqual([sent[1]?.txId, sent[2]?.txId]);
  expect(remarks).toEqual([{ txId: odd?.txId, detail: expect.stringContaining('transactionHash: "0xfefe') }]);
});

test.each([0, 1, 100])(
  'if a node returns a receipt without a status, reads it from another node, also %d blocks later',
  async (later) => {
    const actor = await enter(0, [proxy.url, shared().url]);
    let { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const sent = await sendThree(actor);
    await mine();
    proxy.setFault(misbehaving(receiptsOf(() => true, withoutStatus)));
    await mine(later);
    if (later === 1) ({ cursor } = await actor.session.confirm({ cursor, pending: new Map() }));
    const { outcomes, remarks } = await actor.session.confirm({ cursor, pending: pendingOf(actor, sent) });
    expect(outcomes.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(remarks).toBeUndefined();
  },
);

test.each([`0x${'00'.repeat(20)}`, '0x', ''])(
  'unknown fee fields, and %o as the contract address, do not change the outcome',
  async (contractAddress) => {
    const actor = await enter();
    const sent = await sendThree(actor);
    await mine();
    const change = (receipt: Members) => ({
      ...receipt,
      l1Fee: '12',
      effectiveGasPrice: '0x',
      contractAddress,
    });
    proxy.setFault(misbehaving(receiptsOf(() => true, change)));
    const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, sent) });
    expect(outcomes).toHaveLength(3);
    for (const outcome of outcomes) {
      expect(outcome.status).toBe('succeeded');
      expect(outcome).not.toHaveProperty('fee');
      expect(outcome).not.toHaveProperty('contractAddress');
    }
  },
);

test('the error for a receipt without a status quotes the node, and the node stays in use', async () => {
  const actor = await enter();
  const [main] = await sendThree(actor);
  await mine();
  proxy.setFault(misbehaving(receiptsOf(() => true, withoutStatus)));
  await expect(actor.session.lookup(main?.txId ?? '')).rejects.toMatchObject({
    message: expect.stringContaining('root: "0xabab'),
  });
  expect(actor.log).toEqual([]);
});

test('malformed ids, or whole transactions instead of ids, in a block do not delay confirmations', async () => {
  const actor = await enter();
  const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  const [main] = await sendThree(actor);
  await mine();
  proxy.setFault(
    misbehaving({
      async eth_getBlockByNumber(call, ask) {
        const answer = await ask(call);
        if (!('result' in answer) || answer.result === null) return answer;
        const { transactions, ...block } = Object(answer.result);
        const whole = [null, 5, {}, ...transactions.map((hash: string) => ({ hash }))];
        return { ...answer, result: { ...block, transactions: whole } };
      },
    }),
  );
  const { outcomes } = await actor.session.confirm({ cursor, pending: pendingOf(actor, main ? [main] : []) });
  expect(outcomes).toMatchObject([{ txId: main?.txId, status: 'succeeded' }]);
});

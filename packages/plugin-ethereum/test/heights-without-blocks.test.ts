// On Filecoin some heights have no block. Lotus returns an error for them, earlier versions null
// (filecoin-project/lotus#12633), Forest the previous block (ChainSafe/forest#7276).
import { misbehaving, type NodeAnswer, type ProxiedCall } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import { keyOf, ledgerOf, openSession, sign, type TestSession, transfer } from './stage.ts';

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
const hex = (value: number) => `0x${value.toString(16)}`;
/** Returns a chain in which two of five heights have no block. */
const shown = (real: number) => 5 * Math.floor(real / 3) + (real % 3);
const real = (height: number) => (height % 5 < 3 ? 3 * Math.floor(height / 5) + (height % 5) : undefined);

type Ask = (call: ProxiedCall) => Promise<NodeAnswer>;

const withHeight = (answer: NodeAnswer, member: string): NodeAnswer => {
  if (!('result' in answer) || answer.result === null) return answer;
  const members = Object(answer.result);
  return { result: { ...members, [member]: hex(shown(Number(members[member]))) } };
};

function withGaps(answerOf: (height: number, before: () => Promise<NodeAnswer>) => Promise<NodeAnswer>) {
  const block = async (call: ProxiedCall, ask: Ask): Promise<NodeAnswer> => {
    const [given] = call.params;
    const asked = given === 'latest' ? given : real(Number(given));
    if (asked === undefined)
      return answerOf(Number(given), () => block({ ...call, params: [hex(Number(given) - 1), false] }, ask));
    return withHeight(
      await ask({ ...call, params: [typeof asked === 'number' ? hex(asked) : asked, false] }),
      'number',
    );
  };
  return misbehaving({
    eth_getBlockByNumber: block,
    eth_getBlockReceipts: async () => ({ error: { code: -32_601, message: 'Method not found' } }),
    eth_getTransactionReceipt: async (call, ask) => withHeight(await ask(call), 'blockNumber'),
  });
}

test.each<[string, Parameters<typeof withGaps>[0]]>([
  [
    'an error',
    async (height) => ({ error: { code: 12, message: `requested epoch was a null round (${height})` } }),
  ],
  ['null', async () => ({ result: null })],
  ['the block before', async (_, before) => before()],
])('skips a height without a block if the node answers with %s', async (_, answerOf) => {
  proxy.setFault(withGaps(answerOf));
  const actor = await openSession(ledgerOf([proxy.url]), keyOf(shared()));
  open.push(actor);
  const { session, wallet, log } = actor;
  let { cursor } = await session.confirm({ cursor: null, pending: new Map() });
  for (let nonce = 0n; nonce < 12n; nonce += 1n) {
    const { main } = await sign(actor, transfer(other), nonce);
    await session.submit([main]);
    await shared().rpc('anvil_mine', ['0x1', '0x1']);
    const pending = new Map([[main.txId, { address: wallet.address, sequence: nonce }]]);
    const confirmed = await session.confirm({ cursor, pending });
    expect(confirmed.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
    ({ cursor } = confirmed);
  }
  expect(log).toEqual([]);
});

test('skips a height without a block if outcomes require several confirmations', async () => {
  proxy.setFault(
    withGaps(async (height) => ({
      error: { code: 12, message: `requested epoch was a null round (${height})` },
    })),
  );
  const actor = await openSession(ledgerOf([proxy.url], { confirmations: 3 }), keyOf(shared()));
  open.push(actor);
  const { main, pending } = await sign(actor, transfer(other));
  await actor.session.submit([main]);
  for (let blocks = 0; blocks < 8; blocks += 1) {
    await shared().rpc('anvil_mine', ['0x1', '0x1']);
    // The first call of a session requests receipts directly.
    const first = await openSession(ledgerOf([proxy.url], { confirmations: 3 }), keyOf(shared()));
    open.push(first);
    await first.session.confirm({ cursor: null, pending });
    expect(first.log).toEqual([]);
  }
  const { outcomes } = await actor.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
});

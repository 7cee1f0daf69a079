import { Address, Transaction } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { expect, onTestFinished, test } from 'vitest';
import { createTestSigner } from '../conformance/test-signer.ts';
import {
  createUtxoLedger,
  decodeUtxoTransaction,
  type UtxoLedger,
  UtxoNode,
  type UtxoTransaction,
  utxoAddressOf,
} from './index.ts';

const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(7));
const { privateKey } = signer;
const stranger = createTestSigner('secp256k1', new Uint8Array(32).fill(8));
const million = 1_000_000n;

/** A ledger on which the signer has one coin of a million satoshi. */
function open(): { ledger: UtxoLedger; own: string; other: string; coin: string } {
  const ledger = createUtxoLedger();
  const own = utxoAddressOf(signer.publicKey, ledger.network);
  const coin = ledger.fund(own, million);
  ledger.mine();
  return { ledger, own, other: utxoAddressOf(stranger.publicKey, ledger.network), coin };
}

const spend = (ledger: UtxoLedger, coin: string, recipient: string, fee = 1_000n): UtxoTransaction =>
  ledger.signOutside({ privateKey, coins: [coin], recipient, fee });

test('a signed transaction moves a coin in the next block', () => {
  const { ledger, own, other, coin } = open();
  const { bytes, txId } = spend(ledger, coin, other);
  expect(ledger.submit(bytes)).toMatchObject({ status: 'accepted', txId });
  expect(ledger.submit(bytes)).toMatchObject({ status: 'known', txId });
  expect(ledger.balanceOf(own)).toBe(million);
  ledger.mine();
  expect([ledger.balanceOf(own), ledger.balanceOf(other)]).toEqual([0n, million - 1_000n]);
  expect(ledger.spenderOf(coin)).toBe(txId);
  expect(ledger.submit(bytes).refusal).toMatchObject({ code: -27 });
});

test('a transaction that is signed with another key, or changed after signing, is refused', () => {
  const { ledger, other, coin } = open();
  const signed = ledger.signOutside({ privateKey: stranger.privateKey, coins: [coin], recipient: other });
  expect(ledger.submit(signed.bytes).refusal?.message).toMatch(/^mandatory-script-verify-flag-failed/);
  const changed = spend(ledger, coin, other).bytes.map((byte, at) => (at === 50 ? byte ^ 1 : byte));
  expect(decodeUtxoTransaction(changed)).toBeDefined();
  expect(ledger.submit(changed).refusal?.message).toMatch(/^mandatory-script-verify-flag-failed/);
  expect(ledger.submit(Uint8Array.of(1, 2)).refusal).toEqual({ code: -22, message: 'TX decode failed' });
});

test('for a coin of an address without SegWit, the transaction id covers the signature in the script', () => {
  const { ledger, own, other } = open();
  const script = { type: 'pkh' as const, hash: hash160(signer.publicKey) };
  const legacy = Address(ledger.network).encode(script);
  const coins = [ledger.fund(legacy, million), ledger.fund(own, million)];
  ledger.mine();
  const [coin = ''] = coins;
  const foreign = ledger.signOutside({ privateKey: stranger.privateKey, coins: [coin], recipient: other });
  expect(ledger.submit(foreign.bytes).refusal?.message).toMatch(/^mandatory-script-verify-flag-failed/);
  // The same transaction, signed with the Bitcoin library for comparison.
  const [txid = ''] = coin.split(':');
  const input = {
    txid,
    index: 0,
    nonWitnessUtxo: ledger.transaction(txid)?.transaction.bytes ?? new Uint8Array(),
  };
  const signed = new Transaction();
  signed.addInput(input);
  signed.addOutputAddress(other, million - 1_000n, ledger.network);
  signed.sign(privateKey);
  signed.finalize();
  const bytes = signed.extract();
  const changed = bytes.map((byte, at) => (at === bytes.length - 10 ? byte ^ 1 : byte));
  expect(ledger.submit(changed).refusal?.message).toMatch(/^mandatory-script-verify-flag-failed/);
  expect(ledger.submit(bytes)).toMatchObject({ status: 'accepted', txId: signed.id });
  const mixed = ledger.signOutside({ privateKey, coins, recipient: other, fee: 5_000n });
  expect(mixed.inputs.map(({ witness }) => witness.length)).toEqual([0, 2]);
  ledger.forgetPool();
  expect(ledger.submit(mixed.bytes)).toMatchObject({ status: 'accepted' });
  ledger.mine();
  expect([ledger.balanceOf(legacy), ledger.balanceOf(other)]).toEqual([0n, 2n * million - 5_000n]);
});

test('dust, a fee below the floor, and unknown coins are refused', () => {
  const { ledger, own, other, coin } = open();
  expect(ledger.submit(spend(ledger, coin, other, million - 293n).bytes).refusal?.message).toBe('dust');
  expect(ledger.submit(spend(ledger, coin, other, 100n).bytes).refusal?.message).toBe(
    'min relay fee not met',
  );
  ledger.feeFloor = 20n;
  expect(ledger.submit(spend(ledger, coin, other, 1_000n).bytes).refusal?.message).toBe(
    'mempool min fee not met',
  );
  const parent = spend(ledger, coin, own, 10_000n);
  ledger.submit(parent.bytes);
  const child = spend(ledger, `${parent.txId}:0`, other, 10_000n);
  ledger.forgetPool();
  expect(ledger.submit(child.bytes).refusal).toEqual({
    code: -25,
    message: 'bad-txns-inputs-missingorspent',
  });
});

test('a replacement must pay the fees of all transactions that it evicts, and its own fee', () => {
  const { ledger, own, other, coin } = open();
  const parent = spend(ledger, coin, own, 1_000n);
  ledger.submit(parent.bytes);
  const child = spend(ledger, `${parent.txId}:0`, other, 5_000n);
  expect(ledger.submit(child.bytes).status).toBe('accepted');
  const low = ledger.submit(spend(ledger, coin, other, 6_000n).bytes);
  expect(low.refusal?.message).toMatch(/^insufficient fee, rejecting replacement/);
  const high = spend(ledger, coin, other, 6_200n);
  expect(ledger.submit(high.bytes).status).toBe('accepted');
  expect(ledger.pool.map(({ transaction }) => transaction.txId)).toEqual([high.txId]);
});

test('refuses a transaction that would extend a chain of 25 unconfirmed transactions', () => {
  const { ledger, own, coin } = open();
  let last = coin;
  const statuses = Array.from({ length: 26 }, () => {
    const { bytes, txId } = spend(ledger, last, own);
    const { status } = ledger.submit(bytes);
    if (status === 'accepted') last = `${txId}:0`;
    return status;
  });
  expect(statuses.filter((status) => status === 'accepted')).toHaveLength(25);
  ledger.mine();
  expect(ledger.pool).toEqual([]);
  expect(ledger.coin(last)?.amount).toBe(million - 25_000n);
});

test('miners include only transactions that pay their fee rate, and raising the fee floor evicts cheaper transactions', () => {
  const { ledger, other, coin } = open();
  ledger.submit(spend(ledger, coin, other, 300n).bytes);
  ledger.feeRate = 5n;
  ledger.mine();
  expect(ledger.pool).toHaveLength(1);
  ledger.feeFloor = 5n;
  expect(ledger.pool).toEqual([]);
});

test('a reorg returns transactions to the mempool or drops them, and keeps coins that a test has created', () => {
  const { ledger, own, other, coin } = open();
  const { bytes, txId } = spend(ledger, coin, other);
  ledger.submit(bytes);
  ledger.mine(2);
  const { hash } = ledger.head;
  ledger.reorganise(3);
  expect(ledger.pool).toEqual([]);
  ledger.mine();
  expect(ledger.coin(coin)?.amount).toBe(million);
  ledger.submit(bytes);
  ledger.mine();
  ledger.reorganise(1);
  expect(ledger.pool.map(({ transaction }) => transaction.txId)).toEqual([txId]);
  ledger.reorganise(0, 'vanish');
  ledger.mine();
  ledger.reorganise(1, 'vanish');
  ledger.mine(3);
  expect([ledger.pool, ledger.balanceOf(own), ledger.balanceOf(other)]).toEqual([[], million, 0n]);
  expect(ledger.head.hash).not.toBe(hash);
});

test('a transaction passed to include() is confirmed even if the mempool has a replacement', () => {
  const { ledger, other, coin } = open();
  const [first, second] = [spend(ledger, coin, other, 1_000n), spend(ledger, coin, other, 2_000n)];
  ledger.submit(first.bytes);
  ledger.submit(second.bytes);
  ledger.include(first.bytes);
  ledger.mine();
  expect(ledger.transaction(first.txId)?.block?.height).toBe(2);
  expect(ledger.transaction(second.txId)).toBeUndefined();
  ledger.reorganise(1);
  ledger.include(second.bytes);
  ledger.mine();
  expect(ledger.spenderOf(coin)).toBe(second.txId);
});

test('a node serves the ledger in the format of Bitcoin Core', async () => {
  const { ledger, own, other, coin } = open();
  const node = await UtxoNode.start(ledger);
  onTestFinished(() => node.close());
  const call = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ id: 1, method, params });
    const { result, error } = JSON.parse(await (await fetch(node.url, { method: 'POST', body })).text());
    return error === null ? result : error;
  };
  const [txid, vout] = [coin.split(':')[0], 0];
  expect(await call('scantxoutset', 'start', [`addr(${own})`])).toMatchObject({
    unspents: [{ txid, vout, amount: 0.01, height: 1 }],
    total_amount: 0.01,
  });
  const { bytes, txId } = spend(ledger, coin, other);
  expect(await call('sendrawtransaction', Buffer.from(bytes).toString('hex'))).toBe(txId);
  expect(await call('gettxspendingprevout', [{ txid, vout }])).toEqual([{ txid, vout, spendingtxid: txId }]);
  expect([await call('gettxout', txid, vout), await call('gettxout', txid, vout, false)]).toMatchObject([
    null,
    { value: 0.01, confirmations: 1, scriptPubKey: { address: own } },
  ]);
  expect(await call('getmempoolentry', txId)).toMatchObject({
    ancestorcount: 1,
    fees: { base: 0.000_01, descendant: 0.000_01 },
  });
  ledger.mine();
  expect(await call('getblock', await call('getblockhash', 2), 2)).toMatchObject({
    height: 2,
    tx: [{ txid: txId, vin: [{ txid, vout }], vout: [{ n: 0, value: 0.009_99 }] }],
  });
  expect(await call('getrawtransaction', txId, true)).toMatchObject({ confirmations: 1, txid: txId });
  expect(await call('getmempoolentry', txId)).toEqual({ code: -5, message: 'Transaction not in mempool' });
  expect(await call('getnewaddress')).toEqual({ code: -32_601, message: 'Method not found' });
  await call('generatetoaddress', 2, other);
  expect(await call('getblockcount')).toBe(4);
  await call('invalidateblock', await call('getblockhash', 3));
  expect(await call('getblockcount')).toBe(2);
  node.goDown();
  await expect(call('getblockcount')).rejects.toThrow('fetch failed');
});

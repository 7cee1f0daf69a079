import { z } from 'zod';
import type { UtxoBlock, UtxoLedger } from './ledger.ts';
import { type Coin, coinId, fromHex, toHex, type UtxoTransaction } from './transaction.ts';

/** An error of a method, with the code of Bitcoin Core. */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (ledger: UtxoLedger, params: readonly unknown[]) => unknown;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0).max(100_000);
/** Bytes in a block's header. */
const headerSize = 80;

const toBitcoin = (satoshi: bigint): number => Number(satoshi) / 1e8;
/** Bitcoin per 1,000 virtual bytes. */
const rateInBitcoin = (rate: bigint): number => toBitcoin(rate * 1_000n);

const required = <Value>(found: Value | undefined, code: number, message: string): Value => {
  if (found === undefined) throw new MethodError(code, message);
  return found;
};

/**
 * The RPC methods of Bitcoin Core that the server supports, by name. Results omit members that only describe
 * other members, such as disassembled scripts.
 */
export const utxoMethods: Readonly<Record<string, Method>> = {
  getblockcount: ({ head }) => head.height,
  getbestblockhash: ({ head }) => head.hash,
  getblockhash: ({ blocks }, [height]) =>
    required(blocks[count.parse(height)]?.hash, -8, 'Block height out of range'),
  getblockheader: (ledger, [id]) => headerOf(ledger, blockOf(ledger, id)),
  getblock: (ledger, [id, verbosity = 1]) => {
    const block = blockOf(ledger, id);
    const transactions = block.transactions.map((one) => (verbosity === 2 ? transactionOf(one) : one.txId));
    return { ...headerOf(ledger, block), tx: transactions };
  },
  getblockchaininfo: ({ head, blocks }) => ({
    chain: 'regtest',
    blocks: head.height,
    headers: head.height,
    bestblockhash: head.hash,
    initialblockdownload: false,
    genesis: blocks[0]?.hash,
  }),
  getrawtransaction: (ledger, [id, verbose]) => {
    const found = required(
      ledger.transaction(hash.parse(id)),
      -5,
      'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
    );
    if (verbose !== true && verbose !== 1) return toHex(found.transaction.bytes);
    const described = transactionOf(found.transaction);
    if (found.block === undefined) return described;
    const { hash: blockhash, height, time } = found.block;
    const confirmations = ledger.head.height - height + 1;
    return { ...described, blockhash, confirmations, time, blocktime: time };
  },
  sendrawtransaction: (ledger, [hex]) => {
    const { txId, refusal } = ledger.submit(fromHex(z.string().max(800_000).parse(hex)));
    if (refusal !== undefined) throw new MethodError(refusal.code, refusal.message);
    return txId;
  },
  gettxout: (ledger, [id, index, includesPool = true]) => {
    const name = coinId(hash.parse(id), count.parse(index));
    const coin = includesPool === false ? ledger.coin(name) : ledger.freeCoin(name);
    return coin === undefined ? null : outputOf(ledger, coin);
  },
  gettxspendingprevout: (ledger, [outputs]) =>
    z
      .array(z.object({ txid: hash, vout: count }))
      .parse(outputs)
      .map(({ txid, vout }) => {
        const spender = ledger.spenderOf(coinId(txid, vout));
        const isWaiting = spender !== undefined && ledger.transaction(spender)?.block === undefined;
        return isWaiting ? { txid, vout, spendingtxid: spender } : { txid, vout };
      }),
  scantxoutset: (ledger, [action, scanned]) => {
    if (action !== 'start') throw new MethodError(-8, 'Only the action start is supported');
    const descriptors = z.array(z.string()).parse(scanned);
    const unspents = descriptors.flatMap((one) => ledger.coinsOf(/^addr\((\w+)\)$/.exec(one)?.[1] ?? ''));
    return {
      success: true,
      height: ledger.head.height,
      bestblock: ledger.head.hash,
      unspents: unspents.map((coin) => ({
        txid: coin.txId,
        vout: coin.index,
        scriptPubKey: coin.script,
        amount: toBitcoin(coin.amount),
        height: coin.height,
      })),
      total_amount: toBitcoin(unspents.reduce((sum, { amount }) => sum + amount, 0n)),
    };
  },
  estimatesmartfee: ({ feeRate, feeFloor }, [blocks]) =>
    feeRate === 0n
      ? { errors: ['Insufficient data or no feerate found'], blocks: count.parse(blocks) }
      : {
          feerate: Math.max(rateInBitcoin(feeRate), rateInBitcoin(feeFloor)),
          blocks: count.parse(blocks),
        },
  getmempoolinfo: ({ pool, feeFloor }) => ({
    size: pool.length,
    mempoolminfee: rateInBitcoin(feeFloor),
    minrelaytxfee: rateInBitcoin(1n),
    incrementalrelayfee: rateInBitcoin(1n),
  }),
  getrawmempool: ({ pool }) => pool.map(({ transaction }) => transaction.txId),
  getmempoolentry: (ledger, [id]) => {
    const txId = hash.parse(id);
    const entry = ledger.pool.find(({ transaction }) => transaction.txId === txId);
    const relatives = ledger.relativesOf(txId);
    if (entry === undefined || relatives === undefined)
      throw new MethodError(-5, 'Transaction not in mempool');
    const base = toBitcoin(entry.fee);
    return {
      vsize: entry.transaction.vsize,
      ancestorcount: relatives.ancestors,
      descendantcount: relatives.descendants,
      fees: { base, modified: base, descendant: toBitcoin(relatives.descendantFees) },
    };
  },
  generatetoaddress: (ledger, [blocks, address]) => {
    const made: string[] = [];
    const recipient = z.string().parse(address);
    while (made.length < count.parse(blocks)) {
      ledger.fund(recipient, 50n * 10n ** 8n);
      made.push(ledger.mine().hash);
    }
    return made;
  },
  invalidateblock: (ledger, [id]) => {
    const { height } = blockOf(ledger, id);
    ledger.reorganise(ledger.head.height - height + 1);
    return null;
  },
};

function blockOf({ blocks }: UtxoLedger, id: unknown): UtxoBlock {
  const wanted = hash.parse(id);
  return required(
    blocks.findLast((block) => block.hash === wanted),
    -5,
    'Block not found',
  );
}

function headerOf({ head, blocks }: UtxoLedger, { hash, height, time, previous, transactions }: UtxoBlock) {
  const next = blocks[height + 1]?.hash;
  return {
    hash,
    confirmations: head.height - height + 1,
    height,
    time,
    mediantime: time,
    nTx: transactions.length,
    size: transactions.reduce((sum, { bytes }) => sum + bytes.length, headerSize),
    ...(previous === '' ? {} : { previousblockhash: previous }),
    ...(next === undefined ? {} : { nextblockhash: next }),
  };
}

function transactionOf({ txId, bytes, vsize, inputs, outputs }: UtxoTransaction) {
  return {
    txid: txId,
    size: bytes.length,
    vsize,
    vin:
      inputs.length === 0
        ? [{ coinbase: '00', sequence: 0xffffffff }]
        : inputs.map(({ coin, sequence, script, witness }) => {
            const [txid, vout] = coin.split(':');
            const txinwitness = witness.length === 0 ? {} : { txinwitness: witness.map(toHex) };
            return { txid, vout: Number(vout), sequence, scriptSig: { hex: script }, ...txinwitness };
          }),
    vout: outputs.map(({ amount, script, address }, n) => {
      const scriptPubKey = address === undefined ? { hex: script } : { hex: script, address };
      return { value: toBitcoin(amount), n, scriptPubKey };
    }),
    hex: toHex(bytes),
  };
}

function outputOf({ head }: UtxoLedger, { amount, script, address, height }: Coin) {
  return {
    bestblock: head.hash,
    confirmations: height === undefined ? 0 : head.height - height + 1,
    value: toBitcoin(amount),
    scriptPubKey: address === undefined ? { hex: script } : { hex: script, address },
    coinbase: false,
  };
}

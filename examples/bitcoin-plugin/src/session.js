// @ts-check
import { adapterError } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { Blocks } from './blocks.js';
import { Coins, max, select, toSatoshi } from './coins.js';
import { coin, networks } from './networks.js';
import { CallError, Nodes, noneIf } from './node.js';
import { refusalOf } from './refusals.js';
import {
  addressOf,
  assemble,
  claimOf,
  decode,
  digestsOf,
  dustLimit,
  scriptOf,
  sizeOf,
  toHex,
} from './transaction.js';

/**
 * @import { AdapterHost, Inspected, LateTransaction, LedgerConfig, PrepareRequest, Replaced, ReplaceRequest, Session, Submission } from '@ledger-ops/adapter'
 * @import { Network } from './networks.js'
 * @import { Coin, Draft } from './transaction.js'
 */

/**
 * @param {LedgerConfig} ledger
 * @param {AdapterHost} host
 * @returns {Session}
 */
export function openSession(ledger, host) {
  const { properties } = ledger;
  const name = String(properties.network ?? 'mainnet');
  const network = requireNetwork(name);
  const confirmations = Number(properties.confirmations ?? coin.confirmations);
  const highestRate = BigInt(Number(properties.max_fee_rate ?? coin.rates.highest));
  const nodes = new Nodes(ledger, host);
  const coins = new Coins(nodes);
  const blocks = new Blocks(nodes, coins, confirmations);

  /**
   * @param {string} address
   * @param {string} pointer
   */
  function requireScript(address, pointer) {
    const script = scriptOf(address, network);
    if (script === undefined) throw invalid(pointer, `is not an address of ${name}`);
    return script;
  }

  /**
   * @param {string} address
   * @param {string} pointer
   */
  function normalised(address, pointer) {
    const lower = address.toLowerCase();
    const normal = lower.startsWith(`${network.bech32}1`) ? lower : address;
    requireScript(normal, pointer);
    return normal;
  }

  /**
   * Returns the fee rate in satoshi per virtual byte for a transaction that should be confirmed within `fee_target`
   * blocks.
   */
  async function estimateRate() {
    const target = Number(properties.fee_target ?? 6);
    const [estimate, pool] = await Promise.all([
      nodes.ask('estimatesmartfee', target).catch(noneIf('unknown method')),
      nodes.ask('getmempoolinfo'),
    ]);
    const rateOf = (/** @type {number} */ bitcoinPer1000) => (toSatoshi(bitcoinPer1000) + 999n) / 1000n;
    const fallback = BigInt(Number(properties.fallback_fee_rate ?? coin.rates.fallback));
    // Without an estimate, old nodes such as Dogecoin Core 1.14 report -1.
    const estimated = estimate?.feerate > 0 ? rateOf(estimate.feerate) : fallback;
    return max(estimated, rateOf(pool.mempoolminfee ?? 0), coin.relayRate);
  }

  /**
   * Creates the signing requests of a transaction.
   * @param {PrepareRequest | ReplaceRequest} request
   * @param {readonly Coin[]} inputs
   * @param {{ script: string, amount: bigint }[]} outputs
   * @param {bigint} cost
   */
  async function draftOf({ wallet }, inputs, outputs, cost) {
    const publicKey = String(wallet.material?.publicKey);
    /** @type {Draft} */
    const draft = {
      publicKey,
      inputs: inputs.map(({ txId, index, amount }) => ({ txId, index, amount: `${amount}` })),
      outputs: outputs.map(({ script, amount }) => ({ script, amount: `${amount}` })),
      cost: `${cost}`,
      needs: await coins.parentsOf(inputs, publicKey),
    };
    const requests = digestsOf(draft).map((digest) => /** @type {const} */ ({ curve: 'secp256k1', digest }));
    return /** @type {const} */ ({ done: false, requests, state: draft });
  }

  /** @param {PrepareRequest | ReplaceRequest} request */
  function targetOf({ wallet, plan }) {
    const own = requireScript(wallet.address, '/wallet');
    const script = requireScript(String(plan.recipient), '/recipient/resource');
    return { own, script, amount: BigInt(String(plan.amount)), feeRate: BigInt(String(plan.feeRate)) };
  }

  /** @param {PrepareRequest} request */
  async function prepare(request) {
    const { own, script, amount, feeRate } = targetOf(request);
    const { wallet, unsettled = [] } = request;
    const target = { amount, feeRate, scripts: [script, own] };
    const final = await coins.final(wallet.address, unsettled, confirmations);
    let found = select(final, target);
    /** @type {Coin[]} */
    let change = [];
    if (found === undefined) {
      change = await coins.change(wallet.address, own, unsettled);
      found = select([...final, ...change], target);
    }
    if (found === undefined) throw await shortage(wallet.address, amount, [...final, ...change]);
    return draftOf(request, found.coins, payment(script, amount, own, found.change), amount + found.fee);
  }

  /**
   * Returns the error for a transfer that the free coins do not cover: either other coins are in use, or the wallet
   * has too little.
   * @param {string} address
   * @param {bigint} amount
   * @param {readonly Coin[]} free
   */
  async function shortage(address, amount, free) {
    const { coins: all } = await coins.list(address);
    const [total, available] = [sumOf(all), sumOf(free)];
    if (total > amount && total > available) {
      const detail = `The wallet's other coins are in use: ${available} of ${total} satoshi are free. The transfer waits for a block.`;
      return adapterError('unavailable', detail);
    }
    const detail = `The wallet has ${total} satoshi. A transfer of ${amount} satoshi also needs a fee. Fund the wallet or send less.`;
    return adapterError('insufficient-funds', detail);
  }

  /**
   * @param {ReplaceRequest} request
   * @returns {Promise<Replaced>}
   */
  async function replace(request) {
    const { wallet, signed, kind, raise, cap, unsettled = [] } = request;
    const { own, script, amount } = targetOf(request);
    const required = await estimateRate();
    const earlier = await Promise.all(signed.map(({ bytes }) => readSigned(bytes)));
    const highest = max(0n, ...earlier.map(({ fee, size }) => fee / size));
    if (kind === 'bump' && raise === 'if-asked' && required <= highest) return { status: 'enough' };
    const fixed = uniqueCoins(earlier.flatMap(({ inputs }) => inputs));
    const outputs = kind === 'noop' ? [own] : [script, own];
    const size = sizeOf(fixed.length, outputs);
    const feeRate = max(required, highest + coin.increment);
    const leastFee = max(0n, ...earlier.map(({ fee }) => fee)) + coin.increment * size;
    const paid = max(feeRate * size, leastFee);
    if (paid > (cap === undefined || cap > highestRate ? highestRate : cap) * size) {
      const detail = `A replacement needs a fee of ${paid / size} satoshi per virtual byte, which is above the maximum.`;
      return { status: 'wait', problem: { code: 'fee-above-cap', detail } };
    }
    /** @param {bigint} fee */
    const attemptOf = async (
      fee,
      /** @type {readonly Coin[]} */ inputs,
      /** @type {{ script: string, amount: bigint }[]} */ to,
    ) => {
      const cost = kind === 'noop' ? fee : amount + fee;
      return {
        status: /** @type {const} */ ('prepared'),
        attempt: { kind, round: await draftOf(request, inputs, to, cost) },
      };
    };
    if (kind === 'noop') {
      const left = sumOf(fixed) - paid;
      if (left < dustLimit(own)) return tooLittle(paid);
      return attemptOf(paid, fixed, [{ script: own, amount: left }]);
    }
    // Additional coins must be confirmed (BIP 125). They must be final, so that a reorg cannot remove them.
    const final = await coins.final(wallet.address, unsettled, confirmations);
    const found = select(final, { amount, feeRate, leastFee, scripts: outputs, chosen: fixed });
    if (found === undefined) return tooLittle(paid);
    return attemptOf(found.fee, found.coins, payment(script, amount, own, found.change));
  }

  /** @param {Uint8Array} bytes a signed transaction */
  async function readSigned(bytes) {
    const { inputs, outputs, size } = decode(bytes);
    const spent = await Promise.all(inputs.map((coin) => coins.read(coin)));
    return { inputs: spent, size, fee: sumOf(spent) - sumOf(outputs) };
  }

  /**
   * @param {LateTransaction} late
   * @returns {Promise<Inspected>}
   */
  async function inspect({ signed }) {
    const found = await Promise.all(signed.map(({ txId }) => coins.find(txId)));
    return { status: found.some((one) => one !== null) ? 'shown' : 'absent' };
  }

  /** @param {Submission} submission */
  async function submit({ txId, bytes, everyNode }) {
    const hex = toHex(bytes);
    try {
      if (everyNode === true) await nodes.askAny('sendrawtransaction', hex);
      else await nodes.ask('sendrawtransaction', hex);
      return { status: /** @type {const} */ ('accepted') };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if ((await coins.find(txId)) !== null) return { status: /** @type {const} */ ('known') };
      return refusalOf(error);
    }
  }

  return {
    async chain({ everyNode }) {
      const answers = everyNode
        ? await nodes.askAll('getblockhash', 0)
        : [{ status: /** @type {const} */ ('fulfilled'), value: await nodes.ask('getblockhash', 0) }];
      const found = answers.flatMap((one) => (one.status === 'fulfilled' ? [String(one.value)] : []));
      const silent = answers.length - found.length;
      if (found.length === 0 || new Set(found).size > 1)
        throw adapterError('unavailable', 'No node responds, or the nodes have different first blocks.');
      if (found[0] !== network.genesis)
        throw adapterError('wrong-chain', `The node's first block ${found[0]} is not that of ${name}.`);
      const unsure = silent === 0 ? {} : { unsure: `${silent} of ${answers.length} nodes did not answer` };
      return { id: `bip122:${network.genesis.slice(0, 32)}`, genesis: network.genesis, ...unsure };
    },
    head: () => blocks.head(),
    createWallet({ publicKey }) {
      try {
        const material = { publicKey: toHex(publicKey) };
        return { done: true, result: { address: addressOf(publicKey, network), material } };
      } catch {
        throw adapterError('invalid-argument', 'The public key is not a compressed point on secp256k1.');
      }
    },
    normaliseAddress: (address) => normalised(address, '/address'),

    check({ wallet, operation }) {
      if (operation.type !== 'transfer' || operation.data !== undefined)
        throw adapterError('unsupported-operation', 'This ledger supports only transfers without data.');
      const { recipient, amount } = operation;
      const to = normalised(recipient, '/recipient/resource');
      const least = dustLimit(requireScript(to, '/recipient/resource'));
      if (amount < least)
        throw invalid(
          '/amount',
          `must be at least ${least} satoshi, because nodes refuse smaller amounts as dust`,
        );
      if (amount > coin.supply)
        throw invalid('/amount', `must be at most ${coin.supply} satoshi, which is the total supply`);
      return {
        plan: { recipient: to, amount: `${amount}`, feeRate: '0' },
        recipients: to === wallet.address ? [] : [to],
        cost: amount,
      };
    },
    async estimate({ wallet, plan }) {
      const feeRate = await estimateRate();
      if (feeRate > highestRate) {
        const detail = `The network requires ${feeRate} satoshi per virtual byte, but max_fee_rate is ${highestRate}.`;
        return { status: 'wait', problem: { code: 'fee-above-cap', detail } };
      }
      const next = { ...plan, feeRate: `${feeRate}` };
      const { own, script, amount } = targetOf({ actionId: '', wallet, plan: next });
      return { status: 'ready', plan: next, cost: amount + feeRate * sizeOf(1, [script, own]) };
    },
    prepare,
    advance({ state, signatures }) {
      // The host returns the state from `prepare` unchanged.
      const draft = /** @type {Draft} */ (state);
      const { cost, needs, inputs } = draft;
      if (signatures.length !== inputs.length || signatures.some(({ length }) => length !== 65))
        throw adapterError('invalid-argument', 'Each input needs one signature of 65 bytes.');
      const claims = inputs.map(claimOf);
      return {
        done: true,
        result: {
          ...assemble(draft, signatures),
          cost: BigInt(cost),
          claims,
          ...(needs.length > 0 && { needs }),
        },
      };
    },
    submit,
    confirm: (request) => blocks.confirm(request),
    replace,
    inspect,
    balances: async (address) => sumOf((await coins.list(address)).coins),
    lookup: (txId) => blocks.lookUp(txId),
    close: () => nodes.close(),
    toAdapterError(error) {
      if (error instanceof NodeError) return error.toAdapterError();
      if (error instanceof CallError)
        return adapterError('unavailable', `The node refused a call: ${error.message} (${error.code}).`);
      return undefined;
    },
  };
}

/**
 * Outputs of a transfer.
 * @param {string} script
 * @param {bigint} amount
 * @param {string} own
 * @param {bigint} change
 */
function payment(script, amount, own, change) {
  return [{ script, amount }, ...(change === 0n ? [] : [{ script: own, amount: change }])];
}

/**
 * @param {bigint} fee
 * @returns {Replaced}
 */
function tooLittle(fee) {
  const detail = `The coins of the transaction, and the wallet's other coins, do not pay a fee of ${fee} satoshi. Fund the wallet.`;
  return { status: 'wait', problem: { code: 'insufficient-funds', detail } };
}

/**
 * @param {string} pointer
 * @param {string} detail
 */
function invalid(pointer, detail) {
  return adapterError('invalid-argument', `${pointer} ${detail}.`, { issues: [{ pointer, detail }] });
}

/** @param {readonly { amount: bigint }[]} all */
const sumOf = (all) => all.reduce((sum, { amount }) => sum + amount, 0n);

/** @param {readonly Coin[]} all */
const uniqueCoins = (all) => [...new Map(all.map((coin) => [claimOf(coin), coin])).values()];

/**
 * @param {string} name
 * @returns {Network}
 */
function requireNetwork(name) {
  const network = networks[name];
  if (network !== undefined) return network;
  throw adapterError(
    'invalid-argument',
    `There is no network ${name}. Choose one of: ${Object.keys(networks).join(', ')}.`,
  );
}

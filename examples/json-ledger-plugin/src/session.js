// @ts-check
import { adapterError, nonceClaim } from '@ledger-ops/adapter';
import { accountOf, find, mine, read, submit } from './ledger.js';
import { decode, digestOf, encode, idOf, normalAddress } from './transaction.js';

/**
 * @import { LedgerConfig, Outcome, Session } from '@ledger-ops/adapter'
 * @import { Block } from './ledger.js'
 * @import { Transfer } from './transaction.js'
 */

/**
 * A session has no state: every call reads the ledger again.
 * @param {LedgerConfig} ledger
 * @returns {Session}
 */
export function openSession({ properties, nodes }) {
  const file = decodeURIComponent(new URL(nodes[0]?.uri ?? 'file:///nowhere').pathname);
  const confirmations = Number(properties.confirmations ?? 1);

  return {
    chain() {
      const { chain, blocks } = read(file);
      return { id: `jsonfile:${chain}`, genesis: blocks[0]?.hash ?? '' };
    },
    head() {
      const { height, hash } = last(read(file).blocks);
      return { height, hash };
    },
    createWallet({ publicKey }) {
      const address = requireAddress(Buffer.from(publicKey).toString('hex'), '/publicKey');
      return { done: true, result: { address } };
    },
    normaliseAddress: (address) => requireAddress(address, '/address'),

    check({ wallet, operation }) {
      if (operation.type !== 'transfer' || operation.data !== undefined) {
        throw adapterError('unsupported-operation', 'This ledger supports only transfers.');
      }
      const { chain } = read(file);
      const to = requireAddress(operation.recipient, '/recipient/resource');
      // Quantities in content are decimal strings.
      const { from, chainId, nonce } = operation.native.content;
      if (from !== undefined && normalAddress(String(from)) !== wallet.address) {
        throw adapterError(
          'wrong-sender',
          `meta names the sender ${from}, but the wallet is ${wallet.address}.`,
        );
      }
      if (chainId !== undefined && `${chainId}` !== chain) {
        throw adapterError('wrong-chain', `meta names the chain ${chainId}, but the ledger is ${chain}.`);
      }
      if (operation.amount >= 1n << 256n) throw invalid('/amount', 'must be below 2^256');
      return {
        plan: { chain, to, amount: operation.amount.toString() },
        recipients: [to],
        cost: operation.amount,
        ...(nonce === undefined ? {} : { sequence: BigInt(String(nonce)) }),
      };
    },

    prepare({ wallet, plan, sequence = 0n }) {
      /** @type {Transfer} */
      const state = {
        chain: String(plan.chain),
        from: wallet.address,
        to: String(plan.to),
        amount: String(plan.amount),
        sequence: `${sequence}`,
      };
      return { done: false, requests: [{ curve: 'p256', digest: digestOf(state) }], state };
    },
    advance({ state, signatures: [signature = new Uint8Array()] }) {
      // The host returns the state from `prepare` unchanged.
      const transfer = /** @type {Transfer} */ (state);
      const bytes = encode(transfer, signature);
      return { done: true, result: { txId: idOf(bytes), bytes, cost: BigInt(transfer.amount) } };
    },

    submit({ txId, bytes }) {
      const status = submit(file, bytes);
      if (status === 'refused') {
        const why =
          decode(bytes) === undefined
            ? 'The bytes are not a signed transfer.'
            : 'The sequence was already used.';
        throw adapterError('refused', why, { txId });
      }
      if (properties.auto_mine !== false && status === 'accepted') mine(file);
      return { status };
    },
    confirm({ cursor, pending }) {
      const { blocks } = read(file);
      const deep = blocks.slice(0, Math.max(1, blocks.length - (confirmations - 1)));
      const [tip, head] = [last(deep), last(blocks)];
      return {
        cursor: { height: tip.height, hash: tip.hash },
        head: { height: head.height, hash: head.hash },
        outcomes: [...pending].flatMap(([txId, { address, sequence }]) =>
          outcomeOf(deep, txId, address, `${sequence}`),
        ),
        reorganised: cursor !== null && blocks[cursor.height]?.hash !== cursor.hash,
      };
    },

    sequences(addresses) {
      const state = read(file);
      return addresses.map((one) => BigInt(accountOf(state, requireAddress(one, '/address')).sequence));
    },
    balances: (address) => BigInt(accountOf(read(file), requireAddress(address, '/address')).balance),
    lookup(txId) {
      const { blocks } = read(file);
      const found = find(blocks, txId);
      if (found === undefined) return null;
      const { height, hash: blockHash } = found.block;
      const at = { txId, height, blockHash };
      if (blocks.length - height < confirmations) return { ...at, status: 'PENDING' };
      const { failure } = found.executed;
      if (failure === undefined) return { ...at, status: 'SUCCEEDED', fee: 0n };
      return { ...at, status: 'FAILED', problem: failed(failure, txId), fee: 0n };
    },

    /** All other errors come from reading the file. */
    toAdapterError: (cause) =>
      adapterError('unavailable', 'The ledger file cannot be read. Try again.', { cause }),
  };
}

/**
 * @param {string} address
 * @param {string} pointer
 */
function requireAddress(address, pointer) {
  const normal = normalAddress(address);
  if (normal !== undefined) return normal;
  throw invalid(pointer, 'must be a compressed P-256 point in hex, 66 digits');
}

/**
 * @param {string} pointer
 * @param {string} detail
 */
function invalid(pointer, detail) {
  return adapterError('invalid-argument', `${pointer} ${detail}.`, { issues: [{ pointer, detail }] });
}

/**
 * @param {string} failure
 * @param {string} txId
 */
const failed = (failure, txId) =>
  adapterError('reverted', `The transfer failed: ${failure}.`, { txId }).problem;

/** @param {Block[]} blocks */
function last(blocks) {
  const block = blocks.at(-1);
  if (block === undefined) throw new RangeError('The ledger has no blocks yet.');
  return block;
}

/**
 * Outcomes from blocks with enough confirmations.
 * @param {Block[]} blocks
 * @param {string} txId
 * @param {string} address
 * @param {string} sequence
 * @returns {Outcome[]}
 */
function outcomeOf(blocks, txId, address, sequence) {
  const found = find(blocks, txId);
  const { height, hash: blockHash } = found?.block ?? last(blocks);
  const at = { txId, height, blockHash };
  if (found === undefined) {
    const isTaken = blocks.some(({ transactions }) =>
      transactions.some((one) => one.from === address && one.sequence === sequence),
    );
    return isTaken ? [{ ...at, status: 'superseded', claim: nonceClaim(BigInt(sequence)) }] : [];
  }
  const { failure } = found.executed;
  return failure === undefined
    ? [{ ...at, status: 'succeeded', fee: 0n }]
    : [{ ...at, status: 'failed', problem: failed(failure, txId), fee: 0n }];
}

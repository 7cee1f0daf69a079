// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { decode, idOf } from './transaction.js';

/**
 * The ledger, which a real plugin would reach over the network: one JSON file with accounts, blocks, and a pool of
 * pending transactions. Only one process may write it.
 *
 * @typedef {{ txId: string, from: string, sequence: string, failure?: string }} Executed
 * @typedef {{ height: number, hash: string, transactions: Executed[] }} Block
 * @typedef {{ balance: string, sequence: string }} Account
 * @typedef {{ chain: string, accounts: Record<string, Account>, blocks: Block[], pool: string[] }} State
 */

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/**
 * Creates a ledger with these balances.
 * @param {string} file
 * @param {Record<string, bigint>} balances by address
 */
export function createLedger(file, balances = {}) {
  const accounts = Object.fromEntries(
    Object.entries(balances).map(([address, balance]) => [address, { balance: `${balance}`, sequence: '0' }]),
  );
  const genesis = { height: 0, hash: sha256(`genesis of ${file}`), transactions: [] };
  write(file, { chain: '4711', accounts, blocks: [genesis], pool: [] });
}

/**
 * @param {string} file
 * @returns {State}
 */
export function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} file
 * @param {State} state
 */
function write(file, state) {
  // The rename is atomic: if the process is killed, the file is either the old or the new one.
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

/**
 * @param {State} state
 * @param {string} address
 * @returns {Account}
 */
export function accountOf(state, address) {
  return state.accounts[address] ?? { balance: '0', sequence: '0' };
}

/**
 * Adds an amount to an account's balance.
 * @param {string} file
 * @param {string} address
 * @param {bigint} amount
 */
export function fund(file, address, amount) {
  const state = read(file);
  const { balance, sequence } = accountOf(state, address);
  state.accounts[address] = { balance: `${BigInt(balance) + amount}`, sequence };
  write(file, state);
}

/**
 * Adds a transaction to the pool.
 * @param {string} file
 * @param {Uint8Array} bytes
 * @returns {'accepted' | 'known' | 'refused'}
 */
export function submit(file, bytes) {
  const state = read(file);
  const transfer = decode(bytes);
  if (transfer === undefined || transfer.chain !== state.chain) return 'refused';
  const text = Buffer.from(bytes).toString('base64');
  if (state.pool.includes(text) || find(state.blocks, idOf(bytes)) !== undefined) return 'known';
  if (BigInt(transfer.sequence) < BigInt(accountOf(state, transfer.from).sequence)) return 'refused';
  state.pool.push(text);
  write(file, state);
  return 'accepted';
}

/**
 * Creates a block of the executable transactions, in the order of the accounts' sequences.
 * @param {string} file
 */
export function mine(file) {
  const state = read(file);
  /** @type {Executed[]} */
  const transactions = [];
  for (let index = 0; index < state.pool.length; ) {
    const bytes = Buffer.from(state.pool[index] ?? '', 'base64');
    const transfer = decode(bytes);
    const sender = transfer === undefined ? undefined : accountOf(state, transfer.from);
    if (
      transfer !== undefined &&
      sender !== undefined &&
      BigInt(transfer.sequence) > BigInt(sender.sequence)
    ) {
      index += 1;
      continue;
    }
    state.pool.splice(index, 1);
    if (transfer === undefined || sender?.sequence !== transfer.sequence) continue;
    const { from, to, sequence } = transfer;
    const amount = BigInt(transfer.amount);
    const poor = BigInt(sender.balance) < amount;
    const left = poor ? BigInt(sender.balance) : BigInt(sender.balance) - amount;
    state.accounts[from] = { balance: `${left}`, sequence: `${BigInt(sequence) + 1n}` };
    if (!poor) {
      const receiver = accountOf(state, to);
      state.accounts[to] = { ...receiver, balance: `${BigInt(receiver.balance) + amount}` };
    }
    const failure = poor
      ? { failure: `${from} holds ${sender.balance}, but the transfer needs ${amount}` }
      : {};
    transactions.push({ txId: idOf(bytes), from, sequence, ...failure });
    // Another transaction may have waited for this sequence.
    index = 0;
  }
  const height = state.blocks.length;
  const hash = sha256(JSON.stringify([state.blocks.at(-1)?.hash, height, transactions]));
  state.blocks.push({ height, hash, transactions });
  write(file, state);
}

/**
 * @param {Block[]} blocks
 * @param {string} txId
 * @returns {{ block: Block, executed: Executed } | undefined}
 */
export function find(blocks, txId) {
  for (const block of blocks) {
    const executed = block.transactions.find((one) => one.txId === txId);
    if (executed !== undefined) return { block, executed };
  }
  return undefined;
}

import type { StoredTransaction } from '../chain/store.ts';
import { accountAnswer, accountViewOf, decodeBytes } from '../rpc/account-answers.ts';
import { codes, invalid, RpcError } from '../rpc/error.ts';
import {
  address,
  blockViewOf,
  type Config,
  choice,
  flag,
  integer,
  object,
  signature,
  viewOf,
} from '../rpc/params.ts';
import { transactionAnswer, transactionViewOf } from '../rpc/transaction-answers.ts';
import { errorText } from '../runtime/errors.ts';
import {
  type DecodedTransaction,
  decodeMessage,
  decodeTransaction,
  maxTransactionBytes,
  signaturesHold,
} from '../transactions/decode.ts';
import { innerInstructions, returned } from '../transactions/execute.ts';
import { feeOf } from '../transactions/fee.ts';
import { resolveAccounts } from '../transactions/lookup.ts';
import { simulateTransaction, tableError } from '../transactions/simulate.ts';
import { assertHealthy, type Method, type Node, withContext } from './node.ts';

const mostStatuses = 256;
const mostSignatures = 1000;
/** Number of recent blocks whose transaction statuses are found without searching the history. */
const recentBlocks = 150;
const memoPrograms = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];

/** Methods that send, simulate and find transactions. */
export const transactionMethods: Record<string, Method> = {
  sendTransaction(node, params) {
    const config = params.config(1);
    const transaction = readTransaction(params.text(0, 'the transaction'), config);
    const view = viewOf(node.chain, config, 'preflightCommitment');
    const wrong = tableError(view, transaction);
    if (wrong !== undefined) throw invalid(`invalid transaction: ${errorText(wrong)}`);
    const signed = signaturesHold(transaction);
    if (!flag(config, 'skipPreflight')) {
      if (!signed) throw new RpcError(codes.signature, 'Transaction signature verification failure');
      assertHealthy(node.chain);
      const tried = simulateTransaction(node.chain, view, transaction);
      if (tried.err === 'SanitizeFailure') throw invalid(`invalid transaction: ${errorText(tried.err)}`);
      if (tried.err !== null)
        throw new RpcError(codes.preflight, `Transaction simulation failed: ${errorText(tried.err)}`, {
          accounts: null,
          err: tried.err,
          fee: null,
          innerInstructions: null,
          loadedAccountsDataSize: 0,
          loadedAddresses: null,
          logs: tried.logs,
          postBalances: null,
          postTokenBalances: null,
          preBalances: null,
          preTokenBalances: null,
          replacementBlockhash: null,
          returnData: returned(tried).returnData ?? null,
          unitsConsumed: tried.unitsConsumed,
        });
    }
    // Without preflight, validators accept an invalid transaction and drop it silently.
    if (signed) {
      node.chain.submit(transaction);
      node.producer.wake();
    }
    return transaction.id;
  },

  simulateTransaction({ chain }, params) {
    const config = params.config(1);
    const transaction = readTransaction(params.text(0, 'the transaction'), config);
    const view = viewOf(chain, config);
    const replace = flag(config, 'replaceRecentBlockhash');
    const verify = flag(config, 'sigVerify');
    if (replace && verify) throw invalid('sigVerify may not be used with replaceRecentBlockhash');
    const wrong = tableError(view, transaction);
    if (wrong !== undefined) throw invalid(`invalid transaction: ${errorText(wrong)}`);
    if (verify && !signaturesHold(transaction))
      throw new RpcError(codes.signature, 'Transaction signature verification failure');
    const execution = simulateTransaction(chain, view, transaction, !replace);
    if (execution.err === 'SanitizeFailure')
      throw invalid(`invalid transaction: ${errorText(execution.err)}`);
    const accounts = resolveAccounts(view.bank, transaction);
    const balances = (after: boolean) =>
      accounts.all.map(
        (one) => (after ? execution.accounts.get(one)?.lamports : undefined) ?? view.bank.balance(one),
      );
    const { blockhash } = view.head;
    return withContext(view, {
      accounts:
        accountsAfter(config, accounts.all, (one) =>
          execution.err === null ? (execution.accounts.get(one) ?? view.bank.get(one)) : undefined,
        )?.map(({ account, shown }) => accountAnswer(account, shown, view.bank)) ?? null,
      err: execution.err,
      fee: execution.executed ? feeOf(transaction) : null,
      innerInstructions: flag(config, 'innerInstructions') ? innerInstructions(execution) : null,
      loadedAccountsDataSize: accounts.all.reduce(
        (sum, one) => sum + (view.bank.get(one)?.data.length ?? 0),
        0,
      ),
      loadedAddresses: accounts.loaded,
      logs: execution.logs,
      postBalances: execution.err === null ? balances(true) : null,
      postTokenBalances: null,
      preBalances: balances(false),
      preTokenBalances: null,
      replacementBlockhash: replace
        ? { blockhash, lastValidBlockHeight: chain.lastValidBlockHeight(blockhash, view) }
        : null,
      returnData: returned(execution).returnData ?? null,
      unitsConsumed: execution.unitsConsumed,
    });
  },

  getFeeForMessage({ chain }, params) {
    const view = viewOf(chain, params.config(1));
    const bytes = decodeBytes(params.text(0, 'the message'), 'base64', 'the message');
    const message = decoded('the message', () => decodeMessage(bytes));
    const alive = chain.lifetimeOf(message, view) !== undefined;
    return withContext(view, alive ? feeOf(message) : null);
  },

  getSignatureStatuses({ chain }, params) {
    const search = flag(params.config(1), 'searchTransactionHistory');
    const view = chain.view('processed');
    const statuses = params.list(0, 'the list of signatures', mostStatuses).map((one, index) => {
      const slot = chain.store.slotOf(signature(one, `signature ${index}`));
      const height = slot === undefined ? undefined : chain.store.block(slot)?.height;
      const depth = height === undefined ? -1 : view.head.height - height;
      if (height === undefined || depth < 0 || (!search && depth > recentBlocks)) return null;
      const confirmationStatus = chain.commitmentOf(height);
      const err = chain.store.transaction(signature(one, `signature ${index}`))?.meta.err ?? null;
      return {
        slot,
        confirmations: confirmationStatus === 'finalized' ? null : depth,
        err,
        status: err === null ? { Ok: null } : { Err: err },
        confirmationStatus,
      };
    });
    return withContext(view, statuses);
  },

  getSignaturesForAddress({ chain }, params) {
    const config = params.config(1);
    const view = blockViewOf(chain, config);
    const limit = integer(config.limit ?? mostSignatures, 'limit');
    if (limit < 1 || limit > mostSignatures) throw invalid(`limit must be from 1 to ${mostSignatures}`);
    const before = placeOf(chain, config.before, 'before');
    const until = placeOf(chain, config.until, 'until');
    const end = { slot: view.head.slot + 1, position: 0 };
    return chain.store
      .mentions(params.address(0, 'the address'), {
        before: before !== undefined && before.slot < end.slot ? before : end,
        until: until ?? { slot: -1, position: 0 },
        limit,
      })
      .map((found) => {
        const block = chain.store.block(found.slot);
        return {
          signature: found.id,
          slot: found.slot,
          transactionIndex: found.position,
          err: found.meta.err,
          memo: memoOf(found),
          blockTime: block?.time ?? null,
          confirmationStatus: block === undefined ? null : chain.commitmentOf(block.height),
        };
      });
  },

  getTransaction({ chain }, params) {
    const second = params.at(1);
    const config: Config =
      typeof second === 'string' ? { encoding: second } : object(second ?? {}, 'the configuration');
    const { head } = blockViewOf(chain, config);
    const found = chain.store.transaction(params.signature(0, 'the signature'));
    if (found === undefined || found.slot > head.slot) return null;
    return {
      slot: found.slot,
      blockTime: chain.store.block(found.slot)?.time ?? null,
      transactionIndex: found.position,
      ...transactionAnswer(found, { ...transactionViewOf(config), details: 'full' }),
    };
  },

  requestAirdrop(node, params) {
    const { chain, faucetLimit } = node;
    const config = params.config(2);
    const to = params.address(0, 'the address');
    const lamports = BigInt(params.integer(1, 'the amount'));
    if (lamports > faucetLimit)
      throw new RpcError(codes.params, `The faucet gives at most ${faucetLimit} lamports at once.`);
    const { head } = viewOf(chain, config);
    const transaction = decodeTransaction(chain.faucet.transfer(to, lamports, head.blockhash));
    chain.submit(transaction);
    node.producer.wake();
    return transaction.id;
  },
};

function readTransaction(text: string, config: Config): DecodedTransaction {
  const encoding = choice(config, 'encoding', ['base58', 'base64'], 'base58');
  const wire = decodeBytes(text, encoding, 'the transaction');
  if (wire.length > maxTransactionBytes)
    throw invalid(`the transaction has ${wire.length} bytes; the maximum is ${maxTransactionBytes}`);
  return decoded('the transaction', () => decodeTransaction(wire));
}

function decoded<Result>(name: string, decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalid(`${name} cannot be read: ${why}`);
  }
}

/** Returns the accounts that a simulation must return. */
function accountsAfter<State>(config: Config, known: readonly string[], stateOf: (one: string) => State) {
  if (config.accounts === undefined || config.accounts === null) return undefined;
  const wanted = object(config.accounts, 'accounts');
  if (!Array.isArray(wanted.addresses)) throw invalid('accounts.addresses must be an array');
  if (wanted.addresses.length > known.length)
    throw invalid(`Too many accounts provided; max ${known.length}`);
  const shown = accountViewOf(wanted, 'base64');
  return wanted.addresses.map((one, index) => ({
    account: stateOf(address(one, `accounts.addresses[${index}]`)),
    shown,
  }));
}

function placeOf(chain: Node['chain'], value: unknown, name: string) {
  return value === undefined || value === null ? undefined : chain.store.transaction(signature(value, name));
}

/** Returns the memo program's input in a validator's format. */
function memoOf({ wire }: StoredTransaction): string | null {
  const { instructions, accounts } = decodeTransaction(wire);
  const memos = instructions
    .filter(({ programIndex }) => memoPrograms.includes(accounts[programIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString()}`);
  return memos.length === 0 ? null : memos.join('; ');
}

import { addressOf, type Base58 } from '../base58.ts';
import type { AccountState, Bank, Execution } from '../runtime/bank.ts';
import type { DecodedMessage, DecodedTransaction } from './decode.ts';
import { feeOf } from './fee.ts';
import { type ResolvedAccounts, resolveAccounts } from './lookup.ts';
import { durableNonce, nonceAccountOf, readNonce, withNonce } from './nonce.ts';
import { type TokenBalance, tokenBalances } from './tokens.ts';

/** A validator's record of an execution, in JSON-RPC format. */
export interface TransactionMeta {
  err: unknown;
  fee: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  innerInstructions: InnerInstructions[];
  logMessages: string[];
  loadedAddresses: ResolvedAccounts['loaded'];
  returnData?: { programId: Base58; data: [string, 'base64'] };
  computeUnitsConsumed: bigint;
}

export interface InnerInstructions {
  index: number;
  instructions: { programIdIndex: number; accounts: number[]; data: Base58; stackHeight: number }[];
}

/** A transaction in a block, successful or failed. */
export interface ExecutedTransaction {
  id: Base58;
  wire: Uint8Array;
  /** All accounts, including those of lookup tables. */
  accounts: Base58[];
  meta: TransactionMeta;
}

/**
 * Errors that occur before a program runs. The transaction is still included in a block and pays its fee.
 */
const chargedUnrun = new Set<unknown>([
  'ProgramAccountNotFound',
  'InvalidProgramForExecution',
  'MaxLoadedAccountsDataSizeExceeded',
]);

/**
 * Executes a transaction of a block.
 *
 * @param lastBlockhash blockhash of the previous block
 * @param byNonce whether the lifetime is a nonce account, which advances even if the transaction fails
 * @param writes receives the changed accounts
 * @returns undefined if the transaction cannot be included and leaves no trace
 */
export function executeTransaction(
  bank: Bank,
  transaction: DecodedTransaction,
  { lastBlockhash, byNonce }: { lastBlockhash: Base58; byNonce: boolean },
  writes: Map<Base58, AccountState | undefined>,
): ExecutedTransaction | undefined {
  const accounts = resolveAccounts(bank, transaction);
  const preBalances = accounts.all.map((address) => bank.balance(address));
  const preTokenBalances = tokenBalances(bank, accounts.all);
  const writable = accounts.all.filter((_, index) => accounts.writable(index));
  const before = new Map(writable.map((address) => [address, bank.get(address)]));

  const execution = bank.execute(transaction.wire);
  const err = namedAsByValidators(execution.err, bank, transaction);
  if (!execution.executed && !chargedUnrun.has(err)) return undefined;
  const payer = accounts.all[0] ?? '';
  if (!execution.executed) {
    const account = before.get(payer);
    if (account === undefined) return undefined;
    bank.set(payer, { ...account, lamports: account.lamports - feeOf(transaction) });
  }
  const nonce = byNonce ? nonceAccountOf(transaction)?.address : undefined;
  if (err === null) renewNonces(bank, before, transaction, lastBlockhash);
  else if (nonce !== undefined) {
    const account = bank.get(nonce);
    if (account !== undefined) bank.set(nonce, withNonce(account, durableNonce(lastBlockhash)));
  }
  const changed = err === null ? writable : nonce === undefined ? [payer] : [payer, nonce];
  for (const address of changed) writes.set(address, bank.get(address));

  const postBalances = accounts.all.map((address) => bank.balance(address));
  const sum = (balances: bigint[]) => balances.reduce((total, one) => total + one, 0n);
  return {
    id: transaction.id,
    wire: transaction.wire,
    accounts: accounts.all,
    meta: {
      err,
      // Programs only move lamports among these accounts, so the difference is the fee.
      fee: sum(preBalances) - sum(postBalances),
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances: tokenBalances(bank, accounts.all),
      innerInstructions: innerInstructions(execution),
      logMessages: execution.logs,
      loadedAddresses: accounts.loaded,
      ...returned(execution),
      computeUnitsConsumed: execution.unitsConsumed,
    },
  };
}

/** Returns all accounts of a transaction in a block, in the order of its indexes. */
export const accountsIn = ({ accounts }: DecodedMessage, { loadedAddresses }: TransactionMeta): Base58[] => [
  ...accounts,
  ...loadedAddresses.writable,
  ...loadedAddresses.readonly,
];

/**
 * If a program is missing, litesvm reports `InvalidProgramForExecution`. Returns the error that a validator reports.
 */
export function namedAsByValidators(err: unknown, bank: Bank, message: DecodedMessage): unknown {
  if (err !== 'InvalidProgramForExecution') return err;
  const missing = message.instructions.some(
    ({ programIndex }) => bank.get(message.accounts[programIndex] ?? '') === undefined,
  );
  return missing ? 'ProgramAccountNotFound' : err;
}

/** litesvm derives a new nonce from the message's blockhash; a validator derives it from the last one. */
function renewNonces(
  bank: Bank,
  before: ReadonlyMap<Base58, AccountState | undefined>,
  message: DecodedMessage,
  lastBlockhash: Base58,
): void {
  const made = durableNonce(message.recentBlockhash);
  for (const [address, account] of before) {
    const now = bank.get(address);
    if (now === undefined || readNonce(now)?.value !== made || readNonce(account)?.value === made) continue;
    bank.set(address, withNonce(now, durableNonce(lastBlockhash)));
  }
}

export function innerInstructions({ inner }: Execution): InnerInstructions[] {
  return inner.flatMap((list, index) =>
    list.length === 0
      ? []
      : [{ index, instructions: list.map((one) => ({ ...one, data: addressOf(one.data) })) }],
  );
}

export function returned({ returnData }: Execution): Pick<TransactionMeta, 'returnData'> {
  if (returnData === undefined) return {};
  const data = Buffer.from(returnData.data).toString('base64');
  return { returnData: { programId: returnData.programId, data: [data, 'base64'] } };
}

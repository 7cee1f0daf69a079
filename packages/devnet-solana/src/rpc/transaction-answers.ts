import { addressOf, type Base58 } from '../base58.ts';
import type { StoredTransaction } from '../chain/store.ts';
import { type DecodedTransaction, decodeTransaction, isWritable } from '../transactions/decode.ts';
import { accountsIn, type TransactionMeta } from '../transactions/execute.ts';
import { codes, invalid, RpcError } from './error.ts';
import { type Config, choice, integer } from './params.ts';

const encodings = ['json', 'jsonParsed', 'base58', 'base64', 'binary'] as const;
const detailLevels = ['full', 'accounts', 'signatures', 'none'] as const;

/** Requested format of transactions. */
export interface TransactionView {
  encoding: (typeof encodings)[number];
  details: (typeof detailLevels)[number];
  /** Undefined if the client does not support versioned transactions. */
  maxVersion: number | undefined;
}

/** @param config an object, or only an encoding, as in older clients */
export function transactionViewOf(config: Config): TransactionView {
  const { maxSupportedTransactionVersion: version } = config;
  return {
    encoding: choice(config, 'encoding', encodings, 'json'),
    details: choice(config, 'transactionDetails', detailLevels, 'full'),
    maxVersion:
      version === undefined || version === null
        ? undefined
        : integer(version, 'maxSupportedTransactionVersion'),
  };
}

/** Returns a transaction in a validator's format. @throws RpcError if the client does not accept its version */
export function transactionAnswer({ wire, meta }: StoredTransaction, view: TransactionView): object {
  const transaction = decodeTransaction(wire);
  if (view.maxVersion === undefined && transaction.version !== 'legacy')
    throw new RpcError(
      codes.version,
      `Transaction version (${transaction.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${transaction.version}`,
    );
  const version = view.maxVersion === undefined ? {} : { version: transaction.version };
  if (view.details === 'accounts')
    return {
      meta: accountsMeta(meta),
      transaction: {
        accountKeys: parsedKeys(transaction, meta),
        signatures: transaction.signatures.map(addressOf),
      },
      ...version,
    };
  return {
    meta: metaAnswer(transaction, meta, view),
    transaction: encoded(transaction, meta, view),
    ...version,
  };
}

const statusOf = (err: unknown) => (err === null ? { Ok: null } : { Err: err });

function accountsMeta(meta: TransactionMeta): object {
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = meta;
  return {
    err,
    status: statusOf(err),
    fee,
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances,
  };
}

function metaAnswer(transaction: DecodedTransaction, meta: TransactionMeta, view: TransactionView): object {
  const { loadedAddresses, innerInstructions, ...rest } = meta;
  if (view.encoding === 'jsonParsed') {
    const keys = accountsIn(transaction, meta);
    const inner = innerInstructions.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) =>
        named(keys, programIdIndex, accounts, data, stackHeight),
      ),
    }));
    return { ...rest, innerInstructions: inner, rewards: [], status: statusOf(meta.err) };
  }
  return {
    ...rest,
    innerInstructions,
    ...(view.maxVersion === undefined ? {} : { loadedAddresses }),
    rewards: [],
    status: statusOf(meta.err),
  };
}

function encoded(transaction: DecodedTransaction, meta: TransactionMeta, view: TransactionView): unknown {
  switch (view.encoding) {
    case 'base64':
      return [Buffer.from(transaction.wire).toString('base64'), 'base64'];
    case 'base58':
      return [addressOf(transaction.wire), 'base58'];
    case 'binary':
      return addressOf(transaction.wire);
    case 'jsonParsed':
      return { message: parsedMessage(transaction, meta), signatures: transaction.signatures.map(addressOf) };
    case 'json':
      return { message: plainMessage(transaction), signatures: transaction.signatures.map(addressOf) };
    default:
      throw invalid('this encoding is not supported');
  }
}

function plainMessage(transaction: DecodedTransaction): object {
  const { header, accounts, recentBlockhash, instructions } = transaction;
  return {
    header: {
      numRequiredSignatures: header.signers,
      numReadonlySignedAccounts: header.readonlySigners,
      numReadonlyUnsignedAccounts: header.readonlyOthers,
    },
    accountKeys: accounts,
    recentBlockhash,
    instructions: instructions.map((one) => ({
      programIdIndex: one.programIndex,
      accounts: one.accounts,
      data: addressOf(one.data),
      stackHeight: 1,
    })),
    ...lookupAnswer(transaction),
  };
}

const lookupAnswer = ({ version, lookups }: DecodedTransaction) =>
  version === 'legacy'
    ? {}
    : {
        addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
          accountKey: table,
          writableIndexes: writable,
          readonlyIndexes: readonly,
        })),
      };

function parsedMessage(transaction: DecodedTransaction, meta: TransactionMeta): object {
  const keys = accountsIn(transaction, meta);
  return {
    accountKeys: parsedKeys(transaction, meta),
    recentBlockhash: transaction.recentBlockhash,
    instructions: transaction.instructions.map((one) =>
      named(keys, one.programIndex, one.accounts, addressOf(one.data), 1),
    ),
    ...lookupAnswer(transaction),
  };
}

/**
 * Returns an instruction with addresses instead of indexes, as validators return for programs that they
 * cannot parse.
 */
function named(
  keys: readonly Base58[],
  program: number,
  accounts: readonly number[],
  data: Base58,
  stackHeight: number,
): object {
  return { programId: keys[program], accounts: accounts.map((index) => keys[index]), data, stackHeight };
}

function parsedKeys(transaction: DecodedTransaction, { loadedAddresses }: TransactionMeta): object[] {
  const own = transaction.accounts.map((pubkey, index) => ({
    pubkey,
    signer: index < transaction.header.signers,
    writable: isWritable(transaction, index),
    source: 'transaction',
  }));
  const loaded = (addresses: Base58[], writable: boolean) =>
    addresses.map((pubkey) => ({ pubkey, signer: false, writable, source: 'lookupTable' }));
  return [...own, ...loaded(loadedAddresses.writable, true), ...loaded(loadedAddresses.readonly, false)];
}

import type { Phase } from '@ledger-ops/adapter';
import { type Address, address } from '@solana/addresses';
import { pipe } from '@solana/functional';
import { AccountRole, type Instruction } from '@solana/instructions';
import { type Blockhash, blockhash } from '@solana/rpc-types';
import {
  type AddressesByLookupTableAddress,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { compileTransaction, getTransactionSize } from '@solana/transactions';
import { invalid } from '../invalid.ts';
import type { AccountJson, InstructionJson } from '../native.ts';
import { advanceNonceInstruction } from './system.ts';

export type CompiledTransaction = ReturnType<typeof compileMessage>;

/** A blockhash, or the nonce of an account. For a nonce, the first instruction advances it. */
export interface Lifetime {
  hash: string;
  lastValidHeight: number;
  nonce?: { account: string; authority: string } | undefined;
}

/** Compiles instructions into an unsigned transaction. */
export function compileMessage(
  payer: string,
  instructions: readonly InstructionJson[],
  lifetime: Lifetime,
  tables: AddressesByLookupTableAddress = {},
) {
  const { nonce } = lifetime;
  const all =
    nonce === undefined
      ? instructions
      : [advanceNonceInstruction(nonce.account, nonce.authority), ...instructions];
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(address(payer), message),
      (message) =>
        setTransactionMessageLifetimeUsingBlockhash(
          {
            blockhash: blockhash(lifetime.hash),
            lastValidBlockHeight: BigInt(lifetime.lastValidHeight),
          },
          message,
        ),
      (message) => appendTransactionMessageInstructions(all.map(instructionOf), message),
      (message) => compressTransactionMessageUsingAddressLookupTables(message, tables),
    ),
  );
}

/** Maximum number of bytes of a transaction. */
const largestTransaction = 1232;

/** @throws AdapterError `invalid-argument` if a transaction is too large */
export function requireSize(transaction: CompiledTransaction, phase: Phase, pointer: string): void {
  const size = getTransactionSize(transaction);
  if (size <= largestTransaction) return;
  const detail = `require a transaction of ${size} bytes, but at most ${largestTransaction} are allowed; use fewer accounts or less data`;
  throw invalid(phase, pointer, detail);
}

/** Accounts of a transaction in order: static ones, then those of lookup tables, writable ones first. */
export function accountsOf(
  { messageBytes }: CompiledTransaction,
  tables: AddressesByLookupTableAddress,
): readonly string[] {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
  const loaded = (kind: 'writableIndexes' | 'readonlyIndexes') =>
    lookups.flatMap((lookup) => lookup[kind].map((at) => tables[lookup.lookupTableAddress]?.[at] ?? ''));
  return [...message.staticAccounts, ...loaded('writableIndexes'), ...loaded('readonlyIndexes')];
}

/** A placeholder blockhash for simulations. */
export const anyLifetime: { hash: Blockhash; lastValidHeight: number } = {
  hash: blockhash('11111111111111111111111111111111'),
  lastValidHeight: 0,
};

function instructionOf({ program, accounts, data }: InstructionJson): Instruction {
  return {
    programAddress: address(program),
    accounts: accounts.map((account) => ({ address: address(account.address), role: roleOf(account) })),
    data: new Uint8Array(Buffer.from(data, 'base64')),
  };
}

function roleOf({ signer = false, writable = false }: AccountJson): AccountRole {
  if (signer) return writable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return writable ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** Accounts that instructions write to, the payer first. */
export function writableAccounts(payer: string, instructions: readonly InstructionJson[]): Address[] {
  const written = instructions.flatMap(({ accounts }) =>
    accounts.filter(({ writable }) => writable === true),
  );
  return [...new Set([payer, ...written.map((account) => account.address)])].map((one) => address(one));
}

import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { AccountJson, InstructionJson } from '../native.ts';

export type CompiledTransaction = ReturnType<typeof compileMessage>;

/** The transaction of instructions, without signatures. */
export function compileMessage(
  payer: string,
  instructions: readonly InstructionJson[],
  lifetime: { hash: string; lastValidHeight: number },
) {
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
      (message) => appendTransactionMessageInstructions(instructions.map(instructionOf), message),
    ),
  );
}

/** Accounts of a transaction in their order. */
export function accountsOf({ messageBytes }: CompiledTransaction): readonly string[] {
  return getCompiledTransactionMessageDecoder().decode(messageBytes).staticAccounts;
}

/** A blockhash for what is only simulated. */
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

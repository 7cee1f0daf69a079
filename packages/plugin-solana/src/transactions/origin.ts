import type { TransactionOrigin } from '@ledger-ops/adapter';
import { z } from 'zod';
import { loader } from '../deployment/loader.ts';
import { loadedAddresses } from '../event-instructions.ts';
import { integer, listOf } from '../lists.ts';
import type { AccountJson, InstructionJson } from '../native.ts';
import type { Plan } from '../plan.ts';
import { base58Bytes } from './base58.ts';
import { computeBudgetProgram } from './compute-budget.ts';
import { isNonceAdvance } from './system.ts';

/** Maximum number of accounts of a transaction: account indexes are one byte. */
const mostAccounts = 256;
/** Maximum number of instructions: more do not fit into a transaction. */
const mostInstructions = 512;

const index = integer.transform(Number).refine((value) => value >= 0 && value < mostAccounts);
const answer = z.object({
  transaction: z.object({
    message: z.object({
      header: z.object({
        numRequiredSignatures: index,
        numReadonlySignedAccounts: index,
        numReadonlyUnsignedAccounts: index,
      }),
      accountKeys: listOf(z.string(), mostAccounts),
      instructions: listOf(
        z.object({ programIdIndex: index, accounts: listOf(index, mostAccounts), data: z.string() }),
        mostInstructions,
      ),
    }),
  }),
  meta: z.object({ loadedAddresses }).nullish(),
});

/**
 * Returns the signers of a transaction, and its instructions in the form of a plan. Undefined for parts of a
 * deployment, whose plan has no instructions.
 * @param found a node's answer in the encoding `json`
 */
export function originOf(found: unknown): TransactionOrigin | undefined {
  const parsed = answer.safeParse(found).data;
  if (parsed === undefined) return undefined;
  const { header, accountKeys, instructions: all } = parsed.transaction.message;
  const signers = accountKeys.slice(0, header.numRequiredSignatures);
  const [sender] = signers;
  const accounts = accountsIn(parsed);
  const instructions: InstructionJson[] = [];
  for (const { programIdIndex, accounts: used, data } of all) {
    const program = accounts[programIdIndex]?.address;
    const bytes = base58Bytes(data);
    const given = used.map((at) => accounts[at]);
    if (program === undefined || bytes === undefined || !given.every((one) => one !== undefined))
      return undefined;
    if (program === loader) return undefined;
    instructions.push({ program, accounts: given, data: bytes.toString('base64') });
  }
  if (sender === undefined) return undefined;
  const own = instructions.filter(
    (one, at) => one.program !== computeBudgetProgram && !(at === 0 && isNonceAdvance(one)),
  );
  return { sender, signers, effect: { instructions: own.map(toJson) } };
}

/** Returns the accounts of a transaction with their roles, those of lookup tables last. */
function accountsIn({ transaction, meta }: z.infer<typeof answer>): AccountJson[] {
  const { header, accountKeys } = transaction.message;
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {};
  return [
    ...accountKeys.map((address, at) => {
      const signer = at < numRequiredSignatures;
      const end = signer
        ? numRequiredSignatures - numReadonlySignedAccounts
        : accountKeys.length - numReadonlyUnsignedAccounts;
      return { address, signer, writable: at < end };
    }),
    ...writable.map((address) => ({ address, writable: true })),
    ...readonly.map((address) => ({ address })),
  ];
}

function toJson({ program, accounts, data }: InstructionJson) {
  return {
    ...{ program, data },
    accounts: accounts.map(({ address, signer, writable }) => ({
      address,
      ...(signer === true ? { signer } : {}),
      ...(writable === true ? { writable } : {}),
    })),
  };
}

/**
 * Returns the plan with the roles that its accounts have in the whole transaction. It can then be compared
 * with a transaction on the ledger, in which an account has only one role.
 */
export function withRoles(plan: Plan, wallet: string): Plan {
  const { feePayer = wallet, nonceAccount, instructions } = plan;
  const used: AccountJson[] = [
    { address: feePayer, signer: true, writable: true },
    ...(nonceAccount === undefined
      ? []
      : [
          { address: nonceAccount, writable: true },
          { address: wallet, signer: true },
        ]),
    ...instructions.flatMap(({ accounts }) => accounts),
  ];
  const having = (role: 'signer' | 'writable') =>
    new Set(used.flatMap((one) => (one[role] === true ? one.address : [])));
  const [signing, written] = [having('signer'), having('writable')];
  return {
    ...plan,
    instructions: instructions.map((one) => ({
      ...one,
      accounts: one.accounts.map(({ address }) => ({
        ...{ address, signer: signing.has(address), writable: written.has(address) },
      })),
    })),
  };
}

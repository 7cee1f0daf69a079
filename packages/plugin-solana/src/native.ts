import type { Phase, ResolvedOperation } from '@ledger-ops/adapter';
import { z } from 'zod';
import { invalid } from './invalid.ts';
import { isAddressText } from './transactions/base58.ts';

/** An account of an instruction. */
export interface AccountJson {
  address: string;
  signer?: boolean | undefined;
  writable?: boolean | undefined;
}

/** An instruction in the form of meta and plans. */
export interface InstructionJson {
  program: string;
  accounts: AccountJson[];
  /** Base64. */
  data: string;
}

export interface SolanaContent {
  /** Maximum compute units of the transaction. If undefined, a simulation determines them. */
  computeUnitLimit?: number | undefined;
  /** Micro-lamports per compute unit; if undefined, the ledger's properties apply. */
  computeUnitPrice?: bigint | undefined;
  /** Address of the wallet that pays the fee; if undefined, the sender pays. */
  feePayer?: string | undefined;
  /** Addresses of additional signing wallets. */
  signers?: string[] | undefined;
  /** The whole transaction, instead of a method and its arguments. */
  instructions?: InstructionJson[] | undefined;
  /** Accounts of a method by their IDL names. They override the derived accounts. */
  accounts?: Record<string, string> | undefined;
  /** Additional accounts, which follow the method's accounts. */
  remainingAccounts?: AccountJson[] | undefined;
  /** A nonce account of the wallet. The transaction uses its nonce instead of a blockhash and does not expire. */
  nonceAccount?: string | undefined;
  addressLookupTables?: string[] | undefined;
}

const address = z.string().refine(isAddressText, { error: 'must be an address: 32 bytes in base58' });

const accounts = z.array(
  z.strictObject({ address, signer: z.boolean().optional(), writable: z.boolean().optional() }),
);

export const instructionSchema = z.strictObject({
  program: address,
  accounts: accounts.default([]),
  data: z.base64({ error: 'must be bytes in base64' }).default(''),
});

const quantity = z
  .union(
    [
      z.number().refine((value) => Number.isSafeInteger(value) && value >= 0),
      z.string().regex(/^(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})$/),
    ],
    { error: 'must be a whole number' },
  )
  .transform(BigInt)
  .refine((value) => value < 2n ** 64n, { error: 'must be less than 2^64' });

const schema = z.strictObject({
  computeUnitLimit: quantity
    .transform(Number)
    .refine((value) => value > 0 && value <= 1_400_000, { error: 'must be from 1 to 1400000' })
    .optional(),
  computeUnitPrice: quantity.optional(),
  feePayer: address.optional(),
  signers: z.array(address).min(1).max(16).optional(),
  instructions: z.array(instructionSchema).min(1).max(64).optional(),
  accounts: z.record(z.string(), z.string()).optional(),
  remainingAccounts: accounts.max(256).optional(),
  nonceAccount: address.optional(),
  addressLookupTables: z.array(address).min(1).max(8).optional(),
});

/**
 * Returns the native content of an operation.
 * @throws AdapterError `invalid-argument`, with pointers at `/native/…`
 */
export function readNative({ native }: ResolvedOperation, phase: Phase): SolanaContent {
  if (native.technology !== 'solana') {
    throw invalid(phase, '/native', `is for ${native.technology}, but the ledger is solana`);
  }
  const parsed = schema.safeParse(native.content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const pointer = ['/native', ...(issue?.path ?? []).map(String), ...unknown].join('/');
  throw invalid(phase, pointer, unknown.length > 0 ? 'is not known' : (issue?.message ?? 'is wrong'));
}

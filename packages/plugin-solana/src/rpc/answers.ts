import { z } from 'zod';
import { innerInstructions, loadedAddresses } from '../event-instructions.ts';
import { integer, listOf } from '../lists.ts';
import { isAddressText } from '../transactions/base58.ts';

const lamports = integer.transform(BigInt).refine((value) => value >= 0n);
const height = lamports.refine((value) => value <= Number.MAX_SAFE_INTEGER);
const hash = z.string().refine(isAddressText);
const logs = listOf(z.string()).nullish();
/** Maximum number of accounts of a transaction: account indexes are one byte. */
const mostAccountsOfTransaction = 256;
const balances = listOf(lamports, mostAccountsOfTransaction).nullish();
/** Maximum number of accounts of one `getMultipleAccounts` call. */
const mostAccounts = 100;
/** Maximum number of signatures of one `getSignatureStatuses` call. */
const mostStatuses = 256;
/** Maximum number of prioritization fees in an answer. Nodes keep those of 150 blocks; this leaves a wide margin. */
const mostPriorityFees = 1_000;

const account = z.object({ owner: z.string(), data: z.tuple([z.string(), z.string()]) }).nullable();

/** The parts of nodes' answers that the adapter reads. */
export const answers = {
  genesis: hash,
  latestBlockhash: z.object({
    context: z.object({ slot: height }),
    value: z.object({ blockhash: hash, lastValidBlockHeight: height.refine((value) => value >= 150n) }),
  }),
  block: z.object({ blockHeight: height, blockhash: hash }).nullable(),
  slot: height,
  slots: listOf(height),
  account: z.object({ context: z.object({ slot: height }), value: account }),
  accountsAt: z.object({ context: z.object({ slot: height }), value: listOf(account, mostAccounts) }),
  lamports,
  owners: z.object({ value: listOf(z.object({ owner: z.string() }).nullable(), mostAccounts) }),
  accountData: z.object({
    value: listOf(z.object({ data: z.tuple([z.string(), z.string()]) }).nullable(), mostAccounts),
  }),
  epoch: z.object({ epoch: height }),
  accounts: z.object({ value: listOf(z.object({ lamports }).nullable(), mostAccounts) }),
  statuses: z.object({
    context: z.object({ slot: height }),
    value: listOf(
      z.object({ slot: height, err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable(),
      mostStatuses,
    ),
  }),
  signatures: listOf(z.object({ signature: z.string(), slot: height, err: z.unknown() })),
  transaction: z
    .object({
      slot: height,
      blockTime: height.nullish(),
      meta: z.object({ fee: lamports, logMessages: logs, innerInstructions, loadedAddresses }).nullable(),
      transaction: z.unknown(),
    })
    .nullable(),
  simulation: z.object({
    value: z.object({
      err: z.unknown(),
      logs,
      unitsConsumed: height.nullish(),
      // Nodes before Agave 3 do not return these.
      fee: lamports.nullish(),
      preBalances: balances,
      postBalances: balances,
      returnData: z.object({ programId: z.string(), data: z.tuple([z.string(), z.string()]) }).nullish(),
    }),
  }),
  priorityFees: listOf(z.object({ prioritizationFee: lamports }), mostPriorityFees),
  signature: z.string(),
} as const;

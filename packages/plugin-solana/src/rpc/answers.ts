import { NodeError } from '@ledger-ops/outbound';
import { z } from 'zod';
import { innerInstructions, loadedAddresses } from '../event-instructions.ts';
import { isAddressText } from '../transactions/base58.ts';

const height = z.bigint().refine((value) => value >= 0n && value <= Number.MAX_SAFE_INTEGER);
const lamports = z.bigint().refine((value) => value >= 0n);
const hash = z.string().refine(isAddressText);
const logs = z.array(z.string()).nullish();

/** Parts of the nodes' answers that are read here. Types of the client library only say what a node should answer. */
export const answers = {
  genesis: hash,
  latestBlockhash: z.object({
    context: z.object({ slot: height }),
    value: z.object({ blockhash: hash, lastValidBlockHeight: height.refine((value) => value >= 150n) }),
  }),
  block: z.object({ blockHeight: height, blockhash: hash }).nullable(),
  slot: height,
  slots: z.array(height),
  account: z.object({
    context: z.object({ slot: height }),
    value: z.object({ owner: z.string(), data: z.tuple([z.string(), z.string()]) }).nullable(),
  }),
  lamports,
  accounts: z.object({ value: z.array(z.object({ lamports }).nullable()) }),
  statuses: z.object({
    context: z.object({ slot: height }),
    value: z.array(
      z.object({ slot: height, err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable(),
    ),
  }),
  signatures: z.array(z.object({ signature: z.string(), slot: height, err: z.unknown() })),
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
      returnData: z.object({ programId: z.string(), data: z.tuple([z.string(), z.string()]) }).nullish(),
    }),
  }),
  priorityFees: z.array(z.object({ prioritizationFee: z.union([z.bigint(), z.int()]) })),
} as const;

/** A node's answer, as far as it is read here. @throws NodeError `unavailable` where it is another */
export async function ask<Answer>(
  nodeId: string,
  call: { send(): Promise<unknown> },
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  const parsed = schema.safeParse(await call.send());
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  const where = place === '' ? '' : `: ${place}`;
  throw new NodeError('unavailable', `Node ${nodeId} answered with something that is no answer${where}.`);
}

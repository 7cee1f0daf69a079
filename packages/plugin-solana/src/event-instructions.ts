import { NodeError } from '@ledger-ops/outbound';
import { address, getBase58Encoder, getProgramDerivedAddress } from '@solana/kit';
import { z } from 'zod';

/** First bytes of an instruction by which programs of Anchor tell an event to themselves (`emit_cpi!`). */
const eventTag = Buffer.from('e445a52e51cb9a1d', 'hex');

const index = z.union([z.int(), z.bigint()]).transform(Number);
const accounts = z.array(z.string());

/** Instructions that programs made, as nodes answer them. */
export const innerInstructions = z
  .array(
    z.object({
      index,
      instructions: z.array(
        z.object({
          programIdIndex: index,
          accounts: z.array(index),
          data: z.string(),
          stackHeight: index.nullish(),
        }),
      ),
    }),
  )
  .nullish();
export const loadedAddresses = z.object({ writable: accounts, readonly: accounts }).nullish();
const sent = z.object({
  message: z.object({
    accountKeys: accounts,
    instructions: z.array(z.object({ programIdIndex: index })),
  }),
});

/** An answer of `getTransaction`. */
export interface Executed {
  transaction: unknown;
  meta: {
    innerInstructions?: z.infer<typeof innerInstructions>;
    loadedAddresses?: z.infer<typeof loadedAddresses>;
  };
}

/**
 * Data of the events that a program told by calling itself, in base64, in their order. Anybody can call it with such data: only
 * what it called itself counts, with the account that it alone can sign for.
 */
export async function eventInstructionsOf(
  program: string,
  nodeId: string,
  { transaction, meta }: Executed,
): Promise<string[]> {
  const inner = meta.innerInstructions ?? [];
  if (inner.length === 0) return [];
  const parsed = sent.safeParse(transaction);
  if (!parsed.success) {
    throw new NodeError('unavailable', `Node ${nodeId} answered with something that is no transaction.`);
  }
  const { accountKeys, instructions } = parsed.data.message;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...accountKeys, ...writable, ...readonly];
  const [authority] = await getProgramDerivedAddress({
    programAddress: address(program),
    seeds: ['__event_authority'],
  });
  return inner.flatMap((of) => {
    const outer = instructions[of.index];
    /** Programs that run, the called one last. */
    const running = [outer === undefined ? undefined : keys[outer.programIdIndex]];
    return of.instructions.flatMap(({ programIdIndex, accounts: [first = -1], data, stackHeight }) => {
      // Where a node does not say how deep, nobody knows who called it.
      running.length = Math.min(running.length, Math.max(0, (stackHeight ?? 0) - 1));
      const caller = running.at(-1);
      running.push(keys[programIdIndex]);
      if (keys[programIdIndex] !== program || caller !== program || keys[first] !== authority) return [];
      const bytes = Buffer.from(getBase58Encoder().encode(data));
      const isEvent = bytes.subarray(0, eventTag.length).equals(eventTag);
      return isEvent ? bytes.subarray(eventTag.length).toString('base64') : [];
    });
  });
}

import { NodeError } from '@ledger-ops/adapter/outbound';
import { address, getProgramDerivedAddress } from '@solana/addresses';
import { z } from 'zod';
import { integer, listOf } from './lists.ts';
import { base58Bytes } from './transactions/base58.ts';

/** First bytes of an instruction with which Anchor programs emit an event by calling themselves (`emit_cpi!`). */
const eventTag = Buffer.from('e445a52e51cb9a1d', 'hex');

const index = integer.transform(Number);
const accounts = listOf(z.string());

/** Inner instructions, as nodes return them. */
export const innerInstructions = listOf(
  z.object({
    index,
    instructions: listOf(
      z.object({
        programIdIndex: index,
        accounts: listOf(index),
        data: z.string(),
        stackHeight: index.nullish(),
      }),
    ),
  }),
).nullish();
export const loadedAddresses = z.object({ writable: accounts, readonly: accounts }).nullish();
const sent = z.object({
  message: z.object({
    accountKeys: accounts,
    instructions: listOf(z.object({ programIdIndex: index })),
  }),
});

/**
 * Maximum total length of all event data in a transaction, in characters: an instruction carries up to 10 kB, which are
 * 14,000 characters.
 */
const mostCharacters = 140_000;

/** An answer of `getTransaction`. */
export interface Executed {
  transaction: unknown;
  meta: {
    innerInstructions?: z.infer<typeof innerInstructions>;
    loadedAddresses?: z.infer<typeof loadedAddresses>;
  };
}

/**
 * Returns the data of the events that a program emitted by calling itself, in base64, in order. Anybody can
 * call the program with such data. So only the program's calls to itself are used, and only with the account
 * that only the program can sign for.
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
    throw new NodeError('unavailable', `Node ${nodeId} returned something that is not a transaction.`);
  }
  const { accountKeys, instructions } = parsed.data.message;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...accountKeys, ...writable, ...readonly];
  const [authority] = await getProgramDerivedAddress({
    programAddress: address(program),
    seeds: ['__event_authority'],
  });
  let characters = 0;
  return inner.flatMap((of) => {
    const outer = instructions[of.index];
    /** The stack of running programs. The last one is the called program. */
    const running = [outer === undefined ? undefined : keys[outer.programIdIndex]];
    return of.instructions.flatMap(({ programIdIndex, accounts: [first = -1], data, stackHeight }) => {
      // If the node reports no stack height, the caller is unknown.
      running.length = Math.min(running.length, Math.max(0, (stackHeight ?? 0) - 1));
      const caller = running.at(-1);
      running.push(keys[programIdIndex]);
      if (keys[programIdIndex] !== program || caller !== program || keys[first] !== authority) return [];
      characters += data.length;
      if (characters > mostCharacters)
        throw new NodeError('unavailable', `Node ${nodeId} returned more data than a transaction can have.`);
      const bytes = base58Bytes(data) ?? Buffer.alloc(0);
      const isEvent = bytes.subarray(0, eventTag.length).equals(eventTag);
      return isEvent ? bytes.subarray(eventTag.length).toString('base64') : [];
    });
  });
}

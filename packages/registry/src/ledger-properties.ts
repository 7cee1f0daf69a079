import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { parseQuantity, type Technology } from '@ledger-ops/glo-core';
import { z } from 'zod';
import type { GivenProperties, LedgerProperties } from './types.ts';

const whole = (minimum: number, maximum: number) => {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
};

const quantityError = 'must be a whole number, as a number or as decimal or 0x text';

const quantity = z.union([z.string(), z.number()], { error: quantityError }).transform((value, context) => {
  try {
    return parseQuantity(value);
  } catch {
    context.addIssue({ code: 'custom', message: quantityError });
    return z.NEVER;
  }
});

/** A number where it is a safe one, so that the same chain id is always written the same way; else decimal text. */
const chainId = quantity
  .refine((value) => value > 0n, 'must be greater than 0')
  .transform((value) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString()));

const tag = z
  .string({ error: 'must be a text' })
  .regex(/^[^\p{Cc},]{1,64}$/u, 'must have 1 to 64 characters, no comma and no control character');

const common = {
  confirmations: whole(1, 100_000),
  max_in_flight: whole(1, 1_000_000),
  polling_interval: whole(10, 600_000),
  rpc_timeout: whole(100, 600_000),
  plugin_tags: z.array(tag, { error: 'must be an array of texts' }).max(32, 'takes at most 32 tags'),
  development: z.boolean({ error: 'must be true or false' }),
};

const seconds = 'must be a number of seconds from 0 to 86400';

/** Known properties by technology. Durations are milliseconds, except `replace_after`: seconds. */
const schemas = {
  ethereum: z
    .strictObject({
      ...common,
      chain_id: chainId,
      replace_after: z.number({ error: seconds }).min(0, seconds).max(86_400, seconds),
      max_bumps: whole(0, 10),
      max_fee_cap: quantity.transform(String),
      fee_mode: z.enum(['auto', 'eip1559', 'legacy'], { error: 'must be auto, eip1559 or legacy' }),
      rpc_batch: whole(1, 1_000),
    })
    .partial(),
  'hyperledger-fabric': z
    .strictObject({
      ...common,
      transfer_contract: z
        .string({ error: 'must be a text' })
        .regex(/^[^/\s]+\/[^/\s]+(\/[^/\s]+)?$/, 'must be channel/chaincode or channel/chaincode/contract'),
      transfer_method: z.string({ error: 'must be a text' }).min(1, 'must not be empty'),
    })
    .partial(),
} satisfies Record<Technology, z.ZodType>;

/**
 * Checks the properties of a ledger of one technology and brings them into one form.
 *
 * @throws Problem `invalid-request`: every bad value by its pointer `/properties/<name>`, unknown names by name.
 */
export function readLedgerProperties(technology: Technology, given: GivenProperties): LedgerProperties {
  const schema = schemas[technology];
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const known = Object.keys(schema.shape).join(', ');
    throw invalidRequest(
      parsed.error.issues.flatMap((issue): ProblemIssue[] => {
        if (issue.code === 'unrecognized_keys') {
          return issue.keys.map((name) => ({
            pointer: pointerOf(name),
            detail: `is not a property of a ledger of technology ${technology}; known are ${known}`,
          }));
        }
        const [name = '', ...inside] = issue.path.map(String);
        return [{ pointer: [pointerOf(name), ...inside].join('/'), detail: issue.message }];
      }),
    );
  }
  return Object.fromEntries(
    Object.entries(parsed.data).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function pointerOf(name: string): string {
  return `/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const member = z
  .object({
    examples: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
  })
  .catch({});
const schema = z.object({
  properties: z.record(z.string(), member).default({}),
  required: z.array(z.string()).default([]),
});

/**
 * A value for every member that an object schema requires: its first example, else its only value, its default, or the first of those
 * that it may have.
 * @param what for people: `ledgerProperties`
 * @throws ConfigError naming what has none
 */
export function exampleOf(given: unknown, what: string): Record<string, unknown> {
  const { properties, required } = schema.parse(given ?? {});
  return Object.fromEntries(
    required.map((name) => {
      const { examples, const: only, default: otherwise, enum: several } = properties[name] ?? {};
      const value = examples?.[0] ?? only ?? otherwise ?? several?.[0];
      if (value !== undefined) return [name, value];
      throw new ConfigError(
        `The plugin's description requires ${name} in its ${what}: give it an example there ("examples": [ … ]), which is used here.`,
      );
    }),
  );
}

/** @throws ConfigError naming what is no text, as parameters of wallets are */
export function textsOf(parameters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new ConfigError(
        `The plugin's description has an example of ${name} in its walletParameters that is no text: ${JSON.stringify(value)}.`,
      );
    }),
  );
}

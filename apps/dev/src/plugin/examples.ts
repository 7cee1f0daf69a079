import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const member = z.object({ examples: z.array(z.unknown()).optional(), default: z.unknown().optional() });
const schema = z.object({
  properties: z.record(z.string(), member).default({}),
  required: z.array(z.string()).default([]),
});

/**
 * A value for every member that an object schema requires: its first example, else its default.
 * @param what for people: `ledgerProperties`
 * @throws ConfigError naming what has neither
 */
export function exampleOf(given: unknown, what: string): Record<string, unknown> {
  const { properties, required } = schema.parse(given ?? {});
  return Object.fromEntries(
    required.map((name) => {
      const { examples: [example] = [], default: otherwise } = properties[name] ?? {};
      const value = example ?? otherwise;
      if (value !== undefined) return [name, value];
      throw new ConfigError(
        `The plugin's description requires ${name} in its ${what}: give it an example there ("examples": [ … ]), which is used here.`,
      );
    }),
  );
}

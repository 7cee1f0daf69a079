import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';

const member = z
  .object({
    examples: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    writeOnly: z.unknown().optional(),
  })
  .catch({});
const schema = z.object({
  properties: z.record(z.string(), member).default({}),
  required: z.array(z.string()).default([]),
});

/** Values from the command line, which replace examples, and the option that sets them, such as `--property`. */
interface Given {
  readonly option: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/**
 * Adds a value for every required member that is not given: the first example in its schema, otherwise its
 * `const`, its default, or its first allowed value.
 *
 * @param what name of the schema in error messages, such as `ledgerProperties`
 * @throws ConfigError that names the member without a value
 */
export function exampleOf(described: unknown, what: string, own?: Given): Record<string, unknown> {
  const { properties, required } = schema.parse(described ?? {});
  const given = own?.given ?? {};
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  const examples = missing.map((name) => {
    const { examples, const: only, default: otherwise, enum: several, writeOnly } = properties[name] ?? {};
    const value = examples?.[0] ?? only ?? otherwise ?? several?.[0];
    if (value !== undefined) return [name, value];
    const option =
      writeOnly === true ? `${own?.option}-file ${name}=<file>` : `${own?.option} ${name}=<value>`;
    throw new ConfigError(
      `The plugin's description requires ${name} in its ${what}: add an example there ("examples": [ … ])${own === undefined ? '' : `, or pass ${option}`}.`,
    );
  });
  return { ...Object.fromEntries(examples), ...given };
}

/**
 * Returns wallet parameters as strings.
 * @throws ConfigError with the name of a parameter whose example is not a string
 */
export function textsOf(parameters: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new ConfigError(
        `The plugin's description has an example of ${name} in its walletParameters that is not a string: ${JSON.stringify(value)}.`,
      );
    }),
  );
}

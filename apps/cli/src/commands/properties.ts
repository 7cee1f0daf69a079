import { answer } from '@ledger-ops/client';
import { z } from 'zod';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { pairOf, readPairs } from '../pairs.ts';

/** Options by which values with names are given; {@link readProperties} reads them. */
export const propertyOptions = {
  set: { value: 'name=value', form: 'list', about: 'A property, as JSON or text; may be repeated.' },
  setFile: {
    value: 'name=file',
    form: 'list',
    about: 'A property from a file, - is standard input: secrets, certificates; may be repeated.',
  },
} as const;

/** A schema of a technology that says which values are secret. */
type Described = 'ledgerProperties' | 'nodeProperties';

/**
 * Values of `--set` are JSON where they can be read as such. Secrets come from files: an argument is shown to every process,
 * and kept by shells.
 * @throws CliError
 */
export async function readProperties(
  { client, terminal }: Context,
  technology: string,
  described: Described,
  given: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<Record<string, unknown>> {
  const set = given.set.map((text) => pairOf('--set takes name=value', text));
  if (set.length > 0) {
    const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
    const found = technologies.find(({ name }) => name === technology);
    if (found === undefined)
      throw new CliError(
        'usage',
        `No plugin here says what ${technology} is, so nobody knows which of its properties are secret.`,
        'the same with --set-file name=<file> in the place of --set; ledger-ops ledger technologies lists what is known',
      );
    const schemas = propertySchemas.parse(found[described] ?? {});
    for (const [name] of set) {
      if (secretSchema.safeParse(schemas.properties?.[name]).success)
        throw new CliError('usage', `${name} is a secret, and no argument.`, `--set-file ${name}=<file>`);
    }
  }
  return Object.fromEntries([
    ...set.map(([name, value]) => [name, readValue(value)] as const),
    ...(await readPairs(terminal, '--set-file takes name=file', given.setFile)),
  ]);
}

const propertySchemas = z.object({ properties: z.record(z.string(), z.unknown()).optional() });
const secretSchema = z.object({ writeOnly: z.literal(true) });

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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

/** Schemas of a technology that say which values are secret. */
type Described = 'ledgerProperties' | 'nodeProperties' | 'walletParameters';

/**
 * Values of `--set` are JSON where they can be read as such. Secrets come from files: an argument is shown to every process,
 * and kept by shells.
 * @throws CliError
 */
export async function readProperties(
  context: Context,
  technology: string,
  described: Exclude<Described, 'walletParameters'>,
  given: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<Record<string, unknown>> {
  const set = given.set.map((text) => pairOf('--set takes name=value', text));
  await demandPublic(context, technology, described, set);
  return Object.fromEntries([
    ...set.map(([name, value]) => [name, readValue(value)] as const),
    ...(await readPairs(context.terminal, '--set-file takes name=file', given.setFile)),
  ]);
}

/** Refuses arguments that are not described as public: a name that is mistyped, or told by no plugin, may be that of a secret. @throws CliError */
export async function demandPublic(
  { client }: Context,
  technology: string,
  described: Described,
  pairs: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { technologies, ledgerProperties } = await answer((await client()).http.GET('/v1/technologies'));
  const own = technologies.find(({ name }) => name === technology)?.[described];
  const known = {
    ...schemasOf.parse(own ?? {}),
    ...(described === 'ledgerProperties' && schemasOf.parse(ledgerProperties)),
  };
  for (const [name] of pairs) {
    const file = `--set-file ${name}=<file>`;
    const names = Object.keys(known).sort();
    if (names.length > 0 && known[name] === undefined)
      throw new CliError(
        'usage',
        `Nothing tells what ${name} is: it may be mistyped, or a secret, which is no argument.`,
        `one of ${names.join(', ')}; else ${file}`,
      );
    if (!publicSchema.safeParse(known[name]).success)
      throw new CliError('usage', `${name} may be a secret, and is no argument.`, file);
  }
}

const schemasOf = z
  .object({ properties: z.record(z.string(), z.unknown()).optional() })
  .transform(({ properties }) => properties ?? {});
const publicSchema = z.object({ writeOnly: z.literal(false).optional() });

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

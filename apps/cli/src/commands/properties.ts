import { answer } from '@ledger-ops/client';
import { z } from 'zod';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { pairOf, readPairs } from '../pairs.ts';
import { likelyTechnologies } from './likely-technologies.ts';

/** Options that set properties; {@link readProperties} reads them. */
export const propertyOptions = {
  set: {
    value: 'name=value',
    form: 'list',
    about: 'A property, as JSON or a plain value; can be given several times.',
  },
  setFile: {
    value: 'name=file',
    form: 'list',
    about: 'A property from a file, - for standard input: secrets, certificates; can be given several times.',
  },
} as const;

/** Members of a technology's description whose schemas mark secret values. */
type Described = 'ledgerProperties' | 'nodeProperties' | 'walletParameters';

/**
 * Reads properties. Values of `--set` are parsed as JSON if possible. Secrets come from files, because other processes can read arguments
 * and shells store them.
 * @throws CliError
 */
export async function readProperties(
  context: Context,
  technology: string,
  described: Exclude<Described, 'walletParameters'>,
  given: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<Record<string, unknown>> {
  const set = given.set.map((text) => pairOf('--set must be name=value', text));
  await demandPublic(context, technology, described, set);
  return Object.fromEntries([
    ...set.map(([name, value]) => [name, readValue(value)] as const),
    ...(await readPairs(context.terminal, '--set-file must be name=file', given.setFile)),
  ]);
}

/** Returns the technology with this name. @throws CliError that suggests similar names */
export function demandTechnology<Technology extends { readonly name: string }>(
  technologies: readonly Technology[],
  technology: string,
): Technology {
  const found = technologies.find(({ name }) => name === technology);
  if (found !== undefined) return found;
  const names = technologies.map(({ name }) => name);
  const likely = likelyTechnologies(technology, names);
  throw new CliError(
    'usage',
    `No plugin of this server supports the technology ${technology}.`,
    `--technology ${(likely.length > 0 ? likely : names).join(' or ')}; to list all: ledger-ops ledger technologies`,
  );
}

/**
 * Rejects properties that the schema does not mark as public. An unknown or mistyped name may be the name of
 * a secret.
 * @throws CliError
 */
export async function demandPublic(
  { client }: Context,
  technology: string,
  described: Described,
  pairs: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { technologies, ledgerProperties } = await answer((await client()).http.GET('/v1/technologies'));
  const served = demandTechnology(technologies, technology);
  const own = served[described];
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
        `${technology} has no property ${name}. It may be mistyped, or a secret, which cannot be passed on the command line.`,
        `one of ${names.join(', ')}, or ${file}`,
      );
    if (!publicSchema.safeParse(known[name]).success)
      throw new CliError(
        'usage',
        `${name} may be a secret, so it cannot be passed on the command line.`,
        file,
      );
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

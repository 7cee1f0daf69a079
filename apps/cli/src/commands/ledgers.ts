import { answer } from '@ledger-ops/client';
import { z } from 'zod';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { readFileOption } from '../terminal.ts';
import { taken } from './taken.ts';

/** @throws CliError */
function pairOf(option: string, text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `${option}, and not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Values of `--set` are JSON where they can be read as such; secrets come from files.
 * @throws CliError
 */
async function propertiesOf(
  { client, terminal }: Context,
  technology: string,
  given: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<{ type: { name: string }; value: unknown }[]> {
  const set = given.set.map((text) => pairOf('--set takes name=value', text));
  const files = given.setFile.map((text) => pairOf('--set-file takes name=file', text));
  const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
  const properties = propertySchema.parse(technologies.find(({ name }) => name === technology) ?? {});
  for (const [name] of set) {
    if (secretSchema.safeParse(properties[name]).success)
      throw new CliError('usage', `${name} is a secret, and no argument.`, `--set-file ${name}=<file>`);
  }
  const named = (name: string, value: unknown) => ({ type: { name }, value });
  return [
    ...set.map(([name, value]) => named(name, readValue(value))),
    ...(await Promise.all(
      files.map(async ([name, file]) => named(name, await readFileOption(terminal, file))),
    )),
  ];
}

/** Of a technology: properties of its ledgers, and which of them are secret. */
const propertySchema = z
  .object({
    ledgerProperties: z.object({ properties: z.record(z.string(), z.unknown()).optional() }).nullish(),
  })
  .transform(({ ledgerProperties }) => ledgerProperties?.properties ?? {});
const secretSchema = z.object({ writeOnly: z.literal(true) });

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const ledgers = [
  command({
    name: 'ledger list',
    about: 'Lists the ledgers that are switched on.',
    options: { limit: { value: 'number', about: 'How many at most; 20.' } },
    async run({ client, output, terminal }, { limit }) {
      const list = (await client()).each('/v1/ledgers', { signal: terminal.signal });
      output.table(
        await taken(list, limit),
        {
          ledger: (one) => one.ledgerID,
          technology: (one) => one.ledgerTechnology.name,
          name: (one) => one.name,
          project: (one) => one.projectId,
        },
        'There is no ledger: ledger-ops ledger add <ledger> --technology <technology> --node <url>',
      );
    },
  }),
  command({
    name: 'ledger show',
    about: 'Shows a ledger with its properties.',
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    async run({ client, output }, { ledgerId }) {
      const params = { path: { ledgerId } };
      const ledger = await answer((await client()).http.GET('/v1/ledgers/{ledgerId}', { params }));
      output.record(ledger);
    },
  }),
  command({
    name: 'ledger add',
    about: 'Makes a ledger known, with its nodes.',
    more: 'ledger-ops ledger add main --technology ethereum --node https://node.example --set chain_id=1',
    arguments: { ledgerId: { about: 'Its id.' } },
    options: {
      technology: {
        value: 'technology',
        form: 'required',
        about: 'As ledger-ops ledger technologies lists it.',
      },
      node: { value: 'url', form: 'list', about: 'URL of a node; may be repeated.' },
      set: { value: 'name=value', form: 'list', about: 'A property of the ledger; may be repeated.' },
      setFile: {
        ...{ value: 'name=file', form: 'list' },
        about: 'A property from a file, - is standard input: secrets, certificates; may be repeated.',
      },
      name: { value: 'text', about: 'For people; else its id.' },
      project: { value: 'project', about: 'Whose it is; else of the application.' },
    },
    async run(context, { ledgerId, technology, node, name, project, ...given }) {
      const { client, output } = context;
      const properties = await propertiesOf(context, technology, given);
      const body = {
        ...{
          ledgerID: ledgerId,
          name: name ?? ledgerId,
          ledgerTechnology: { ledgerTechnologyID: technology },
        },
        ...{ properties, nodes: node.map((uri) => ({ options: { uri } })) },
        ...(project !== undefined && { projectId: project }),
      };
      const ledger = await answer((await client()).http.POST('/v1/ledgers', { body }));
      output.said(`${ledgerId} is known. ledger-ops wallet create <wallet> --ledger ${ledgerId}`, ledger);
    },
  }),
  command({
    name: 'ledger technologies',
    about: 'Lists the kinds of ledgers that this installation can serve.',
    async run({ client, output }) {
      const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
      output.table(
        technologies,
        { technology: (one) => one.name, title: (one) => one.title },
        'There is none.',
      );
    },
  }),
];

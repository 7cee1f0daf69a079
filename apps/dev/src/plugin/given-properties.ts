import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ConfigError } from '@ledger-ops/server';
import { z } from 'zod';
import { CallError } from '../caller.ts';
import { exampleOf } from './examples.ts';

/** Maximum size of a property's file, in bytes. */
const maxFileBytes = 1 << 20;

interface GivenProperty {
  /** `--property`, `--property-file`, `--node-property` or `--node-property-file`. */
  readonly option: string;
  readonly text: string;
}

/** Properties of a ledger or a node from the command line. */
export interface GivenProperties {
  /** `--property` or `--node-property`; the option for files appends `-file`. */
  readonly option: '--property' | '--node-property';
  readonly given: ReadonlyMap<string, GivenProperty>;
}

/**
 * Reads `name=value` and `name=file`. Error messages omit values, because a mistyped argument may be a secret.
 * @throws ConfigError that names the option
 */
export function readProperties(
  option: GivenProperties['option'],
  values: readonly string[] = [],
  files: readonly string[] = [],
): GivenProperties {
  const given = new Map<string, GivenProperty>();
  const add = (own: string, kind: string, pair: string, read: (text: string, name: string) => string) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new ConfigError(`${own} must be name=${kind}.`);
    const name = pair.slice(0, at);
    if (given.has(name)) throw new ConfigError(`${own} ${name} is given twice.`);
    given.set(name, { option: own, text: read(pair.slice(at + 1), name) });
  };
  for (const pair of values) add(option, 'value', pair, (value) => value);
  const fileOption = `${option}-file`;
  for (const pair of files) {
    add(fileOption, 'file', pair, (path, name) => readPropertyFile(`${fileOption} ${name}`, path));
  }
  return { option, given };
}

/** Returns the content of a file without its trailing line feed. @throws ConfigError */
function readPropertyFile(option: string, path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new ConfigError(`${option}: ${path} cannot be read${code}.`);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new ConfigError(`${option}: ${path} is not a regular file.`);
    if (stat.size > maxFileBytes) throw new ConfigError(`${option}: ${path} is larger than 1 MiB.`);
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } finally {
    closeSync(file);
  }
}

const memberSchema = z.object({ type: z.unknown().optional(), writeOnly: z.unknown().optional() }).catch({});
const objectSchema = z.object({ properties: z.record(z.string(), memberSchema).default({}) }).catch({
  properties: {},
});

/**
 * Validates the given properties and adds examples of other required ones.
 * @param schema from the plugin's description
 * @param common schema of properties that every technology has
 * @throws ConfigError that names the option of an unknown property, of a secret on the command line, or of a missing one
 */
export function propertiesOf(
  { option, given }: GivenProperties,
  what: 'ledgerProperties' | 'nodeProperties',
  schema: unknown,
  common?: unknown,
): Record<string, unknown> {
  const known = {
    ...objectSchema.parse(common ?? {}).properties,
    ...objectSchema.parse(schema ?? {}).properties,
  };
  const values = [...given].map(([name, { option: own, text }]): [string, unknown] => {
    if (own !== option) return [name, text];
    const member = Object.hasOwn(known, name) ? known[name] : undefined;
    if (member === undefined) {
      const names = Object.keys(known).sort().join(', ') || 'none';
      throw new ConfigError(
        `${own} ${name}: the plugin declares no such property. Known properties: ${names}. Correct the name, or use ${option}-file ${name}=<file>, which accepts undeclared properties.`,
      );
    }
    if (member.writeOnly === true) {
      throw new ConfigError(
        `${own} ${name} is a secret, so it cannot be passed on the command line. Use ${option}-file ${name}=<file>.`,
      );
    }
    return [name, member.type === 'string' ? text : readValue(text)];
  });
  return exampleOf(schema, what, { option, given: Object.fromEntries(values) });
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Given properties in a request body: of a ledger, with its node below `/nodes/0`, or of a node. */
interface SentProperties {
  readonly ledger?: GivenProperties;
  readonly node: GivenProperties;
}

/**
 * Calls the API. If it rejects values, the error names the options that set them.
 * @throws CallError, ConfigError
 */
export async function namingOptions(
  { ledger, node }: SentProperties,
  call: () => Promise<unknown>,
): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof CallError) || error.issues.length === 0) throw error;
    const lines = error.issues.map(({ pointer, detail }) => {
      const [, inNode, member, name] =
        /^([/]nodes[/]0)?[/](uri|properties)(?:[/]([^/]+))?/.exec(pointer) ?? [];
      if (member === 'uri') return `--node: ${detail}`;
      if (name === undefined) return `${pointer}: ${detail}`;
      const { option, given } = inNode === undefined ? (ledger ?? node) : node;
      const own = given.get(name)?.option;
      return own === undefined
        ? `The example of ${name} in the plugin's description: ${detail}. To replace it: ${option} ${name}=<value>`
        : `${own} ${name}: ${detail}`;
    });
    throw new ConfigError(lines.join('\n'));
  }
}

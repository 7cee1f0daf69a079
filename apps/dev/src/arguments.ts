import { parseArgs } from 'node:util';
import { ConfigError } from '@ledger-ops/server';
import { type GivenProperties, readProperties } from './plugin/given-properties.ts';

export const usage = `npm start -- [options]

Starts the server with development ledgers, sends a first operation to each, and runs until Ctrl-C.

  --once                             exits after the first operations; the exit code is 0 if all SUCCEEDED
  --demo                             adds an example company with wallets, contracts, a webhook, and succeeded, failed,
                                     pending and canceled actions, and keeps sending an operation every few seconds
  --plugin <folder|package|url>      starts the server with this plugin and its ledger instead: registers it, creates two
                                     wallets, and sends an operation now and after each change of its files
  --help                             shows this text

With --plugin:

  --property <name=value>            property of the ledger, as JSON or text; can be given several times
  --property-file <name=file>        property of the ledger from a file, for secrets; can be given several times
  --node <url>                       node of the ledger
  --node-property <name=value>       property of the node, as JSON or text; can be given several times
  --node-property-file <name=file>   property of the node from a file, for secrets; can be given several times
  --amount <amount>                  amount of the transfer, in the smallest unit of the ledger; default 1
  --fund <command>                   shell command that runs before the first operation and funds the wallet whose address
                                     is in WALLET_ADDRESS
`;

/** Options that describe the ledger and the first operation of a plugin. */
export interface PluginOptions {
  readonly node?: string;
  readonly amount?: string;
  readonly fund?: string;
  readonly properties: GivenProperties;
  readonly nodeProperties: GivenProperties;
}

/** Parsed arguments of the development server. */
export type Arguments =
  | { help: true }
  | { help: false; once: boolean; demo: boolean; cli: string; plugin?: undefined }
  | ({ help: false; once: boolean; plugin: string } & PluginOptions);

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const pluginOptions = {
  ...{ property: texts, 'property-file': texts },
  ...{ node: text, 'node-property': texts, 'node-property-file': texts },
  ...{ amount: text, fund: text },
} as const;

/** @throws ConfigError that names the option and the problem */
export function readArguments(args: readonly string[]): Arguments {
  const { once = false, demo = false, cli = 'ledger-ops', help = false, plugin, ...given } = parse(args);
  if (help) return { help };
  if (plugin === undefined) {
    const [stray] = Object.keys(given);
    if (stray !== undefined) throw new ConfigError(`--${stray} needs --plugin.`);
    if (once && demo) throw new ConfigError('--once and --demo cannot be combined.');
    return { help, once, demo, cli };
  }
  if (demo) throw new ConfigError('--demo and --plugin cannot be combined.');
  const { node, amount, fund, ...pairs } = given;
  if (amount !== undefined && !/^(?:\d{1,78}|0x[\da-f]{1,64})$/i.test(amount)) {
    throw new ConfigError(
      '--amount must be a whole number in the smallest unit of the ledger, such as 1000.',
    );
  }
  if (fund?.trim() === '') throw new ConfigError('--fund needs a command.');
  const properties = readProperties('--property', pairs.property, pairs['property-file']);
  const nodeProperties = readProperties(
    '--node-property',
    pairs['node-property'],
    pairs['node-property-file'],
  );
  const [nodeProperty] = nodeProperties.given;
  if (node === undefined && nodeProperty !== undefined) {
    const [name, { option }] = nodeProperty;
    throw new ConfigError(`${option} ${name} needs --node.`);
  }
  return {
    ...{ help, once, plugin, properties, nodeProperties },
    ...(node !== undefined && { node }),
    ...(amount !== undefined && { amount }),
    ...(fund !== undefined && { fund }),
  };
}

function parse(args: readonly string[]) {
  const options = {
    ...{ once: flag, demo: flag, plugin: text, ...pluginOptions, help: { ...flag, short: 'h' } },
    // Set by scripts/start.mjs: the command that starts the command line.
    cli: text,
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError(`${error.message} npm start -- --help lists the options.`);
  }
}

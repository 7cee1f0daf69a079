import { parseArgs } from 'node:util';
import { ConfigError } from '@ledger-ops/server';

export const usage = `npm start -- [options]

Starts the server with ledgers of its own, sends a first operation to each, and serves.

  --once                             ends after the first operations, with 0 when they SUCCEEDED
  --plugin <folder|package|url>      starts the server with this plugin and a ledger of it instead: registers it, makes two
                                     wallets, sends an operation, and does it again after each change of its files
  --node <url>                       with --plugin: the node of its ledger
  --help                             this text
`;

/** How the development server was called. */
export type Arguments = { help: true } | { help: false; once: boolean; plugin?: string; node?: string };

/** @throws ConfigError that says what is wrong. */
export function readArguments(args: readonly string[]): Arguments {
  const { once = false, help = false, plugin, node } = parse(args);
  if (help) return { help };
  if (node !== undefined && plugin === undefined) throw new ConfigError('--node needs --plugin.');
  return { help, once, ...(plugin !== undefined && { plugin }), ...(node !== undefined && { node }) };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const options = { once: flag, plugin: text, node: text, help: { ...flag, short: 'h' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError(`${error.message} There are --once, --plugin, --node and --help.`);
  }
}

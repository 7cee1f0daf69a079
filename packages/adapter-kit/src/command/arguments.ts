import { parseArgs } from 'node:util';

export const usage = `adapter-kit <url> --config <file> [options]     a remote plugin
adapter-kit <module> [--report text|json]         a module

Runs every check of the adapter interface that is possible from outside.

A remote plugin is given by its URL. The configuration is a JSON file:
  ledgerId    a ledger of the plugin
  samples     { "operation", "other", "transfer"?, "call"?, "deploy"?, "effects"?, "refused"?, "view"?, "coSigned"?,
              "emitting"? }
              An operation is { "glo", "contractInterface"?, "contractSource"? }.
              operation, other: two operations that a wallet can execute
              transfer, call, deploy: one operation of each other type that the plugin declares
              effects: [{ "account", "adds" }]: what one execution of "operation" adds to the number that --state prints
              for an account; "wallet:0" is the sender
              refused: an operation that cannot be executed
              view: { "operation", "result" }
              coSigned: { "operation", "others", "payer"? }: an operation that this many other wallets also sign. In
              its GLO, "wallet:0" stands for the address of the sender, "wallet:1" for that of the first other wallet.
              emitting: { "operation", "contractAddress", "event": { "name"?, "args"? }, "silentAddress"? }: an operation that
              makes the contract emit this event once; silentAddress is an address that emits no events
  funded      "from-the-start": new wallets have funds; or { "walletId", "secret" }: a wallet with funds.
              If absent, checks that need funds are skipped.
  walletParameters, headers, patience (milliseconds)   optional

Checks of crash recovery need commands that restart the plugin:
  --start <command>     starts the plugin, immediately if nothing responds at the URL. The plugin may run in the
                        command itself. Without --stop, the command is killed (SIGKILL) to stop the plugin.
  --stop <command>      stops the plugin and exits with 0; requires --start
  --restart <command>   stops and starts the plugin, and exits; replaces --start and --stop

Checks of effects need a command that reads the ledger directly, without the plugin:
  --state <command>     prints what the ledger holds for the account in the variable ACCOUNT, such as its balance

A module is given by its path or package. Its default export is the adapter's definition. It also exports the function
openHarness, which returns a ConformanceHarness (see the README of @ledger-ops/adapter-kit) for each check.

  --report text|json    text (default) or one JSON document, on standard output. Both end with a list of what was
                        not fully proved because a sample, hook or command is missing.
  --help                prints this text

Exit codes
  0   no check failed, and at least one ran
  1   a check failed, or none could run
  2   the arguments, the configuration or the module are invalid
`;

/** Shell commands that restart a remote plugin. */
export type RestartCommands = { restart: string } | { start: string; stop?: string };

/** Either `help`, or the plugin to test. */
export type Arguments =
  | { help: true }
  | {
      help: false;
      target: string;
      report: 'text' | 'json';
      remote?: { config: string; commands?: RestartCommands; state?: string };
    };

/** @throws TypeError that explains the error */
export function readArguments(args: readonly string[]): Arguments {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      config: text,
      start: text,
      stop: text,
      restart: text,
      state: text,
      report: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return { help: true };
  const [target] = positionals;
  if (target === undefined || positionals.length > 1) throw new TypeError('Give one URL or module.');
  const { config, start, stop, restart, state, report = 'text' } = values;
  if (report !== 'text' && report !== 'json') throw new TypeError('--report must be text or json.');
  if (!/^https?:\/\//.test(target)) {
    if ([config, start, stop, restart, state].some((given) => given !== undefined)) {
      throw new TypeError(
        '--config, --start, --stop, --restart and --state are only for remote plugins; a module has openHarness.',
      );
    }
    return { help: false, target, report };
  }
  if (URL.parse(target) === null) throw new TypeError('The URL is invalid.');
  if (config === undefined) throw new TypeError('A remote plugin requires --config.');
  if (restart !== undefined && (start ?? stop) !== undefined) {
    throw new TypeError('--restart cannot be combined with --start and --stop.');
  }
  if (stop !== undefined && start === undefined) throw new TypeError('--stop requires --start.');
  const commands =
    restart !== undefined
      ? { restart }
      : start !== undefined
        ? { start, ...(stop !== undefined && { stop }) }
        : undefined;
  const remote = {
    config,
    ...(commands !== undefined && { commands }),
    ...(state !== undefined && { state }),
  };
  return { help: false, target, report, remote };
}

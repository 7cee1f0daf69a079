import { parseArgs } from 'node:util';

export const usage = `adapter-kit <url> --config <file> [options]     a remote plugin
adapter-kit <module> [--report text|json]         a module

Proves every clause of the contract that can be proved from outside.

A remote plugin is named by its URL. The configuration is a JSON file:
  ledgerId    a ledger of the plugin
  samples     { "operation", "other": two operations that a wallet can execute, "refused"?, "view"?, "coSigned"?, "telling"? };
              an operation is { "glo", "contractInterface"?, "contractSource"? }, a view { "operation", "result" },
              coSigned { "operation", "others": how many wallets sign too, "payer"? }: in its GLO the text "wallet:0"
              stands for the address of the sender, "wallet:1" for that of the first other,
              telling { "operation", "contractAddress", "event": { "name"?, "args"? }, "silent"? }: the operation makes
              the contract tell this event, once; silent is an address where nothing is told
  funded      "from-the-start": new wallets can pay; or { "walletId", "secret" }: this one can.
              Absent: clauses that cost something are skipped
  walletParameters, headers, patience (milliseconds)   optional

Clauses about crashes run only where the command can restart the plugin:
  --start <command>     starts the plugin, and is ended with it if it keeps running. Where nothing answers at the
                        URL it is started at once. Killed (SIGKILL) where there is no --stop
  --stop <command>      stops the plugin, with --start; ends with 0 when it is done
  --restart <command>   in the place of both: stops and starts it, and ends

A module is named by its path or package. It exports the adapter's definition as its default, and the function
openHarness, which gives a ConformanceHarness (see the README of @ledger-ops/adapter-kit) for each clause.

  --report text|json    text (default) or one JSON document, on standard output; both end with what is declared, and is
                        not proved in full because something that its clauses need was not given
  --help                this text

Exit codes
  0   no clause is broken, and at least one was proved
  1   a clause is broken, or none could be proved
  2   the arguments, the configuration or the module cannot be used
`;

/** How the command restarts a remote plugin. */
export type RestartCommands = { restart: string } | { start: string; stop?: string };

/** Either `help`, or the plugin that is to be tested. */
export type Arguments =
  | { help: true }
  | {
      help: false;
      target: string;
      report: 'text' | 'json';
      remote?: { config: string; commands?: RestartCommands };
    };

/** @throws TypeError that says what is wrong. */
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
      report: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return { help: true };
  const [target] = positionals;
  if (target === undefined || positionals.length > 1) throw new TypeError('One URL or module is needed.');
  const { config, start, stop, restart, report = 'text' } = values;
  if (report !== 'text' && report !== 'json') throw new TypeError('--report is text or json.');
  if (!/^https?:\/\//.test(target)) {
    if ([config, start, stop, restart].some((given) => given !== undefined)) {
      throw new TypeError(
        '--config, --start, --stop and --restart are for remote plugins; a module has openHarness.',
      );
    }
    return { help: false, target, report };
  }
  if (URL.parse(target) === null) throw new TypeError('The URL cannot be read.');
  if (config === undefined) throw new TypeError('A remote plugin needs --config.');
  if (restart !== undefined && (start ?? stop) !== undefined) {
    throw new TypeError('--restart stands in the place of --start and --stop.');
  }
  if (stop !== undefined && start === undefined) throw new TypeError('--stop needs --start.');
  const commands =
    restart !== undefined
      ? { restart }
      : start !== undefined
        ? { start, ...(stop !== undefined && { stop }) }
        : undefined;
  return { help: false, target, report, remote: { config, ...(commands !== undefined && { commands }) } };
}

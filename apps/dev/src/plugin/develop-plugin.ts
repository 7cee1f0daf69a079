import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { builtInAdapters, ConfigError, createLog, startServer } from '@ledger-ops/server';
import type { PluginOptions } from '../arguments.ts';
import { CallError, type Caller, openCaller } from '../caller.ts';
import { devIds, ensureCredentials, organizationIdOf } from '../credentials.ts';
import { type DevFile, readDevFile, writeDevFile } from '../dev-file.ts';
import { follow, type Status, send } from '../follow.ts';
import { consoleLines } from '../instructions.ts';
import { ensurePerson } from '../person.ts';
import { sendBody } from '../samples.ts';
import { ensureWallet, passwordsOf } from '../seed.ts';
import { freePort, lockDataDir, readDevSettings } from '../settings.ts';
import { exampleOf, textsOf } from './examples.ts';
import { fundWallet } from './fund.ts';
import { nextChange } from './next-change.ts';
import { nextTry } from './next-try.ts';
import { firstOperation } from './operation.ts';
import { withPluginLines } from './plugin-lines.ts';
import { ensurePluginLedger, type PluginTechnology, registerPlugin } from './records.ts';
import { ledgerOfRemote, nextDescription } from './remote.ts';
import { type PluginTarget, readTarget } from './target.ts';
import { waitingText } from './waiting-text.ts';

type Show = (line: string) => void;

/** How the development server is started for a plugin. */
export interface PluginArguments extends PluginOptions {
  readonly plugin: string;
  readonly once: boolean;
}

/**
 * Starts the server for one plugin: registers it, creates a ledger and two wallets, and sends an operation. Repeats this
 * after each change of the plugin's files or of a remote plugin's description, and when the user presses Enter. An error
 * does not stop the server. With `--once` it exits after the first operation.
 * @param terminal standard input, if it is a terminal
 */
export async function developPlugin(
  { plugin, once, ...options }: PluginArguments,
  show: Show,
  stop: Promise<NodeJS.Signals>,
  terminal?: Readable,
): Promise<number> {
  const target = readTarget(plugin, process.cwd());
  const { module } = target;
  const { config, dataDir, ports, ignored } = readDevSettings(process.env, target);
  for (const line of ignored) show(line);
  using parts = new DisposableStack();
  parts.adopt(lockDataDir(dataDir), (held) => held.release());
  const port = await freePort(ports.PORT, show);
  const log = withPluginLines(createLog(config.logLevel), show);
  const server = await startServer({
    config: { ...config, port },
    ...{ log, adapters: builtInAdapters, showThrown: true },
  });
  try {
    const path = join(dataDir, 'dev.json');
    const former = await readDevFile(path);
    const { credentials } = await ensureCredentials(server, former);
    const newPassword = passwordsOf(config.walletPasswordMinimum);
    const person = await ensurePerson(server, former?.person, newPassword);
    const file: DevFile = {
      ...credentials,
      organizationId: await organizationIdOf(server),
      projectId: devIds.project,
      person,
      ledgers: former?.ledgers ?? [],
      wallets: former?.wallets ?? [],
      templates: former?.templates ?? [],
      ...(former?.demo && { demo: former.demo }),
    };
    await writeDevFile(path, file);
    const tools: Tools = {
      ...{ target, options, file, show, newPassword, stop },
      fundedWallet: undefined,
    };
    if (!once) show(consoleLines(server.url, person));
    const nextChangeOf = (over: Promise<unknown>) =>
      module === undefined ? nextDescription(target.url, over) : nextChange(module.folder, over);
    for (;;) {
      const again = once ? stop : nextTry(nextChangeOf, terminal, stop);
      const status = await attempt(tools, async () => tryPlugin(await openCaller(credentials), tools, again));
      await writeDevFile(path, file);
      if (once) return status === 'SUCCEEDED' ? 0 : 1;
      show(`The server is at ${server.url}; credentials are in ${path}. Ctrl-C stops it.`);
      const change =
        module === undefined
          ? `for ${target.url} to restart or to change its description`
          : `for changes in ${module.folder}`;
      const enter = terminal === undefined ? '' : ', or for Enter';
      show(waitingText(status, `${change}${enter}`));
      if ((await again) !== true) return 0;
      show('\nTrying again.');
    }
  } finally {
    await server.close();
  }
}

/** Prints an expected error and continues, because the next change may fix it. */
async function attempt({ show }: Tools, run: () => Promise<Status>): Promise<Status> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CallError || error instanceof ConfigError) show(error.message);
    else if (error instanceof DOMException && error.name === 'TimeoutError')
      show('The server did not answer within 60 seconds.');
    else throw error;
    return 'FAILED';
  }
}

interface Tools {
  readonly target: PluginTarget;
  readonly options: PluginOptions;
  readonly file: DevFile;
  readonly show: Show;
  readonly newPassword: () => string;
  readonly stop: Promise<unknown>;
  /** The wallet whose last operation succeeded. It is not funded again. */
  fundedWallet: string | undefined;
}

/** Creates missing records, sends an operation, and follows it until `over`. Returns its status. */
async function tryPlugin(caller: Caller, tools: Tools, over: Promise<unknown>): Promise<Status> {
  const { target, options, file, show, newPassword } = tools;
  const remoteLedger = target.module === undefined ? await ledgerOfRemote(target.url) : undefined;
  const technology = await registerPlugin(caller, target);
  const { name, title, version, capabilities } = technology;
  show(
    `${title}: ${target.name} ${version} serves ${name} ledgers and supports ${capabilities.operations.join(', ')}`,
  );
  const ledgerId = remoteLedger ?? ledgerIdOf(target.name, name);
  await ensurePluginLedger(caller, target, technology, ledgerId, options);
  file.ledgers = [
    ...file.ledgers.filter((ledger) => ledger.ledgerId !== ledgerId),
    { ledgerId, technology: name },
  ];
  const [from, to] = await ensureWallets(caller, technology, ledgerId, file, newPassword);
  const operation = firstOperation(technology, to, options.amount);
  if (operation === null) {
    show(
      `The plugin supports neither transfers nor contract calls with an example. Send an operation yourself from ${from.walletId}.`,
    );
    return 'FAILED';
  }
  if (options.fund !== undefined && tools.fundedWallet !== from.walletId) {
    show(`${title}: funding ${from.walletId} (${from.walletAddress})`);
    await fundWallet(options.fund, from.walletAddress, tools.stop);
  }
  tools.fundedWallet = undefined;
  const body = { ...sendBody(from, operation.glo), intent: randomUUID(), tag: 'first operation' };
  const what = `${operation.what} by ${from.walletId} (${from.walletAddress})`;
  const actionId = await send(caller, body).catch((error: unknown) => {
    if (!(error instanceof CallError)) throw error;
    const isAmount = error.issues.some(({ pointer }) => pointer === '/glo/options/amount');
    const option = isAmount && options.amount !== undefined ? '--amount: ' : '';
    throw new ConfigError(`${title}: the ${what} was refused. ${option}${error.detail}`);
  });
  show(`${title}: ${what}: action ${actionId}`);
  const status = await follow(caller, actionId, show, over);
  if (status === 'SUCCEEDED') tools.fundedWallet = from.walletId;
  return status;
}

/**
 * Returns the id of the plugin's ledger: one per technology, and different from the ids of the development
 * networks.
 */
function ledgerIdOf(plugin: string, technology: string): string {
  const words = plugin.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = words.replace(/^ledger-ops-plugin-/, '').slice(0, 40);
  return `plugin-${name === technology ? name : `${name}-${technology}`}`.slice(0, 60);
}

type DevWallet = DevFile['wallets'][number];

/** Creates two wallets on the ledger, and writes them to the file immediately. */
async function ensureWallets(
  caller: Caller,
  { walletParameters }: PluginTechnology,
  ledgerId: string,
  file: DevFile,
  newPassword: () => string,
): Promise<[DevWallet, DevWallet]> {
  const given = textsOf(exampleOf(walletParameters, 'walletParameters'));
  const ensure = async (name: string) => {
    const own = file.wallets.filter((wallet) => wallet.ledgerId === ledgerId);
    const needs = { newPassword, parameters: () => given };
    const wallet = await ensureWallet(caller, ledgerId, `${ledgerId}-${name}`, own, needs);
    file.wallets = [...file.wallets.filter(({ walletId }) => walletId !== wallet.walletId), wallet];
    return wallet;
  };
  return [await ensure('erin'), await ensure('frank')];
}

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { builtInAdapters, ConfigError, createLog, startServer } from '@ledger-ops/server';
import { CallError, type Caller, openCaller } from '../caller.ts';
import { type DevFile, readDevFile, writeDevFile } from '../dev-file.ts';
import { follow, send } from '../follow.ts';
import { devIds, ensureCredentials, organizationIdOf } from '../ground.ts';
import { consoleLine } from '../instructions.ts';
import { ensurePerson } from '../person.ts';
import { sendBody } from '../samples.ts';
import { ensureWallet, passwordsOf } from '../seed.ts';
import { demandFreePort, readDevSettings } from '../settings.ts';
import { exampleOf, textsOf } from './examples.ts';
import { nextChange } from './next-change.ts';
import { firstOperation } from './operation.ts';
import { withPluginLines } from './plugin-lines.ts';
import { ensurePluginLedger, type PluginTechnology, registerPlugin } from './records.ts';
import { ledgerOfRemote, nextDescription } from './remote.ts';
import { type PluginTarget, readTarget } from './target.ts';

type Show = (line: string) => void;

/** How the development server is started for a plugin. */
export interface PluginArguments {
  plugin: string;
  node?: string;
  once: boolean;
}

/**
 * Starts the server for one plugin: registers it, makes a ledger and two wallets, and sends an operation, anew after each
 * change of its files, or of what is served; with `--once` it ends after the first.
 */
export async function developPlugin(
  { plugin, node, once }: PluginArguments,
  show: Show,
  stop: Promise<NodeJS.Signals>,
): Promise<number> {
  const target = readTarget(plugin, process.cwd());
  const { module } = target;
  const { config, dataDir, ignored } = readDevSettings(process.env, target);
  for (const line of ignored) show(line);
  await demandFreePort('PORT', config.port);
  const log = withPluginLines(createLog(config.logLevel), show);
  const server = await startServer({ config, log, adapters: builtInAdapters, showThrown: true });
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
    };
    await writeDevFile(path, file);
    const tools = { target, node, file, show, newPassword };
    if (!once) show(consoleLine(server.url, person));
    const nextOne = () =>
      module === undefined ? nextDescription(target.url, stop) : nextChange(module.folder, stop);
    for (;;) {
      const changed = once ? stop : nextOne();
      const succeeded = await attempt(tools, async () =>
        tryPlugin(await openCaller(credentials), tools, changed),
      );
      await writeDevFile(path, file);
      if (once) return succeeded ? 0 : 1;
      show(`The server is at ${server.url}; credentials stand in ${path}. Ctrl-C ends it.`);
      show(
        module === undefined
          ? `Waiting for ${target.url} to be started again, or to describe itself otherwise.`
          : `Waiting for changes in ${module.folder}.`,
      );
      if ((await changed) !== true) return 0;
      show('\nChanged.');
    }
  } finally {
    await server.close();
  }
}

/** A refusal is shown, and no end: the next change may make it good. */
async function attempt({ show }: Tools, run: () => Promise<boolean>): Promise<boolean> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CallError || error instanceof ConfigError)) throw error;
    show(error.message);
    return false;
  }
}

interface Tools {
  readonly target: PluginTarget;
  readonly node: string | undefined;
  readonly file: DevFile;
  readonly show: Show;
  readonly newPassword: () => string;
}

/** Makes what is missing, sends an operation, and follows it until `over`. True when it SUCCEEDED. */
async function tryPlugin(
  caller: Caller,
  { target, node, file, show, newPassword }: Tools,
  over: Promise<unknown>,
): Promise<boolean> {
  const remoteLedger = target.module === undefined ? await ledgerOfRemote(target.url) : undefined;
  const technology = await registerPlugin(caller, target);
  const { name, title, version, capabilities } = technology;
  show(
    `${title}: ${target.name} ${version} is for ledgers of ${name}: ${capabilities.operations.join(', ')}`,
  );
  const ledgerId = remoteLedger ?? ledgerIdOf(target.name, name);
  await ensurePluginLedger(caller, target, technology, ledgerId, node);
  file.ledgers = [
    ...file.ledgers.filter((ledger) => ledger.ledgerId !== ledgerId),
    { ledgerId, technology: name },
  ];
  const [from, to] = await ensureWallets(caller, technology, ledgerId, file, newPassword);
  const operation = firstOperation(technology, to);
  if (operation === null) {
    show(
      `It has neither transfers nor calls of a contract with an example: send one yourself, as ${from.walletId}.`,
    );
    return false;
  }
  const body = { ...sendBody(from, operation.glo), intent: randomUUID(), tag: 'first operation' };
  const actionId = await send(caller, body);
  show(`${title}: ${operation.what} by ${from.walletId} (${from.walletAddress}): action ${actionId}`);
  return await follow(caller, actionId, show, over);
}

/** Apart from the ledgers of the development networks; a plugin that turns to another technology gets another one. */
function ledgerIdOf(plugin: string, technology: string): string {
  const words = plugin.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = words.replace(/^ledger-ops-plugin-/, '').slice(0, 40);
  return `plugin-${name === technology ? name : `${name}-${technology}`}`.slice(0, 60);
}

type DevWallet = DevFile['wallets'][number];

/** Two wallets on the ledger, and in the file as soon as they are there. */
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

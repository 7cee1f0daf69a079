import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import type { FabricProcess } from '@ledger-ops/devnet-fabric';
import type { SolanaProcess } from '@ledger-ops/devnet-solana';
import { builtInAdapters, createLog, type RunningServer, runProcess, startServer } from '@ledger-ops/server';
import { readArguments, usage } from './arguments.ts';
import type { Caller } from './caller.ts';
import { devIds, ensureCredentials, ensureLedger, organizationIdOf } from './credentials.ts';
import { startDemo } from './demo/start-demo.ts';
import { type DevFile, readDevFile, writeDevFile, writePrivately } from './dev-file.ts';
import {
  chaincodes,
  ensureFabricLedger,
  ensureFabricWallets,
  readProfile,
  startDevFabric,
} from './fabric.ts';
import { follow, send } from './follow.ts';
import { commandsToPaste, openingLines } from './instructions.ts';
import { ensurePerson } from './person.ts';
import { developPlugin } from './plugin/develop-plugin.ts';
import { callGlo, sendBody, transferGlo } from './samples.ts';
import { ensureTemplate, ensureWallets, passwordsOf } from './seed.ts';
import { freePort, lockDataDir, readDevSettings } from './settings.ts';
import { ensureSolanaLedger, ensureSolanaWallets, isDevSolanaKnown, startDevSolana } from './solana.ts';
import { StartProgress } from './start-progress.ts';

/** How the development server runs: `once` exits after the first operations, and `demo` keeps sending operations. */
interface Ways {
  readonly once: boolean;
  readonly demo: boolean;
  /** Command that starts the command line. */
  readonly cli: string;
}

const show = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Starts an Ethereum chain, a Fabric network, the server and a Solana ledger, sends a first operation to each ledger,
 * and runs until a signal. With `--once` it exits after the operations.
 */
async function develop({ once, demo, cli }: Ways, stop: Promise<NodeJS.Signals>): Promise<number> {
  const { config, dataDir, ports, blockTime, ignored } = readDevSettings(process.env);
  for (const line of ignored) show(line);
  // Stops the parts in reverse order, each one even if another fails to stop.
  const parts = new AsyncDisposableStack();
  parts.adopt(lockDataDir(dataDir), (held) => held.release());
  const port = await freePort(ports.PORT, show);
  const anvilPort = await freePort(ports.ANVIL_PORT, show);
  const solanaPort = await freePort(ports.SOLANA_PORT, show);
  const log = createLog(config.logLevel);
  show('Starting the ledgers and the server (about 20 seconds) …');
  const progress = new StartProgress(show);
  parts.defer(() => progress.stop());
  // Fabric takes longest to start, so the other parts start at the same time.
  const starting = progress.track('Fabric network', startDevFabric(dataDir));
  starting.catch(() => undefined);
  parts.defer(async () => (await starting.catch(() => undefined))?.stop());
  let beginning: Promise<SolanaProcess | null> | undefined;
  parts.defer(async () => (await beginning?.catch(() => undefined))?.stop());
  const beginSolana = (): Promise<SolanaProcess | null> => {
    beginning ??= progress.track('Solana ledger', startDevSolana(dataDir, solanaPort));
    beginning.catch(() => undefined);
    return beginning;
  };
  try {
    // If the database contains the Solana ledger, the server connects to the ledger immediately, so the ledger must start
    // first. A new ledger starts after the server, so that the server answers sooner.
    const isKnown = isDevSolanaKnown(dataDir);
    if (isKnown) beginSolana();
    const anvil = await progress.track(
      'Ethereum chain',
      startAnvil({ port: anvilPort, blockTime, stateFile: join(dataDir, 'anvil-state.json') }),
    );
    parts.defer(() => anvil.stop());
    if (isKnown) await beginSolana();
    const server = await progress.track(
      'Server',
      startServer({ config: { ...config, port }, log, adapters: builtInAdapters, startsLedgers: true }),
    );
    parts.defer(() => server.close());
    beginSolana();
    const newPassword = passwordsOf(config.walletPasswordMinimum);
    const path = join(dataDir, 'dev.json');
    const { caller, stored } = await prepare(server, anvil, path, newPassword);
    const sent = await firstTransfer(caller, stored.file, ether);
    const solana = await beginSolana();
    if (solana === null) show(noSolana);
    else await prepareSolana(caller, solana, stored, newPassword);
    const sentOnSolana = solana === null || (await firstTransfer(caller, stored.file, sol));
    await prepareFabric(caller, await starting, stored, newPassword);
    const called = await firstCall(caller, stored.file);
    if (once) return sent && sentOnSolana && called ? 0 : 1;
    progress.stop();
    const unserved = solana === null ? [devIds.solanaLedger] : [];
    const commands = join(dataDir, 'commands.sh');
    await writePrivately(commands, commandsToPaste(stored.file, { unserved, cli, path: shortPath(path) }));
    if (demo) {
      parts.use(await startDemo(caller, stored, { newPassword, show, unserved }));
    }
    show(openingLines(stored.file, { cli, path: shortPath(path), commands: shortPath(commands) }));
    await stop;
    return 0;
  } finally {
    await parts.disposeAsync();
  }
}

const noSolana = `Solana: not started, because its runtime litesvm has no binary for ${process.platform} ${process.arch}.`;

/** Returns the path relative to the current folder, if the file is in it. */
function shortPath(path: string): string {
  const way = relative(process.cwd(), path);
  return way.startsWith('..') ? path : way;
}

/** Content and path of dev.json, which the next start reads. */
export interface Stored {
  file: DevFile;
  path: string;
}

async function prepare(server: RunningServer, anvil: Anvil, path: string, newPassword: () => string) {
  const former = await readDevFile(path);
  const { credentials, caller } = await ensureCredentials(server, former);
  await ensureLedger(server, anvil.url, anvil.chainId);
  const ethereum = { ledgerId: devIds.ledger, technology: 'ethereum', rpcUrl: anvil.url };
  const file: DevFile = {
    ...credentials,
    organizationId: await organizationIdOf(server),
    projectId: devIds.project,
    person: await ensurePerson(server, former?.person, newPassword),
    ledgers: [ethereum, ...(former?.ledgers ?? []).filter(({ ledgerId }) => ledgerId !== devIds.ledger)],
    wallets: former?.wallets ?? [],
    templates: former?.templates ?? [],
    ...(former?.demo && { demo: former.demo }),
  };
  // The database stores only hashes of the credentials, so they are saved immediately.
  await writeDevFile(path, file);
  const others = file.wallets.filter(({ ledgerId }) => ledgerId !== devIds.ledger);
  file.wallets = [...(await ensureWallets(caller, anvil, file.wallets, newPassword)), ...others];
  await writeDevFile(path, file);
  file.templates = [await ensureTemplate(caller)];
  await writeDevFile(path, file);
  return { caller, stored: { file, path } };
}

async function prepareSolana(
  caller: Caller,
  ledger: SolanaProcess,
  stored: Stored,
  newPassword: () => string,
): Promise<void> {
  await ensureSolanaLedger(caller, ledger.url);
  const genesisHash = await ledger.rpc<string>('getGenesisHash');
  const ledgerId = devIds.solanaLedger;
  const known = stored.file.ledgers.find((other) => other.ledgerId === ledgerId);
  const tools = { newPassword, isReset: known !== undefined && known.genesisHash !== genesisHash };
  const wallets = await ensureSolanaWallets(caller, ledger, stored.file.wallets, tools);
  await store(stored, { ledgerId, technology: 'solana', rpcUrl: ledger.url, genesisHash }, wallets);
}

async function prepareFabric(
  caller: Caller,
  network: FabricProcess,
  stored: Stored,
  newPassword: () => string,
): Promise<void> {
  const profile = readProfile(network);
  await ensureFabricLedger(caller, profile);
  const tools = { newPassword, show };
  const wallets = await ensureFabricWallets(caller, profile.channel, stored.file.wallets, tools);
  const ledger = {
    ...{ ledgerId: devIds.fabricLedger, technology: 'hyperledger-fabric', channel: profile.channel },
    ...{ chaincodes: Object.values(chaincodes), profile: network.profile },
  };
  await store(stored, ledger, wallets);
}

/** Adds a ledger and its wallets to the end of the file's lists. */
async function store(
  { file, path }: Stored,
  ledger: DevFile['ledgers'][number],
  wallets: DevFile['wallets'],
): Promise<void> {
  const isOther = ({ ledgerId }: { ledgerId: string }) => ledgerId !== ledger.ledgerId;
  file.ledgers = [...file.ledgers.filter(isOther), ledger];
  file.wallets = [...file.wallets.filter(isOther), ...wallets];
  await writeDevFile(path, file);
}

/** A transfer between the two wallets of a ledger. */
interface Sample {
  ledgerId: string;
  name: string;
  /** In the ledger's smallest unit. */
  amount: string;
  amountText: string;
}

const ether: Sample = {
  ...{ ledgerId: devIds.ledger, name: 'Ethereum' },
  ...{ amount: '10000000000000000', amountText: '0.01 ETH' },
};
const sol: Sample = {
  ...{ ledgerId: devIds.solanaLedger, name: 'Solana' },
  ...{ amount: '10000000', amountText: '0.01 SOL' },
};

async function firstTransfer(caller: Caller, { wallets }: DevFile, sample: Sample): Promise<boolean> {
  const [from, to] = wallets.filter(({ ledgerId }) => ledgerId === sample.ledgerId);
  if (from === undefined || to === undefined) throw new TypeError('A transfer needs two wallets.');
  const glo = transferGlo(to, sample.amount);
  const body = { ...sendBody(from, glo), intent: randomUUID(), tag: 'first transfer' };
  const actionId = await send(caller, body);
  show(
    `${sample.name}: transfer of ${sample.amountText} from ${from.walletId} to ${to.walletId}: action ${actionId}`,
  );
  return (await follow(caller, actionId, show)) === 'SUCCEEDED';
}

async function firstCall(caller: Caller, { wallets, ledgers }: DevFile): Promise<boolean> {
  const wallet = wallets.find(({ ledgerId }) => ledgerId === devIds.fabricLedger);
  const ledger = ledgers.find(({ ledgerId }) => ledgerId === devIds.fabricLedger);
  if (wallet === undefined || ledger === undefined) throw new TypeError('A call needs a wallet on Fabric.');
  const asset = `asset-${Date.now().toString(36)}`;
  const args = [asset, 'blue', '5', wallet.walletId, '300'];
  const address = `${ledger.channel}/${chaincodes.assets}`;
  const glo = callGlo(ledger.technology, address, 'CreateAsset', args);
  const body = { ...sendBody(wallet, glo), intent: randomUUID(), tag: 'first call' };
  const actionId = await send(caller, body);
  show(`Fabric: CreateAsset(${args.join(', ')}) on ${address} by ${wallet.walletId}: action ${actionId}`);
  return (await follow(caller, actionId, show)) === 'SUCCEEDED';
}

/** Entry point of the process. */
export function run(): void {
  runProcess(async (stop) => {
    const given = readArguments(process.argv.slice(2));
    if (given.help) {
      show(usage);
      return 0;
    }
    if (given.plugin === undefined) return await develop(given, stop);
    return await developPlugin(given, show, stop, process.stdin.isTTY ? process.stdin : undefined);
  });
}

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import type { FabricProcess } from '@ledger-ops/devnet-fabric';
import type { SolanaProcess } from '@ledger-ops/devnet-solana';
import { builtInAdapters, createLog, type RunningServer, runProcess, startServer } from '@ledger-ops/server';
import { readArguments, usage } from './arguments.ts';
import type { Caller } from './caller.ts';
import { type DevFile, readDevFile, writeDevFile } from './dev-file.ts';
import {
  chaincodes,
  ensureFabricLedger,
  ensureFabricWallets,
  readProfile,
  startDevFabric,
} from './fabric.ts';
import { follow, send } from './follow.ts';
import { devIds, ensureCredentials, ensureLedger, organizationIdOf } from './ground.ts';
import { instructions } from './instructions.ts';
import { ensurePerson } from './person.ts';
import { developPlugin } from './plugin/develop-plugin.ts';
import { callGlo, sendBody, transferGlo } from './samples.ts';
import { ensureTemplate, ensureWallets, passwordsOf } from './seed.ts';
import { demandFreePort, readDevSettings } from './settings.ts';
import { ensureSolanaLedger, ensureSolanaWallets, isDevSolanaKnown, startDevSolana } from './solana.ts';

const show = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Starts an Ethereum chain, a Fabric network, the server and a Solana ledger, sends a first operation to each ledger, and
 * serves until a signal; with `--once` it ends there.
 */
async function develop({ once }: { once: boolean }, stop: Promise<NodeJS.Signals>): Promise<number> {
  const { config, dataDir, anvilPort, blockTime, solanaPort, ignored } = readDevSettings(process.env);
  for (const line of ignored) show(line);
  await demandFreePort('PORT', config.port);
  await demandFreePort('ANVIL_PORT', anvilPort);
  await demandFreePort('SOLANA_PORT', solanaPort);
  const log = createLog(config.logLevel);
  // It takes longest, so everything else comes up meanwhile.
  const starting = startDevFabric(dataDir);
  starting.catch(() => undefined);
  // The last one first, and each although one before it could not be ended.
  const parts = new AsyncDisposableStack();
  parts.defer(async () => (await starting.catch(() => undefined))?.stop());
  let beginning: Promise<SolanaProcess | null> | undefined;
  parts.defer(async () => (await beginning?.catch(() => undefined))?.stop());
  const beginSolana = () => {
    beginning ??= startDevSolana(dataDir, solanaPort);
    beginning.catch(() => undefined);
    return beginning;
  };
  try {
    // The server asks it at once where it knows it; a new one comes up when the server already answers.
    const isKnown = isDevSolanaKnown(dataDir);
    if (isKnown) beginSolana();
    const anvil = await startAnvil({
      port: anvilPort,
      blockTime,
      stateFile: join(dataDir, 'anvil-state.json'),
    });
    parts.defer(() => anvil.stop());
    if (isKnown) await beginSolana();
    const server = await startServer({ config, log, adapters: builtInAdapters });
    parts.defer(() => server.close());
    beginSolana();
    const newPassword = passwordsOf(config.walletPasswordMinimum);
    const { caller, ground } = await prepare(server, anvil, join(dataDir, 'dev.json'), newPassword);
    const sent = await firstTransfer(caller, ground.file, ether);
    const solana = await beginSolana();
    if (solana === null) show(noSolana);
    else await prepareSolana(caller, solana, ground, newPassword);
    const sentOnSolana = solana === null || (await firstTransfer(caller, ground.file, sol));
    await prepareFabric(caller, await starting, ground, newPassword);
    const called = await firstCall(caller, ground.file);
    if (once) return sent && sentOnSolana && called ? 0 : 1;
    const unserved = solana === null ? [devIds.solanaLedger] : [];
    show(instructions(ground.file, ground.path, unserved));
    await stop;
    return 0;
  } finally {
    await parts.disposeAsync();
  }
}

const noSolana = `Solana: left out, as litesvm, which its ledger runs on, has no binary for ${process.platform} ${process.arch}.`;

/** Content and place of the file that the next start finds again. */
interface Ground {
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
  };
  // The database keeps only hashes of these: they are written as soon as they exist.
  await writeDevFile(path, file);
  const others = file.wallets.filter(({ ledgerId }) => ledgerId !== devIds.ledger);
  file.wallets = [...(await ensureWallets(caller, anvil, file.wallets, newPassword)), ...others];
  await writeDevFile(path, file);
  file.templates = [await ensureTemplate(caller)];
  await writeDevFile(path, file);
  return { caller, ground: { file, path } };
}

async function prepareSolana(
  caller: Caller,
  ledger: SolanaProcess,
  ground: Ground,
  newPassword: () => string,
): Promise<void> {
  await ensureSolanaLedger(caller, ledger.url);
  const genesisHash = await ledger.rpc<string>('getGenesisHash');
  const ledgerId = devIds.solanaLedger;
  const known = ground.file.ledgers.find((other) => other.ledgerId === ledgerId);
  const tools = { newPassword, isAnew: known !== undefined && known.genesisHash !== genesisHash };
  const wallets = await ensureSolanaWallets(caller, ledger, ground.file.wallets, tools);
  await keep(ground, { ledgerId, technology: 'solana', rpcUrl: ledger.url, genesisHash }, wallets);
}

async function prepareFabric(
  caller: Caller,
  network: FabricProcess,
  ground: Ground,
  newPassword: () => string,
): Promise<void> {
  const profile = readProfile(network);
  await ensureFabricLedger(caller, profile);
  const tools = { newPassword, show };
  const wallets = await ensureFabricWallets(caller, profile.channel, ground.file.wallets, tools);
  const ledger = {
    ...{ ledgerId: devIds.fabricLedger, technology: 'hyperledger-fabric', channel: profile.channel },
    ...{ chaincodes: Object.values(chaincodes), profile: network.profile },
  };
  await keep(ground, ledger, wallets);
}

/** Writes a ledger and its wallets into the file, after all others. */
async function keep(
  { file, path }: Ground,
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
  words: string;
}

const ether: Sample = {
  ...{ ledgerId: devIds.ledger, name: 'Ethereum' },
  ...{ amount: '10000000000000000', words: '0.01 ether' },
};
const sol: Sample = {
  ...{ ledgerId: devIds.solanaLedger, name: 'Solana' },
  ...{ amount: '10000000', words: '0.01 SOL' },
};

async function firstTransfer(caller: Caller, { wallets }: DevFile, sample: Sample): Promise<boolean> {
  const [from, to] = wallets.filter(({ ledgerId }) => ledgerId === sample.ledgerId);
  if (from === undefined || to === undefined) throw new TypeError('A transfer needs two wallets.');
  const glo = transferGlo(to, sample.amount);
  const body = { ...sendBody(from, glo), intent: randomUUID(), tag: 'first transfer' };
  const actionId = await send(caller, body);
  show(
    `${sample.name}: transfer of ${sample.words} from ${from.walletId} to ${to.walletId}: action ${actionId}`,
  );
  return await follow(caller, actionId, show);
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
  return await follow(caller, actionId, show);
}

/** The program of this process. */
export function run(): void {
  runProcess(async (stop) => {
    const given = readArguments(process.argv.slice(2));
    if (given.help) {
      show(usage);
      return 0;
    }
    const { plugin, ...rest } = given;
    return plugin === undefined
      ? await develop(given, stop)
      : await developPlugin({ ...rest, plugin }, show, stop);
  });
}

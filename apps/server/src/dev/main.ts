import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { fabricAdapter } from '@ledger-ops/plugin-fabric';
import { ConfigError } from '../config-error.ts';
import { createLog } from '../logger.ts';
import { type RunningServer, startServer } from '../server.ts';
import { type DevFile, readDevFile, writeDevFile } from './dev-file.ts';
import { firstTransfer } from './first-transfer.ts';
import { devIds, ensureCredentials, ensureLedger } from './ground.ts';
import { instructions } from './instructions.ts';
import { ensureTemplate, ensureWallets } from './seed.ts';
import { demandFreePort, readDevSettings } from './settings.ts';

const show = (line: string) => process.stdout.write(`${line}\n`);

/** Starts a chain and the server, sends a first transfer, and serves until a signal; with `--once` it ends there. */
async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== '--once');
  if (unknown !== undefined) throw new ConfigError(`${unknown} is not an option; there is --once.`);
  const stop = Promise.withResolvers<void>();
  const onSignal = () => {
    process.once('SIGINT', () => process.exit(1));
    stop.resolve();
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);

  const { config, dataDir, anvilPort, blockTime } = readDevSettings(process.env);
  await demandFreePort('PORT', config.port);
  await demandFreePort('ANVIL_PORT', anvilPort);
  const log = createLog(config.logLevel);
  let anvil: Anvil | undefined;
  let server: RunningServer | undefined;
  try {
    anvil = await startAnvil({ port: anvilPort, blockTime, stateFile: join(dataDir, 'anvil-state.json') });
    server = await startServer({ config, log, adapters: [ethereumAdapter, fabricAdapter] });
    const path = join(dataDir, 'dev.json');
    const { file, succeeded } = await prepare(server, anvil, path);
    if (args.includes('--once')) return succeeded ? 0 : 1;
    show(instructions(file, path));
    await stop.promise;
    return 0;
  } finally {
    await server?.close();
    await anvil?.stop();
  }
}

async function prepare(server: RunningServer, anvil: Anvil, path: string) {
  const former = await readDevFile(path);
  const { credentials, caller } = await ensureCredentials(server, former);
  await ensureLedger(server, anvil.url, anvil.chainId);
  const file: DevFile = {
    ...credentials,
    organizationId: devIds.organization,
    projectId: devIds.project,
    ledgers: [{ ledgerId: devIds.ledger, technology: 'ethereum', rpcUrl: anvil.url }],
    wallets: former?.wallets ?? [],
    templates: former?.templates ?? [],
  };
  // The database keeps only hashes of these: they are written as soon as they exist.
  await writeDevFile(path, file);
  file.wallets = await ensureWallets(caller, anvil, file.wallets);
  await writeDevFile(path, file);
  file.templates = [await ensureTemplate(caller)];
  await writeDevFile(path, file);
  return { file, succeeded: await firstTransfer(caller, file.wallets, show) };
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  },
);

/**
 * Runs a network in its own process: `node main.ts '<options as JSON>'`. Prints one line of JSON,
 * `{"profile": "<path>"}`, when the network is ready. Exits on SIGTERM, on SIGINT, and when its standard
 * input closes because its parent exited.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleChaincodes } from './chaincode/samples.ts';
import { startFabricNetwork } from './network.ts';
import type { FabricProcessOptions } from './process-options.ts';

// The options come from startFabricProcess or from a developer. Invalid options fail when they are first
// used.
const options = JSON.parse(process.argv[2] ?? '{}') as FabricProcessOptions;
const own = options.profileDirectory === undefined;
const folder = options.profileDirectory ?? mkdtempSync(join(tmpdir(), 'ledger-ops-fabric-'));
if (own) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
process.stdin.resume().once('end', () => ending.abort());
process.stdin.once('error', () => ending.abort());

const network = await startFabricNetwork(options);
try {
  const sample = { name: 'assets', contract: sampleChaincodes.assetTransfer };
  for (const one of options.chaincodes ?? [sample]) await network.deployChaincode(one);
  const { file } = await network.profile(folder, options.profile);
  process.stdout.write(`${JSON.stringify({ profile: file })}\n`);
  if (!ending.signal.aborted)
    await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
} finally {
  await network.stop();
}
// Open client connections must not keep the process running.
process.exit(0);

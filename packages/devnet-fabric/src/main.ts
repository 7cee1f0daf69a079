/**
 * A network in a process of its own: `node main.ts '<options as JSON>'`. Prints one line of JSON, `{"profile": "<path>"}`,
 * when it is ready, and ends on SIGTERM, SIGINT, or when its standard input ends, as it does with its parent.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleChaincodes } from './chaincode/samples.ts';
import { startFabricNetwork } from './network.ts';
import type { FabricProcessOptions } from './process-options.ts';

// Only startFabricProcess, or a person, writes this; a wrong word shows in the first thing that uses it.
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
// Connections that a client keeps open must not keep the process.
process.exit(0);

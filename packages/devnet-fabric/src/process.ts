import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOwnProcess } from '@ledger-ops/devnet';
import type { FabricProcessOptions } from './process-options.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** A network that runs in a separate process. */
export interface FabricProcess {
  pid: number;
  /** Path of a profile for `FABRIC_PROFILE`. */
  profile: string;
  /** Stops the process cleanly. Idempotent. */
  stop(): Promise<void>;
  /** Kills the process, as a crash would. Its chaincode processes end with it. */
  kill(): Promise<void>;
}

/**
 * Starts a network in a separate process, so that it does not distort measurements in this one. The network
 * stops when this process exits.
 * @throws DevnetError with its output if it does not start
 */
export async function startFabricProcess(
  options: FabricProcessOptions = {},
  timing: Timing = defaultTiming,
): Promise<FabricProcess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const { ready: profile, ...network } = await startOwnProcess({
    name: 'The Fabric network',
    main: fileURLToPath(new URL(`./main.${extension}`, import.meta.url)),
    options,
    times: { start: timing.networkStart, end: timing.networkEnd },
    readReady(line) {
      const path = /^\{"profile":(".*")\}$/.exec(line)?.[1];
      return path === undefined ? undefined : String(JSON.parse(path));
    },
  });
  // A killed process leaves its temporary folder behind.
  if (options.profileDirectory === undefined)
    void network.ended.then(() => rmSync(dirname(profile), { recursive: true, force: true }));
  const { pid, stop, kill } = network;
  return { pid, profile, stop, kill };
}

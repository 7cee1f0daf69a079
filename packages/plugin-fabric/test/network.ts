import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type FabricNetwork,
  type FabricNetworkOptions,
  type FabricProfile,
  sampleChaincodes,
  startFabricNetwork,
} from '@ledger-ops/devnet-fabric';

/** A network to test against: the one that `FABRIC_PROFILE` names, else a development network of this test's own. */
export interface TestNetwork {
  profile: FabricProfile;
  /** Only of the development network: what can be broken, and what a peer of it is. */
  devnet?: FabricNetwork;
  close(): Promise<void>;
}

/** Path of a profile of a network that runs already. */
const profileFile = process.env.FABRIC_PROFILE;

/** @param options of the development network, which is quick to cut blocks; a network of a profile is as it is */
export async function openNetwork(options: FabricNetworkOptions = {}): Promise<TestNetwork> {
  if (profileFile !== undefined && profileFile !== '') {
    return { profile: readProfile(profileFile), close: async () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'plugin-fabric-'));
  const devnet = await startFabricNetwork({ batch: { timeout: 20 }, ...options });
  try {
    await devnet.deployChaincode({ name: 'assets', contract: sampleChaincodes.assetTransfer });
    const { profile } = await devnet.profile(folder);
    return {
      profile,
      devnet,
      async close() {
        await devnet.stop();
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    await devnet.stop();
    rmSync(folder, { recursive: true });
    throw error;
  }
}

/** Paths are as seen from where the tests were started, those inside from the profile's folder. */
function readProfile(file: string): FabricProfile {
  const path = resolve(process.env.INIT_CWD ?? '.', file);
  return JSON.parse(readFileSync(path, 'utf8'), (name, value: unknown) =>
    name.endsWith('File') && typeof value === 'string' ? resolve(dirname(path), value) : value,
  );
}

/** Whether tests can have a development network of their own. */
export const isDevnet = profileFile === undefined || profileFile === '';

/** Prints why tests are left out, so that no suite is silently empty. Gives whether they are. */
export function skipped(reason: string | undefined, what: string): boolean {
  if (reason === undefined) return false;
  console.log(`skipped: ${what}: ${reason}`);
  return true;
}

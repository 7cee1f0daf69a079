import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FabricNetwork,
  type FabricNetworkOptions,
  type FabricProfile,
  readProfile,
  sampleChaincodes,
  startFabricNetwork,
} from '@ledger-ops/devnet-fabric';

/**
 * The network that is tested: the one that `FABRIC_PROFILE` names, otherwise a development network of this
 * test.
 */
export interface TestNetwork {
  profile: FabricProfile;
  /** The development network, with its peers and the faults to inject. Undefined for the network of a profile. */
  devnet?: FabricNetwork;
  close(): Promise<void>;
}

/** Path of the profile of a running network. */
const profileFile = process.env.FABRIC_PROFILE;

/**
 * @param options options of the development network, which cuts blocks quickly. A profile's network is used
 * unchanged
 */
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

/** Whether tests can have their own development network. */
export const isDevnet = profileFile === undefined || profileFile === '';

/** Prints why tests are skipped, so that no skipped suite goes unnoticed. Returns whether they are skipped. */
export function skipped(reason: string | undefined, what: string): boolean {
  if (reason === undefined) return false;
  console.log(`skipped: ${what}: ${reason}`);
  return true;
}

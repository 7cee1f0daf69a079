import type { DeployOptions, FabricNetworkOptions } from './network-types.ts';
import type { ProfileOptions } from './profile-file.ts';

/**
 * Options of a network in a separate process. They are plain data, because they are passed to that process.
 */
export interface FabricProcessOptions extends Omit<FabricNetworkOptions, 'connectChaincode'> {
  /** Folder of the profile and its files. Default: a temporary folder, removed when the process ends. */
  profileDirectory?: string;
  profile?: ProfileOptions;
  /**
   * Chaincode deployed before the process is ready. Default: the sample chaincode `assetTransfer` as
   * `assets`.
   */
  chaincodes?: readonly DeployOptions[];
}

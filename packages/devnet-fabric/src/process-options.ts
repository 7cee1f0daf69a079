import type { DeployOptions, FabricNetworkOptions } from './network-types.ts';
import type { ProfileOptions } from './profile-file.ts';

/** Of a network in a process of its own. Plain data, since it crosses to that process. */
export interface FabricProcessOptions extends Omit<FabricNetworkOptions, 'connectChaincode'> {
  /** Where the profile and its files are written; default: a new folder, removed when the process ends. */
  profileDirectory?: string;
  profile?: ProfileOptions;
  /** Deployed before it is ready; default: the sample chaincode `assetTransfer` as `assets`. */
  chaincodes?: readonly DeployOptions[];
}

export type { KeyPair } from './ca/issue.ts';
export { sampleChaincodes } from './chaincode/samples.ts';
export type {
  ChaincodeConnection,
  ChaincodeResponse,
  Invocation,
  KeyModification,
  KeyValue,
  Simulator,
} from './chaincode/types.ts';
export type { Faults, Phase, PlannedDeath } from './faults.ts';
export type { Credentials } from './identity/signer.ts';
export {
  type FabricCa,
  type FabricNetwork,
  type FabricNetworkOptions,
  type FabricOrganization,
  startFabricNetwork,
} from './network.ts';
export type { BatchOptions } from './orderer/orderer.ts';
export type { ConnectChaincode } from './peer/chaincodes.ts';
export { parsePolicy, policyBytes } from './policy/parse.ts';
export { type FabricProcess, startFabricProcess } from './process.ts';
export type { FabricProcessOptions } from './process-options.ts';
export {
  type FabricProfile,
  type ProfileFunction,
  type ProfileIdentity,
  type ProfileOptions,
  type ProfileOrganization,
  type ProfileRole,
  sampleFunctions,
} from './profile.ts';

export {
  createRoot,
  type IdentityOptions,
  issueIdentity,
  issueRevocationList,
  issueTls,
  type KeyPair,
  type Role,
  type TlsOptions,
  type Validity,
} from './ca/issue.ts';
export {
  type CertificateAuthority,
  type CertificateAuthorityOptions,
  startCertificateAuthority,
} from './ca/server.ts';
export { type ConnectOptions, connectChaincode } from './chaincode/connect.ts';
export { ChaincodeError, type ChaincodeFailure } from './chaincode/error.ts';
export { type ChaincodePackage, type PackageOptions, packageChaincode } from './chaincode/package.ts';
export { sampleChaincodes } from './chaincode/samples.ts';
export { type RunningChaincode, type StartChaincodeOptions, startChaincode } from './chaincode/start.ts';
export type {
  ChaincodeConnection,
  ChaincodeResponse,
  Invocation,
  KeyModification,
  KeyValue,
  Simulator,
} from './chaincode/types.ts';
export type { FaultSettings, Faults, Phase, PlannedDeath } from './faults.ts';
export type { Credentials } from './identity/signer.ts';
export { startFabricNetwork } from './network.ts';
export type {
  DeployedChaincode,
  DeployOptions,
  FabricCa,
  FabricNetwork,
  FabricNetworkOptions,
  FabricOrganization,
} from './network-types.ts';
export type { BatchOptions } from './orderer/orderer.ts';
export type { ConnectChaincode } from './peer/chaincodes.ts';
export { parsePolicy, policyBytes } from './policy/parse.ts';
export { type FabricProcess, startFabricProcess } from './process.ts';
export type { FabricProcessOptions } from './process-options.ts';
export { sampleFunctions } from './profile.ts';
export {
  type FabricProfile,
  type ProfileFunction,
  type ProfileIdentity,
  type ProfileOptions,
  type ProfileOrganization,
  type ProfileRole,
  readProfile,
} from './profile-file.ts';
export { defaultTiming, type Timing } from './timing.ts';

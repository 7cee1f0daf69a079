export type { ProblemMessage, RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
export {
  type ClientCall,
  type CloudWalletClient,
  type CloudWalletClientOptions,
  createCloudWalletClient,
  type Exchange,
  exchangeWith,
  type Fetch,
} from './client.ts';
export { cloudWalletOpenApi } from './openapi.ts';
export { remoteAdapter } from './remote-adapter.ts';
export type {
  RemoteAdapterDefinition,
  RemoteCapabilities,
  RemoteChecked,
  RemoteEmulated,
  RemoteEvents,
  RemoteLedger,
  RemoteSend,
  RemoteState,
  RemoteStatus,
  RemoteSubmission,
} from './types.ts';

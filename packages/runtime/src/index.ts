export { actionSortKeys } from './actions/wallet-search.ts';
export { adapterProblemFrom, problemFrom, toProblem } from './adapter-problem.ts';
export { type FaultPoint, type Faults, faultPoints } from './engine/rows/faults.ts';
export { createSigners, type Signers, type SignersOptions } from './keys/signers.ts';
export {
  createVault,
  type SealedWallet,
  type VaultOptions,
  type WalletBinding,
  type WalletVault,
} from './keys/vault.ts';
export {
  createPluginLoader,
  type PluginLimits,
  type PluginLoader,
  type PluginLoaderOptions,
} from './plugins/loader.ts';
export { integrityOf } from './plugins/resolve-module.ts';
export type {
  LoadedPlugin,
  PluginPolicy,
  PluginRecord,
  PluginSource,
  PluginStatus,
} from './plugins/types.ts';
export { createRuntime, type RuntimeOptions } from './runtime.ts';
export type {
  AcceptedAction,
  Actions,
  ActionView,
  ChangePlace,
  ChangesQuery,
  CreateWalletRequest,
  EmulateActionRequest,
  EmulatedAction,
  GrantBinding,
  IdempotencyClaim,
  Ledgers,
  Log,
  OpenLedger,
  Page,
  ProbedLedger,
  Runtime,
  SendRequest,
  Vault,
  WalletActionsQuery,
  WalletKey,
  WalletRow,
  Wallets,
  WalletView,
} from './types.ts';
export { createWallets, type WalletsOptions } from './wallets/wallets.ts';

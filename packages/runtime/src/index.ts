export type { IdempotencyClaim } from '@ledger-ops/store';
export {
  type AcceptedBatch,
  type AcceptedRequest,
  readAcceptedRequest,
} from './actions/accepted-request.ts';
export { type SummaryRange, summaryRanges } from './actions/action-summaries.ts';
export type { Actions } from './actions/actions.ts';
export type { UnknownTransactionView } from './actions/outside-transactions.ts';
export { actionSortKeys } from './actions/shown-columns.ts';
export type {
  AcceptedAction,
  ActionCounts,
  ActionDetails,
  ActionOverview,
  ActionView,
  BatchRequest,
  BatchResult,
  ChangePlace,
  ChangesQuery,
  EmulateActionRequest,
  EmulatedAction,
  SendRequest,
  WalletActionsQuery,
} from './actions/types.ts';
export { adapterProblemFrom, problemFrom, toProblem } from './adapter-problem.ts';
export { blockTimeOf } from './block-time.ts';
export {
  type ContractEventsOptions,
  createContractEvents,
  type RunningContractEvents,
} from './contract-events/create-contract-events.ts';
export type { ContractEventTiming } from './contract-events/timing.ts';
export type {
  ContractEventState,
  ContractSubscriptionChange,
  ContractSubscriptions,
  ContractSubscriptionView,
  LateSubscription,
  NewContractSubscription,
} from './contract-events/types.ts';
export { type EndProblem, endProblems } from './engine/end-problems.ts';
export type { EngineState, PendingCount } from './engine/engine-state.ts';
export type { FollowedLedger, LedgerHealth } from './engine/ledger-health.ts';
export { cloudEventBody, eventBody } from './events/event-body.ts';
export { createEventLog, type EventLogOptions, eventsKept } from './events/event-log.ts';
export {
  type ActionEvent,
  actionEventTypes,
  type ContractEventData,
  type EventData,
  type EventFilter,
  type EventLog,
  type EventPart,
  type EventType,
  eventTypes,
  type ServiceEvent,
  type ToldEvent,
  webhookTestType,
} from './events/types.ts';
export type { ActionSigner, CoSigner, Signature, Signer } from './keys/signer.ts';
export { Signers, type SignersOptions } from './keys/signers.ts';
export {
  type GrantBinding,
  type GrantVault,
  type SealedWallet,
  Vault,
  type VaultOptions,
} from './keys/vault.ts';
export type { WalletBinding } from './keys/wallet-binding.ts';
export type { Ledgers, ProbedLedger } from './ledgers.ts';
export type { Log } from './log.ts';
export type { Meter } from './meter.ts';
export type { OpenLedger } from './open-ledger.ts';
export type { Page } from './page.ts';
export { type PendingCode, pendingCodes } from './pending-codes.ts';
export { PluginLoader, type PluginLoaderOptions } from './plugins/loader.ts';
export type { PluginLimits } from './plugins/open-plugin.ts';
export { integrityOf } from './plugins/resolve-module.ts';
export type {
  LoadedPlugin,
  OfferedPlugin,
  PluginPolicy,
  PluginRecord,
  PluginSelection,
  PluginSource,
  PluginStatus,
} from './plugins/types.ts';
export type { Public } from './public.ts';
export { type FaultPoint, type Faults, faultPoints } from './rows/faults.ts';
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts';
export type { Suspensions, SuspensionView } from './suspensions/suspensions.ts';
export { readTraceparent } from './traces/trace-context.ts';
export { withSpan, withTraceparent } from './traces/trace-scope.ts';
export type { OpenSpan, SpanAttributes, SpanStart, Tracer } from './traces/tracer.ts';
export { brokenInvariants } from './verify/invariants.ts';
export type { Discrepancy } from './verify/types.ts';
export { type VerifiedLedger, verifyLedger } from './verify/verify-ledger.ts';
export type { CreateWalletRequest, WalletRow, WalletView } from './wallets/types.ts';
export { Wallets, type WalletsOptions } from './wallets/wallets.ts';
export { createWebhooks, type RunningWebhooks, type WebhooksOptions } from './webhooks/create-webhooks.ts';
export type { WebhookTiming } from './webhooks/timing.ts';
export type {
  DeliveriesQuery,
  DeliveryView,
  EventFormat,
  LateWebhook,
  NewWebhook,
  Posted,
  WebhookChange,
  WebhookState,
  Webhooks,
  WebhookView,
  WebhookWithSecret,
} from './webhooks/types.ts';

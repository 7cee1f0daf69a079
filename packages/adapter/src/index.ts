export type {
  Checked,
  CheckRequest,
  ContractSource,
  Estimated,
  EstimateRequest,
  FeeRaise,
  ResolvedContent,
  ResolvedOperation,
} from './contract/check.ts';
export type {
  Confirmed,
  ConfirmRequest,
  Cursor,
  Head,
  Outcome,
  PendingTransaction,
  Remark,
} from './contract/confirm.ts';
export type {
  Adapter,
  AdapterHost,
  Capabilities,
  ContractInterface,
  ContractMethod,
  ContractParameter,
  LedgerConfig,
  LedgerNode,
  OutboundPolicy,
  RequestResult,
} from './contract/definition.ts';
export type {
  ContractEvent,
  ContractEvents,
  ContractEventsRequest,
  EventPosition,
} from './contract/events.ts';
export type {
  AttemptKind,
  ClaimingTransaction,
  Prepared,
  PrepareRequest,
  SignedTransaction,
} from './contract/prepare.ts';
export { nonceClaim } from './contract/prepare.ts';
export type { AdapterErrorCode, AdapterProblem, Phase } from './contract/problem.ts';
export { adapterErrorCodes } from './contract/problem.ts';
export type {
  AccountTransactions,
  ChainIdentity,
  Emulated,
  EmulateRequest,
  LookupResult,
  TransactionOrigin,
  TransactionsRequest,
} from './contract/read.ts';
export type {
  Inspected,
  LateTransaction,
  Replaced,
  ReplaceRequest,
  SignedAttempt,
} from './contract/replace.ts';
export type {
  Answered,
  Awaitable,
  Each,
  Planned,
  SequencesOptions,
  Session,
  Settled,
} from './contract/session.ts';
export type { Submission, Submitted } from './contract/submit.ts';
export type { AddressForm, GloContent, JsonSchema, TechnologyDescription } from './contract/technology.ts';
export type { Json, JsonObject, KeyType } from './contract/values.ts';
export type {
  Advance,
  DigestRequest,
  MessageRequest,
  NewWallet,
  Round,
  SigningRequest,
  WalletIdentity,
} from './contract/wallets.ts';
export { defineAdapter } from './define-adapter.ts';
export { type DefinitionMembers, demandInterface, readDefinition } from './definition.ts';
export { readDescription } from './description.ts';
export { AdapterError, adapterError, isTransient } from './error.ts';
export { faultOfEvents, longestContent, withoutLongContent } from './event-page.ts';
export type { AdapterDefinition, LedgerSession, SessionCall, SessionCalls } from './host.ts';
export { isJson, isJsonObject } from './json.ts';
export { boundedJson, isCheapJson, longestDocument } from './json-cost.ts';
export { createCalls, isDeclared, sessionCalls, wrapCalls } from './session-calls.ts';
export { interfaceVersion, isCompatibleInterface, isSemanticVersion } from './version.ts';

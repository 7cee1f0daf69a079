export { type CurrencyUnit, formatAmount, parseAmount } from './amounts.ts';
export { type ClientOptions, createClient, type LedgerClient } from './client.ts';
export type {
  ChangingMethod,
  Contract,
  ContractOptions,
  ReadingMethod,
  ReadingOptions,
} from './contract.ts';
export type { ActionEvent, ContractEvent, EventFilter, FollowOptions, PlacedEvent } from './events.ts';
export type { FabricInterface, Interface } from './interface.ts';
export { NoAnswerError, OutcomeUnknownError } from './no-answer.ts';
export {
  type Accepted,
  type Argument,
  type Call,
  callGlo,
  type Deployment,
  deploymentGlo,
  type Emulated,
  type Emulation,
  type OperationKey,
  type OperationOptions,
  type Place,
  type Reading,
  referenceKey,
  type Sender,
  type Transfer,
  transferGlo,
} from './operations.ts';
export type { Item, ListParameters, PagedPath } from './pages.ts';
export { ProblemError, type ProblemIssue } from './problem.ts';
export type { components, paths } from './schema.generated.ts';
export type { ProblemName } from './served.generated.ts';
export type { Timing } from './timing.ts';
export {
  type ApiTokenCredentials,
  type Credentials,
  type KeptCredentials,
  type KeyCredentials,
  TokenError,
  type TokenRefusal,
  type UserCredentials,
} from './tokens.ts';
export { answer } from './transport.ts';
export { UndecodedResultError } from './undecoded-result.ts';
export { type Action, ActionFailedError } from './wait.ts';
export { type TestEvent, verifyWebhook, WebhookError } from './webhook.ts';

export { type AnswerLimits, nodeAnswers } from './answer.ts';
export { AnswerBudget, answerBudget, type BudgetLimits } from './budget.ts';
export {
  type OutboundAnswer,
  OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
} from './client.ts';
export type { ConnectorOptions } from './connector.ts';
export { ExchangeError, type ExchangeFailure } from './exchange-error.ts';
export { type GrpcReader, reserveGrpcAnswers } from './grpc-answers.ts';
export { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts';
export { handshakes } from './handshakes.ts';
export {
  isBoundedKey,
  KeyMaterialError,
  parsePrivateKey,
  readCertificates,
  readClientKey,
} from './key-material.ts';
export { guardedAddresses, guardedLookup, type Resolve } from './lookup.ts';
export { type NodeAddress, readNodeAddress } from './node-address.ts';
export { ConnectionClosed, LongAnswer, NodeClient, type NodeClientOptions } from './node-client.ts';
export { NodeError, type NodeErrorCode, StatusError } from './node-error.ts';
export {
  type AddressCheck,
  createAddressCheck,
  isLoopback,
  isNotOpened,
  OutboundError,
  withoutBrackets,
} from './policy.ts';
export { RateLimit, type RateLimitRefusal, rateLimitRefusal } from './rate-limit.ts';
export { redirectHint } from './redirect-hint.ts';
export { type ClientTls, checkServerCertificate, outboundSecureContext } from './tls.ts';
export { TlsGate } from './tls-gate.ts';
export { GuardedWebSockets, type WebSocketLimits } from './web-socket.ts';

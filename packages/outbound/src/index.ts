export { AnswerError, type AnswerLimits, nodeAnswers, readAnswer } from './answer.ts';
export {
  type ConnectorOptions,
  createGuardedFetch,
  type GuardedFetch,
  guardedConnector,
} from './connector.ts';
export { guardedAddresses, guardedLookup, type Resolve } from './lookup.ts';
export { type NodeAddress, readNodeAddress } from './node-address.ts';
export { NodeError, type NodeErrorCode } from './node-error.ts';
export {
  type AddressCheck,
  createAddressCheck,
  isLoopback,
  isNotOpened,
  OutboundError,
  withoutBrackets,
} from './policy.ts';

export { type MemoryAdapterOptions, memoryAdapter } from './adapter.ts';
export { addressOfPublicKey, systemContract } from './address.ts';
export type { Block, MinedTransaction } from './chain.ts';
export { counterContract, keyValueContract } from './contracts.ts';
export {
  createMemoryLedger,
  type ExecutionFilter,
  type MemoryLedger,
  type MemoryLedgerOptions,
  type OutsideTransaction,
  type SubmissionRecord,
  type SubmitAnswer,
} from './ledger.ts';
export type {
  Misbehaviour,
  MisbehaviourKind,
  Misbehaviours,
  Occurrence,
  Script,
} from './misbehaviour.ts';
export type { Execution, LedgerState } from './state.ts';
export type { MemoryTransaction, TransactionBody } from './transaction.ts';

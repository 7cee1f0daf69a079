export {
  createUtxoLedger,
  type OutsideSpending,
  type UtxoBlock,
  type UtxoLedger,
  type UtxoLedgerOptions,
  type UtxoSubmission,
} from './ledger.ts';
export type { Refusal, Waiting } from './pool.ts';
export { UtxoNode } from './server.ts';
export {
  type Coin,
  decodeUtxoTransaction,
  type UtxoInput,
  type UtxoNetwork,
  type UtxoOutput,
  type UtxoTransaction,
  utxoAddressOf,
} from './transaction.ts';

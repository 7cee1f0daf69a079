import { contractAddressOf } from './address.ts';
import { type Effects, type EmittedEvent, runConstructor, runMethod } from './contracts.ts';
import { createHistory } from './history.ts';
import { gasPerTransaction, type MemoryTransaction, type TransactionBody } from './transaction.ts';

export type Execution = { fee: bigint; contractAddress?: string } & (
  | { status: 'succeeded'; events: EmittedEvent[] }
  /** A block contains the transaction, but the transaction had no effect, so another must be created. */
  | { status: 'invalid' }
  | { status: 'failed'; code: 'reverted' | 'out-of-gas'; detail: string }
);

/** Accounts and contracts at every height. */
export interface LedgerState {
  balanceAt(address: string, height?: number): bigint;
  nonceAt(address: string, height?: number): bigint;
  codeAt(address: string, height?: number): string | undefined;
  storageAt(contract: string, key: string, height?: number): string | undefined;
  /** Adds to a balance at every height, as if the account had always had it. */
  endow(address: string, amount: bigint): void;
  /** Returns the effects that a transaction would have on contracts, without changing them. */
  simulate(
    transaction: Pick<TransactionBody, 'from' | 'to' | 'data' | 'value'>,
    height?: number,
  ): Effects & { code?: string };
  /** Executes a transaction in a block. The caller has already checked the sequence and the funds. */
  execute(transaction: MemoryTransaction, gasPrice: bigint, height: number): Execution;
  truncate(height: number): void;
}

export function createState(): LedgerState {
  const balances = createHistory<bigint>();
  const nonces = createHistory<bigint>();
  const codes = createHistory<string>();
  const storage = createHistory<string>();
  const slot = (contract: string, key: string) => `${contract}/${key}`;

  const state: LedgerState = {
    balanceAt: (address, height) => balances.at(address, height) ?? 0n,
    nonceAt: (address, height) => nonces.at(address, height) ?? 0n,
    codeAt: (address, height) => codes.at(address, height),
    storageAt: (contract, key, height) => storage.at(slot(contract, key), height),
    endow: (address, amount) => balances.rewrite(address, (before) => (before ?? 0n) + amount),

    simulate({ to, data }, height) {
      if (to === null) {
        const { code, effects } = runConstructor(data);
        return { code, ...effects };
      }
      const code = codes.at(to, height);
      if (code === undefined) return { ok: true, writes: [], result: null, events: [] };
      if (data === '0x') return { ok: false, reason: 'the contract does not accept plain transfers' };
      return runMethod(code, (key) => storage.at(slot(to, key), height), data);
    },

    execute(transaction, gasPrice, height) {
      const { from, payer = from, sequence, gas, value } = transaction;
      const enough = gas >= gasPerTransaction;
      const fee = (enough ? gasPerTransaction : gas) * gasPrice;
      balances.set(payer, state.balanceAt(payer) - fee, height);
      if (sequence !== null) nonces.set(from, sequence + 1n, height);
      if (!enough) {
        const detail = `${gas} gas were allowed, but ${gasPerTransaction} are required`;
        return { status: 'failed', code: 'out-of-gas', fee, detail };
      }
      const effects = state.simulate(transaction);
      if (!effects.ok) {
        return {
          status: 'failed',
          code: 'reverted',
          fee,
          detail: `The contract reverted: ${effects.reason}.`,
        };
      }
      const unique = sequence?.toString() ?? transaction.salt;
      const target = transaction.to ?? contractAddressOf(from, unique);
      balances.set(from, state.balanceAt(from) - value, height);
      balances.set(target, state.balanceAt(target) + value, height);
      if (effects.code !== undefined) codes.set(target, effects.code, height);
      for (const [key, written] of effects.writes) storage.set(slot(target, key), written, height);
      return {
        ...{ status: 'succeeded', fee, events: effects.events },
        ...(transaction.to === null ? { contractAddress: target } : {}),
      };
    },

    truncate(height) {
      for (const history of [balances, nonces, codes, storage]) history.truncate(height);
    },
  };
  return state;
}

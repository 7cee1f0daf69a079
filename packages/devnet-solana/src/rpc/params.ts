import { type Base58, isBase58 } from '../base58.ts';
import { type Chain, type Commitment, commitments, type View } from '../chain/chain.ts';
import { codes, invalid, RpcError } from './error.ts';

/** The object that most methods take as their last parameter. */
export type Config = Readonly<Record<string, unknown>>;

/** Reads a call's parameters, which are an array. */
export class Params {
  readonly #values: readonly unknown[];

  /** @throws RpcError */
  constructor(params: unknown, most: number) {
    if (params !== undefined && params !== null && !Array.isArray(params))
      throw invalid('parameters must be an array');
    this.#values = params ?? [];
    if (this.#values.length > most) throw invalid(`at most ${most} parameters, not ${this.#values.length}`);
  }

  at(index: number): unknown {
    return this.#values[index] ?? undefined;
  }

  address(index: number, name: string): Base58 {
    return address(this.at(index), name);
  }

  signature(index: number, name: string): Base58 {
    return signature(this.at(index), name);
  }

  integer(index: number, name: string): number {
    return integer(this.at(index), name);
  }

  text(index: number, name: string): string {
    const value = this.at(index);
    if (typeof value !== 'string') throw invalid(`${name} must be a string`);
    return value;
  }

  list(index: number, name: string, most: number): unknown[] {
    const value = this.at(index);
    if (!Array.isArray(value)) throw invalid(`${name} must be an array`);
    if (value.length > most) throw invalid(`${name} has ${value.length} entries; the maximum is ${most}`);
    return value;
  }

  config(index: number): Config {
    return object(this.at(index) ?? {}, 'the configuration');
  }
}

export function object(value: unknown, name: string): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} must be an object`);
  // The value was checked to be an object. Its members are checked when they are read.
  return value as Config;
}

export function address(value: unknown, name: string): Base58 {
  if (typeof value !== 'string' || !isBase58(value, 32)) throw invalid(`${name} must be 32 bytes in base58`);
  return value;
}

export function signature(value: unknown, name: string): Base58 {
  if (typeof value !== 'string' || !isBase58(value, 64)) throw invalid(`${name} must be 64 bytes in base58`);
  return value;
}

export function integer(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid(`${name} must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
  return value;
}

export function flag(config: Config, name: string, otherwise = false): boolean {
  const value = config[name] ?? otherwise;
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false`);
  return value;
}

/** Reads a member that must be one of several strings. */
export function choice<Word extends string>(
  config: Config,
  name: string,
  words: readonly Word[],
  otherwise: NoInfer<Word>,
): Word {
  const value = config[name] ?? otherwise;
  const found = words.find((word) => word === value);
  if (found === undefined) throw invalid(`${name} must be one of ${words.join(', ')}`);
  return found;
}

/** The requested commitment; `finalized` by default, as in validators. */
export const commitmentOf = (config: Config, name = 'commitment'): Commitment =>
  choice(config, name, commitments, 'finalized');

/** Returns the requested view. @throws RpcError if it has not reached `minContextSlot` */
export function viewOf(chain: Chain, config: Config, name = 'commitment'): View {
  const view = chain.view(commitmentOf(config, name));
  const slot = config.minContextSlot;
  if (slot !== undefined && slot !== null && integer(slot, 'minContextSlot') > view.head.slot)
    throw new RpcError(codes.minContextSlot, 'Minimum context slot has not been reached', {
      contextSlot: view.head.slot,
    });
  return view;
}

/** Like `viewOf`, for data that exists only for confirmed blocks. */
export function blockViewOf(chain: Chain, config: Config): View {
  if (commitmentOf(config) === 'processed')
    throw new RpcError(codes.params, 'Method does not support commitment below `confirmed`');
  return viewOf(chain, config);
}

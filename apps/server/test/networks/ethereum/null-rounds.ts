import type { Misbehaviour, NodeAnswer, ProxiedCall } from '@ledger-ops/devnet';
import { quantity, refusal } from './answers.ts';

/** Every fifth height has no block. */
const toShown = (real: number) => 5 * Math.floor(real / 4) + (real % 4);
const toReal = (shown: number) => (shown % 5 === 4 ? undefined : 4 * Math.floor(shown / 5) + (shown % 5));

/** Index of the block among the parameters. */
const blockParameter: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_call: 1,
};

/**
 * Methods that read a block, and so reject a height without a block. Methods that read state use the previous block.
 */
const strict: readonly string[] = ['eth_getBlockByNumber', 'eth_getBlockReceipts'];

/** Members that contain a height. */
const heights: readonly string[] = ['blockNumber', 'number'];

/** Converts the heights in a value to those of this network. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      heights.includes(name) && typeof member === 'string'
        ? quantity(toShown(Number(member)))
        : shown(member),
    ]),
  );
}

/** Returns a chain in which some heights have no block, and return an error. */
export function withNullRounds(methods: Misbehaviour): Misbehaviour {
  const answer = async (
    call: ProxiedCall,
    ask: (call: ProxiedCall) => Promise<NodeAnswer>,
  ): Promise<NodeAnswer> => {
    const place = blockParameter[call.method];
    const given = place === undefined ? undefined : call.params[place];
    let asked = call;
    if (place !== undefined && typeof given === 'string' && given.startsWith('0x') && given.length < 20) {
      const isStrict = strict.includes(call.method);
      const real = toReal(Number(given)) ?? (isStrict ? undefined : toReal(Number(given) - 1));
      if (real === undefined) return refusal(12, `requested epoch was a null round (${Number(given)})`);
      asked = { ...call, params: call.params.with(place, quantity(real)) };
    }
    if (call.method === 'eth_getLogs') {
      const filter = Object(call.params[0]);
      const realOf = (height: unknown) => quantity(toReal(Number(height)) ?? toReal(Number(height) - 1) ?? 0);
      // A range that starts at a missing block starts at the next one.
      const fromBlock = quantity(
        toReal(Number(filter.fromBlock)) ?? Number(toReal(Number(filter.fromBlock) + 1)),
      );
      asked = { ...call, params: [{ ...filter, fromBlock, toBlock: realOf(filter.toBlock) }] };
    }
    const own = await (methods[call.method]?.(asked, ask) ?? ask(asked));
    if (!('result' in own)) return own;
    if (call.method === 'eth_blockNumber') return { result: quantity(toShown(Number(own.result))) };
    return { result: shown(own.result) };
  };
  const names = [
    ...Object.keys(blockParameter),
    ...Object.keys(methods),
    ...['eth_blockNumber', 'eth_getLogs', 'eth_getTransactionReceipt', 'eth_getTransactionByHash'],
  ];
  return Object.fromEntries(names.map((name) => [name, answer]));
}

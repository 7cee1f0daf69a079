import type { Phase } from '@ledger-ops/adapter';
import type { Block } from '../rpc/block.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { mostGas } from './gas-limit.ts';
import { type GasRules, strictestRules } from './intrinsic-gas.ts';

/**
 * Returns the gas rules of the chain. A header can prove that a rule applies, but not that it does not apply:
 * some chains have Prague's rules without its header fields. So the node's configuration (EIP-7910) is used
 * if available. Otherwise, the strictest rules are assumed, because the chain refunds unused gas.
 */
export async function rulesOf({ fork }: Block, nodes: Nodes, phase: Phase): Promise<GasRules> {
  if (fork === 'prague') return strictestRules;
  const named = await namesInConfig(nodes, phase);
  if (named === undefined || named.has('BLS12_G1ADD')) return strictestRules;
  return { initCode: fork === 'shanghai' || named.has('KZG_POINT_EVALUATION'), floor: false };
}

/**
 * Returns the maximum gas of a transaction, if the chain has such a limit (EIP-7825, Osaka) and its node reports it.
 * Rollups have Osaka's precompile but not the limit. They are recognized because `eth_config` lists no deposit
 * contract.
 */
export async function gasCapOf(nodes: Nodes, phase: Phase): Promise<bigint | undefined> {
  const named = await namesInConfig(nodes, phase);
  return named?.has('P256VERIFY') === true && named.has('DEPOSIT_CONTRACT_ADDRESS') ? mostGas : undefined;
}

/**
 * Returns the names of precompiles and system contracts in the node's current configuration; undefined if the
 * node does not report it.
 */
async function namesInConfig(nodes: Nodes, phase: Phase): Promise<Set<string> | undefined> {
  const [answer] = await nodes.onNode(phase, (node) => node.batch([{ method: 'eth_config', params: [] }]));
  const current = answer?.ok === true ? memberOf(answer.result, 'current') : undefined;
  const precompiles = memberOf(current, 'precompiles');
  if (typeof precompiles !== 'object' || precompiles === null) return undefined;
  return new Set([...Object.keys(precompiles), ...Object.keys(memberOf(current, 'systemContracts') ?? {})]);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

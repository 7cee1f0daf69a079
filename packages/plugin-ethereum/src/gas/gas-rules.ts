import type { Phase } from '@ledger-ops/adapter';
import type { Block } from '../rpc/block.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { mostGas } from './gas-limit.ts';
import { type GasRules, strictestRules } from './intrinsic-gas.ts';

/**
 * The rules by which the chain charges. A header shows that a rule is in force, and never that it is not: some chains
 * keep Prague's rules and write none of its fields. So a node that tells its configuration (EIP-7910) is asked for the
 * rest, and where none does the strictest rules count: gas that they leave over comes back.
 */
export async function rulesOf({ fork }: Block, nodes: Nodes, phase: Phase): Promise<GasRules> {
  if (fork === 'prague') return strictestRules;
  const named = await namesInConfig(nodes, phase);
  if (named === undefined || named.has('BLS12_G1ADD')) return strictestRules;
  return { initCode: fork === 'shanghai' || named.has('KZG_POINT_EVALUATION'), floor: false };
}

/**
 * The most gas that a transaction may have, where the chain has such a bound (EIP-7825, Osaka) and its node tells so.
 * Rollups have Osaka's precompile without the bound; they list no deposit contract.
 */
export async function gasCapOf(nodes: Nodes, phase: Phase): Promise<bigint | undefined> {
  const named = await namesInConfig(nodes, phase);
  return named?.has('P256VERIFY') === true && named.has('DEPOSIT_CONTRACT_ADDRESS') ? mostGas : undefined;
}

/** Names of precompiles and system contracts in the node's current configuration; undefined where it tells none. */
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

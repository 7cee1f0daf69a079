import { namingTheSetting, Problem } from '@ledger-ops/base';
import { withPointers } from '../../pointers.ts';
import type { NodeProbe, NodeReport } from '../types.ts';

/**
 * Asks a node for its chain, and holds it against the ledger's.
 *
 * @param before what a node of the same new ledger said
 *
 * @throws Problem `conflict` for a node on another chain, and what the probe throws
 */
export async function chainOf(
  probe: NodeProbe,
  ledger: Parameters<NodeProbe>[0],
  node: Omit<Parameters<NodeProbe>[1], 'nodeId'>,
  pointer: string,
  before?: NodeReport,
): Promise<NodeReport> {
  // It has no id yet.
  const nodeId = new URL(node.uri).host;
  // As the one node of a ledger, by its place or by its name.
  const places = [
    ['/nodes/0/uri', pointer],
    [`/nodes/${nodeId}/uri`, pointer],
  ] as const;
  const report = await withPointers(places, () => probe(ledger, { ...node, nodeId })).catch(
    (error: unknown) => {
      throw isNotOpened(error) ? atNode(error, pointer) : error;
    },
  );
  const { chainId, network, expected = before?.network } = report;
  if (network !== undefined && expected !== undefined && network !== expected) {
    const detail = `the node is on the network ${network}, the ledger on ${expected}`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  const wanted = ledger.properties.chain_id;
  if (chainId !== null && wanted !== undefined && !sameChain(chainId, wanted)) {
    const detail = `the node is on chain ${chainId}, the ledger on chain ${String(wanted)}`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  return report;
}

function isNotOpened(error: unknown): error is Problem {
  return error instanceof Problem && error.problem === 'address-not-opened';
}

/** Who gives a ledger its nodes administers it, and is told what opens an address. */
function atNode(problem: Problem, pointer: string): Problem {
  const errors = [{ pointer, detail: 'is at an address that is not public and not opened on this server' }];
  return namingTheSetting(new Problem(problem.problem, problem.message, { errors, cause: problem }));
}

function sameChain(reported: string, wanted: unknown): boolean {
  if (reported === String(wanted)) return true;
  try {
    return BigInt(reported) === BigInt(String(wanted));
  } catch {
    return false;
  }
}

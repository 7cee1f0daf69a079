import { namingTheSetting, Problem } from '@ledger-ops/base';
import { withPointers } from '../../pointers.ts';
import type { NodeProbe, NodeReport } from '../types.ts';

/**
 * Queries a node for its chain, and compares the chain with the ledger's.
 *
 * @param before report of an earlier node of the same new ledger
 * @throws Problem `conflict` if the node is on another chain, and the errors of the probe
 */
export async function chainOf(
  probe: NodeProbe,
  ledger: Parameters<NodeProbe>[0],
  node: Omit<Parameters<NodeProbe>[1], 'nodeId'>,
  pointer: string,
  before?: NodeReport,
): Promise<NodeReport> {
  // The node has no id yet, so messages name its host.
  const nodeId = new URL(node.uri).host;
  // The probe's issues name the node by its index or by its id.
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
    const detail = `the node is on the network ${network}, but the ledger is on ${expected}`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  const wanted = ledger.properties.chain_id;
  if (chainId !== null && wanted !== undefined && !sameChain(chainId, wanted)) {
    const detail = `the node is on chain ${chainId}, but the ledger is on chain ${String(wanted)}`;
    throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  }
  return report;
}

function isNotOpened(error: unknown): error is Problem {
  return error instanceof Problem && error.problem === 'address-not-opened';
}

/** The caller administers the ledger, so the message may name the setting that allows the address. */
function atNode(problem: Problem, pointer: string): Problem {
  // The detail has the same wording as the message, so that clients do not show the sentence twice.
  const detail =
    'has a private address that the deployer of this server has not allowed. Add the address or its network to the server setting OUTBOUND_OPEN, or use a public address.';
  const errors = [{ pointer, detail }];
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

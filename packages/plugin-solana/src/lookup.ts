import type { LookupResult } from '@ledger-ops/adapter';
import { placesOf } from './blocks/final.ts';
import { readHead } from './blocks/head.ts';
import type { ProgramErrors } from './idl/program-errors.ts';
import type { SolanaProperties } from './properties.ts';
import { answers } from './rpc/answers.ts';
import { problemOf, toJson } from './rpc/errors.ts';
import type { Nodes } from './rpc/nodes.ts';
import { isSignatureText } from './transactions/base58.ts';

const phase = 'lookup';

/** A transaction by its signature: PENDING until its block is as deep as the ledger asks; null when unknown. */
export async function lookUp(
  txId: string,
  { nodes, properties, errors }: { nodes: Nodes; properties: SolanaProperties; errors: ProgramErrors },
): Promise<LookupResult | null> {
  if (!isSignatureText(txId)) return null;
  return nodes.onNode(phase, async (node) => {
    const { height } = await readHead(node);
    const place = (await placesOf(node, [txId], height, properties)).get(txId);
    if (place === undefined) return null;
    const { block, err, isFinal } = place;
    const found = await node.rpc
      .getTransaction(txId, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    const meta = answers.transaction.safeParse(found).data?.meta;
    if (found === null) return { txId, status: 'PENDING' };
    const result = { txId, height: block.height, blockHash: block.hash, receipt: toJson(found) };
    if (!isFinal) return { ...result, status: 'PENDING' };
    if (err === null) return { ...result, status: 'SUCCEEDED' };
    const logs = meta?.logMessages ?? null;
    return { ...result, status: 'FAILED', problem: problemOf({ err, logs }, errors, phase, txId) };
  });
}

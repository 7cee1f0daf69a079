import type { LookupResult } from '@ledger-ops/adapter';
import type { z } from 'zod';
import { placesOf } from './blocks/final.ts';
import { readHead } from './blocks/head.ts';
import { errorsOfStep, type SentSteps } from './deployment/sent-steps.ts';
import { errorsOf, type ProgramErrors } from './idl/program-errors.ts';
import { publishedIdl } from './idl/published.ts';
import type { SolanaProperties } from './properties.ts';
import { answers } from './rpc/answers.ts';
import { failedProgram, isCustomError, problemOf, toJson } from './rpc/errors.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { isSignatureText } from './transactions/base58.ts';

const phase = 'lookup';

/** A transaction by its signature: PENDING until its block is as deep as the ledger asks; null when unknown. */
export async function lookUp(
  txId: string,
  { nodes, properties, steps }: { nodes: Nodes; properties: SolanaProperties; steps: SentSteps },
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
    if (found === null) return { txId, status: 'PENDING' };
    const read = answers.transaction.safeParse(found).data;
    const result = { txId, height: block.height, blockHash: block.hash, receipt: toJson(found) };
    if (!isFinal) return { ...result, status: 'PENDING' };
    const final = { ...result, ...figuresOf(read) };
    if (err === null) return { ...final, status: 'SUCCEEDED' };
    const logs = read?.meta?.logMessages ?? null;
    const errors = errorsOfStep(steps.find(txId)) ?? (await publishedErrors(node, err, logs));
    return { ...final, status: 'FAILED', problem: problemOf({ err, logs }, errors, phase, txId) };
  });
}

function figuresOf(
  found: z.infer<typeof answers.transaction> | undefined,
): Pick<LookupResult, 'fee' | 'blockTime'> {
  const { blockTime, meta } = found ?? {};
  return {
    ...(meta == null ? {} : { fee: meta.fee }),
    ...(blockTime == null ? {} : { blockTime: Number(blockTime) * 1_000 }),
  };
}

/** Of a transaction that somebody else sent: what the program itself says its errors are. */
async function publishedErrors(
  node: SolanaNode,
  err: unknown,
  logs: readonly string[] | null,
): Promise<ProgramErrors | undefined> {
  const program = isCustomError(err) ? failedProgram(logs) : undefined;
  const idl = program === undefined ? undefined : await publishedIdl(node, program);
  return program === undefined || idl === undefined ? undefined : errorsOf(program, idl);
}

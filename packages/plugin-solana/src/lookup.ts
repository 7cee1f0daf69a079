import type { LookupResult } from '@ledger-ops/adapter';
import { z } from 'zod';
import type { PlaceReader } from './blocks/place-reader.ts';
import { errorsOfStep, type SentSteps } from './deployment/sent-steps.ts';
import { errorsOf, type ProgramErrors } from './idl/program-errors.ts';
import { publishedIdl } from './idl/published.ts';
import { answers } from './rpc/answers.ts';
import { failedProgram, isCustomError, problemOf, toJson } from './rpc/errors.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readable, UnusableAnswer } from './rpc/unusable-answer.ts';
import { isSignatureText } from './transactions/base58.ts';
import { originOf } from './transactions/origin.ts';

const phase = 'lookup';

/**
 * Looks up a transaction by its signature: PENDING until its block has the ledger's required depth; null if unknown.
 */
export async function lookUp(
  txId: string,
  { nodes, places, steps }: { nodes: Nodes; places: PlaceReader; steps: SentSteps },
): Promise<LookupResult | null> {
  if (!isSignatureText(txId)) return null;
  return nodes.onNode(phase, async (node) => {
    const place = await places.placeOf(node, txId);
    if (place === undefined) return null;
    const { block, err, isFinal } = place;
    const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const found = await node.ask('getTransaction', [txId, config], z.unknown());
    if (found === null) return { txId, status: 'PENDING' };
    const read = answers.transaction.safeParse(found).data;
    const result = { txId, height: block.height, blockHash: block.hash, receipt: toJson(found) };
    if (!isFinal) return { ...result, status: 'PENDING' };
    const final = { ...result, ...figuresOf(read), ...originOf(found) };
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

/** For transactions of other programs: returns the errors in the called program's published IDL. */
async function publishedErrors(
  node: SolanaNode,
  err: unknown,
  logs: readonly string[] | null,
): Promise<ProgramErrors | undefined> {
  const program = isCustomError(err) ? failedProgram(logs) : undefined;
  if (program === undefined) return undefined;
  const idl = await readable(publishedIdl(node, program));
  return idl === undefined || idl instanceof UnusableAnswer ? undefined : errorsOf(program, idl);
}

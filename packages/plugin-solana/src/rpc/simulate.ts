import type { Phase } from '@ledger-ops/adapter';
import { getBase64EncodedWireTransaction } from '@solana/kit';
import { budgeted, type Plan } from '../plan.ts';
import { mostComputeUnits } from '../transactions/compute-budget.ts';
import { readTables } from '../transactions/lookup-tables.ts';
import { accountsOf, anyLifetime, compileMessage, requireSize } from '../transactions/message.ts';
import { answers, ask } from './answers.ts';
import type { Failure } from './errors.ts';
import type { SolanaNode } from './node.ts';

/** A node's trial of a transaction. */
export type Simulated = { logs: readonly string[] } & (
  | { ok: true; units: number; returned: { program: string; data: string } | null }
  | { ok: false; failure: Failure }
);

/** Plays a plan on the newest confirmed block, with as many compute units as there can be unless it says how many. */
export async function simulate(
  node: SolanaNode,
  wallet: string,
  plan: Plan,
  phase: Phase,
): Promise<Simulated> {
  const { nodeId, rpc } = node;
  const units = plan.computeUnitLimit ?? mostComputeUnits;
  const tables = await readTables(node, plan.lookupTables ?? [], phase);
  const instructions = budgeted(plan, units, 0n, wallet);
  const transaction = compileMessage(plan.feePayer ?? wallet, instructions, anyLifetime, tables);
  requireSize(transaction, phase, '/native/addressLookupTables');
  const call = rpc.simulateTransaction(getBase64EncodedWireTransaction(transaction), {
    commitment: 'confirmed',
    encoding: 'base64',
    replaceRecentBlockhash: true,
    sigVerify: false,
  });
  const { value } = await ask(nodeId, call, answers.simulation);
  const logs = value.logs ?? [];
  if (value.err !== null && value.err !== undefined) {
    return {
      ok: false,
      logs,
      failure: { err: value.err, logs, accounts: accountsOf(transaction) },
    };
  }
  const { returnData } = value;
  return {
    ok: true,
    logs,
    units: Number(value.unitsConsumed ?? mostComputeUnits),
    returned:
      returnData === null || returnData === undefined
        ? null
        : { program: returnData.programId, data: returnData.data[0] },
  };
}

import type { Phase } from '@ledger-ops/adapter';
import { getBase64EncodedWireTransaction } from '@solana/transactions';
import { budgeted, type Plan, signersOf } from '../plan.ts';
import { mostComputeUnits } from '../transactions/compute-budget.ts';
import { readTables } from '../transactions/lookup-tables.ts';
import { accountsOf, anyLifetime, compileMessage, requireSize } from '../transactions/message.ts';
import { answers } from './answers.ts';
import type { Failure } from './errors.ts';
import type { SolanaNode } from './node.ts';

/** A node's simulation of a transaction. */
export type Simulated = { logs: readonly string[] } & (
  | {
      ok: true;
      units: number;
      returned: { program: string; data: string } | null;
      /** Lamports that leave the wallet, without the fee; undefined if the node does not report them. */
      spends: bigint | undefined;
    }
  | { ok: false; failure: Failure }
);

/**
 * Simulates a plan on the newest confirmed block. If the plan does not limit compute units, the maximum is
 * used.
 */
export async function simulate(
  node: SolanaNode,
  wallet: string,
  plan: Plan,
  phase: Phase,
): Promise<Simulated> {
  const units = plan.computeUnitLimit ?? mostComputeUnits;
  const tables = await readTables(node, plan.lookupTables ?? [], phase);
  const instructions = budgeted(plan, { units, price: 0n }, wallet);
  const transaction = compileMessage(plan.feePayer ?? wallet, instructions, anyLifetime, tables);
  requireSize(transaction, phase, '/native/addressLookupTables');
  const config = {
    commitment: 'confirmed',
    encoding: 'base64',
    replaceRecentBlockhash: true,
    sigVerify: false,
  };
  const wire = getBase64EncodedWireTransaction(transaction);
  const { value } = await node.ask('simulateTransaction', [wire, config], answers.simulation);
  const logs = value.logs ?? [];
  if (value.err !== null && value.err !== undefined) {
    return {
      ok: false,
      logs,
      failure: {
        err: value.err,
        logs,
        accounts: accountsOf(transaction, tables),
        payers: signersOf(plan, wallet),
      },
    };
  }
  const { returnData } = value;
  const place = accountsOf(transaction, tables).indexOf(wallet);
  const [before, after] = [value.preBalances?.[place], value.postBalances?.[place]];
  const fee = (plan.feePayer ?? wallet) === wallet ? (value.fee ?? 0n) : 0n;
  return {
    ok: true,
    logs,
    spends: before === undefined || after === undefined ? undefined : before - after - fee,
    units: Number(value.unitsConsumed ?? mostComputeUnits),
    returned:
      returnData === null || returnData === undefined
        ? null
        : { program: returnData.programId, data: returnData.data[0] },
  };
}

import type { JsonObject, LedgerSession, WalletIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { adapterProblemFrom, isPassing, toProblem } from '../adapter-problem.ts';
import { readDeferred, withAddress, withSecret } from './deferred.ts';

/** The plan by which an action is signed now, or why there is none. */
export type Planned =
  | { status: 'planned'; plan: JsonObject; secret: JsonObject | undefined; fresh: boolean }
  | { status: 'wait'; detail: string }
  | { status: 'failed'; problem: Problem };

/**
 * The plan of an action; `fresh` when it was made now, because its contract had still to be deployed when the
 * action was accepted.
 */
export async function planNow(
  read: Pick<Queries, 'all'>,
  session: LedgerSession,
  action: { plan: string; wallet: WalletIdentity; secret: JsonObject | undefined },
): Promise<Planned> {
  const { wallet, secret } = action;
  // Written by the adapter, and bound to the action by its grant.
  const plan = JSON.parse(action.plan) as JsonObject;
  const deferred = readDeferred(plan);
  if (deferred === null) return { status: 'planned', plan, secret, fresh: false };
  const [deployment] = await read.all<{ contract_address: string | null }>(
    'SELECT contract_address FROM action WHERE id = $1',
    [deferred.deployedBy],
  );
  const address = deployment?.contract_address ?? null;
  if (address === null) {
    const detail = `The action ${deferred.deployedBy} succeeded without a contract.`;
    return { status: 'failed', problem: new Problem('unknown-contract', detail) };
  }
  try {
    const operation = withSecret(withAddress(deferred.operation, address), secret);
    const checked = await session.check({ wallet, operation });
    return { status: 'planned', plan: checked.plan, secret: checked.secret, fresh: true };
  } catch (error) {
    const problem = adapterProblemFrom(error);
    // The deployment is final: a node that does not show its contract is behind.
    const isBehind = problem.code === 'unknown-contract';
    if (isBehind || isPassing(problem)) return { status: 'wait', detail: problem.detail };
    return { status: 'failed', problem: toProblem(problem) };
  }
}

import type { JsonObject, LedgerSession, PrepareRequest, WalletIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { type Queries, readJson } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { readDeployedAddress } from '../../rows/actions/register-deployed.ts';
import { type NotSigned, refusedBy } from './not-signed.ts';
import { readUnresolved, withAddress, withSecret } from './unresolved-operation.ts';

/** The plan to sign an action with, or why there is no plan. */
export type Planned =
  | { status: 'planned'; plan: JsonObject; secret: JsonObject | undefined; isFresh: boolean }
  | NotSigned;

/**
 * Returns the plan of an action. If the called contract was not deployed yet when the action was accepted, the plan is
 * created now, and `isFresh` is true.
 */
export async function planAction(
  read: Pick<Queries, 'all'>,
  session: Pick<LedgerSession, 'check'>,
  action: { plan: string; wallet: WalletIdentity; secret: JsonObject | undefined } & Pick<
    PrepareRequest,
    'others'
  >,
): Promise<Planned> {
  const { plan: text, secret, ...wallets } = action;
  // The adapter created this plan, and the action's grant authenticates it.
  const plan = readJson<JsonObject>(text);
  const unresolved = readUnresolved(plan);
  if (unresolved === null) return { status: 'planned', plan, secret, isFresh: false };
  const address = await readDeployedAddress(read, unresolved.deployedBy);
  if (address === null) {
    const detail = `The action ${unresolved.deployedBy} succeeded without deploying a contract.`;
    return { status: 'failed', problem: new Problem('unknown-contract', detail) };
  }
  try {
    const operation = withSecret(withAddress(unresolved.operation, address), secret);
    const checked = await session.check({ ...wallets, operation });
    return { status: 'planned', plan: checked.plan, secret: checked.secret, isFresh: true };
  } catch (error) {
    const problem = adapterProblemFrom(error);
    // The deployment is final, so a node that does not know the contract is behind.
    if (problem.code === 'unknown-contract')
      return { status: 'wait', code: 'ledger-unavailable', reason: problem.detail };
    return refusedBy(problem);
  }
}

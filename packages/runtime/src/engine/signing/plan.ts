import type { JsonObject, LedgerSession, WalletIdentity } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { type Queries, readJson } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { readDeployedAddress } from '../../rows/actions/register-deployed.ts';
import { type NotSigned, refusedBy } from './not-signed.ts';
import type { Others } from './others.ts';
import { readUnresolved, withAddress, withSecret } from './unresolved-operation.ts';

/** The plan by which an action is signed now, or why there is none. */
export type Planned =
  | { status: 'planned'; plan: JsonObject; secret: JsonObject | undefined; isFresh: boolean }
  | NotSigned;

/**
 * The plan of an action; `isFresh` when it was made now, because its contract had still to be deployed when the
 * action was accepted.
 */
export async function planAction(
  read: Pick<Queries, 'all'>,
  session: Pick<LedgerSession, 'check'>,
  action: { plan: string; wallet: WalletIdentity; secret: JsonObject | undefined } & Others,
): Promise<Planned> {
  const { plan: text, secret, ...wallets } = action;
  // Written by the adapter, and bound to the action by its grant.
  const plan = readJson<JsonObject>(text);
  const unresolved = readUnresolved(plan);
  if (unresolved === null) return { status: 'planned', plan, secret, isFresh: false };
  const address = await readDeployedAddress(read, unresolved.deployedBy);
  if (address === null) {
    const detail = `The action ${unresolved.deployedBy} succeeded without a contract.`;
    return { status: 'failed', problem: new Problem('unknown-contract', detail) };
  }
  try {
    const operation = withSecret(withAddress(unresolved.operation, address), secret);
    const checked = await session.check({ ...wallets, operation });
    return { status: 'planned', plan: checked.plan, secret: checked.secret, isFresh: true };
  } catch (error) {
    const problem = adapterProblemFrom(error);
    // The deployment is final: a node that does not show its contract is behind.
    if (problem.code === 'unknown-contract')
      return { status: 'wait', code: 'ledger-unavailable', reason: problem.detail };
    return refusedBy(problem);
  }
}

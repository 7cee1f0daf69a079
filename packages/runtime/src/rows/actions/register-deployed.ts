import type { ProblemDocument } from '@ledger-ops/base';
import type { DeployedContract } from '@ledger-ops/registry';
import type { Queries, SqlValue, Tx } from '@ledger-ops/store';
import { sourceOf } from '../../actions/deployments.ts';
import type { Settlement } from '../model.ts';
import { textList } from '../sql.ts';

/**
 * Registers a contract, in the database transaction that settles its deployment. Returns a problem if the contract
 * cannot be registered.
 */
export type RegisterDeployed = (tx: Tx, contract: DeployedContract) => Promise<ProblemDocument | null>;

interface Row extends Record<string, SqlValue> {
  id: string;
  given_id: string | null;
  project_id: string;
  app_id: string;
  caller: string;
  ledger_uid: string;
  operation: string;
  contract_id: string | null;
  name: string | null;
}

/**
 * Registers the contracts that these actions deployed from templates. If a contract cannot be registered, its action
 * still completes. Returns the problems by action id.
 *
 * @param ended ids of the actions that complete in this database transaction
 */
export async function registerDeployed(
  tx: Tx,
  settlements: readonly Settlement[],
  ended: readonly string[],
  register: RegisterDeployed,
): Promise<Map<string, ProblemDocument>> {
  const addresses = new Map<string, string>();
  for (const { actionId, status, contractAddress } of settlements) {
    if (status === 'SUCCEEDED' && contractAddress !== null) addresses.set(actionId, contractAddress);
  }
  const ids = ended.filter((id) => addresses.has(id));
  const refused = new Map<string, ProblemDocument>();
  if (ids.length === 0) return refused;
  const rows = await tx.all<Row>(
    `SELECT action.id, action.given_id, action.project_id, action.app_id, action.caller, action.ledger_uid, action.operation,
        deployment.contract_id, deployment.name
      FROM action LEFT JOIN deployment ON deployment.action_id = action.id
      WHERE action.id IN ${textList(tx.dialect, '$1')} ORDER BY action.id`,
    [JSON.stringify(ids)],
  );
  for (const row of rows) {
    const source = sourceOf(row.operation);
    if (source === null || source.type !== 'service') continue;
    const colon = source.resource.lastIndexOf(':');
    const problem = await register(tx, {
      actionId: row.id,
      contractId: row.contract_id ?? row.given_id ?? row.id,
      name: row.name,
      projectUid: row.project_id,
      templateId: source.resource.slice(0, colon),
      tag: source.resource.slice(colon + 1),
      ledgerUid: row.ledger_uid,
      nativeReference: addresses.get(row.id) ?? '',
      deployedBy: { serviceId: row.caller, appId: row.app_id },
    });
    if (problem !== null) refused.set(row.id, problem);
  }
  return refused;
}

/** Returns the address of the contract that an action deployed; null if there is none. */
export async function readDeployedAddress(
  read: Pick<Queries, 'all'>,
  actionId: string,
): Promise<string | null> {
  const [row] = await read.all<{ contract_address: string | null }>(
    'SELECT contract_address FROM action WHERE id = $1',
    [actionId],
  );
  return row?.contract_address ?? null;
}

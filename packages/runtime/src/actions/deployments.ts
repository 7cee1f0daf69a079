import type { Locator, Operation } from '@ledger-ops/glo-core';
import { type Queries, readJson, type SqlValue } from '@ledger-ops/store';
import type { Deployment } from './resolve.ts';

interface Row extends Record<string, SqlValue> {
  id: string;
  wallet_uid: string;
  ledger_uid: string;
  ledger_id: string;
  status: string;
  contract_address: string | null;
  operation: string;
}

/** Reads the action that deploys a contract, for an action that calls this contract. */
export async function readDeployment(
  read: Queries,
  projectUid: string,
  actionId: string,
): Promise<Deployment | null> {
  const [row] = await read.all<Row>(
    `SELECT id, wallet_uid, ledger_uid, ledger_id, status, contract_address, operation
      FROM action WHERE project_id = $1 AND (id = $2 OR given_id = $2)`,
    [projectUid, actionId],
  );
  if (row === undefined) return null;
  return {
    actionId: row.id,
    walletUid: row.wallet_uid,
    ledgerUid: row.ledger_uid,
    ledgerId: row.ledger_id,
    status: row.status,
    contractAddress: row.contract_address,
    source: sourceOf(row.operation),
  };
}

/**
 * Returns the template that an operation deploys; null if it deploys none. @param text canonical text of the operation
 */
export function sourceOf(text: string): Locator | null {
  const operation = readJson<Pick<Operation, 'type'> & { source?: Locator }>(text);
  return operation.type === 'contract_deploy' ? (operation.source ?? null) : null;
}

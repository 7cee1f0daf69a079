import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import type { Queries } from '@ledger-ops/store';
import { rowset } from '../rows/sql.ts';
import { type OverviewRow, operationOf } from './action-details.ts';
import type { Scope } from './scope.ts';
import type { ActionOverview } from './types.ts';

type Names = ActionOverview['names'];

const noNames: Names = { contract: null, recipient: null, arguments: [] };

interface Found {
  id: string;
  kind: 'contract' | 'template' | 'recipient' | `argument ${number}`;
  name: string | null;
}

const columns = {
  id: 'text',
  project: 'text',
  ledger: 'text',
  contract: 'text',
  address: 'text',
  template: 'text',
  recipient: 'text',
  argument0: 'text',
  argument1: 'text',
  argument2: 'text',
  argument3: 'text',
} as const;

/** Number of arguments in `argumentsPreview`. */
const previewed = 4;

/** Returns the first arguments of a method or constructor; null if there are no arguments. */
export function firstArguments({ method, args }: ReturnType<typeof operationOf>): string[] | null {
  return (method?.args ?? args)?.slice(0, previewed) ?? null;
}

/**
 * Reads the names of the records that an action refers to. Contracts and templates of the action's project are found by
 * id or by address on the action's ledger; wallets by the receiving address and by addresses in arguments. Omits names
 * that the caller may not read.
 */
export async function readNames(
  read: Queries,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  scope: Scope,
  rows: readonly OverviewRow[],
): Promise<(id: string) => Names> {
  const place = scope.projectUid ?? systemUid;
  const mayRead = async (permission: 'smart-contract-instance:read' | 'smart-contract-template:read') =>
    (await auth.decide(principal, [permission], place)).result;
  const references = rows.map(referencesOf);
  const wallets = walletColumns.filter(({ column }) => references.some((one) => one[column] != null));
  const statements = [
    ...((await mayRead('smart-contract-instance:read')) ? contractNames : []),
    ...((await mayRead('smart-contract-template:read')) ? [templateNames] : []),
    ...(scope.byWallet ? [] : wallets.map(walletNames)),
  ];
  if (rows.length === 0 || statements.length === 0) return () => noNames;
  const from = rowset(read.dialect, '$1', columns);
  const found = await read.all<Found & Record<string, string | null>>(
    statements.map((statement) => statement.replace('$rows', from)).join(' UNION ALL '),
    [JSON.stringify(references)],
  );
  const byAction = Map.groupBy(found, ({ id }) => id);
  return (id) => {
    const nameOf = (kind: Found['kind']) =>
      byAction.get(id)?.find((one) => one.kind === kind && one.name !== null)?.name ?? null;
    return {
      contract: nameOf('contract') ?? nameOf('template'),
      recipient: nameOf('recipient'),
      arguments: Array.from({ length: previewed }, (_, index) => nameOf(`argument ${index}`)),
    };
  };
}

function referencesOf(row: OverviewRow) {
  const operation = operationOf(row);
  const { contract, source, recipient } = operation;
  const [argument0, argument1, argument2, argument3] = (firstArguments(operation) ?? []).map(addressAmong);
  return {
    id: row.id,
    project: row.project_id,
    ledger: row.ledger_uid,
    contract: contract?.resource ?? null,
    address: contract?.resource ?? row.contract_address,
    template: source?.resource?.replace(/:[^:]*$/, '') ?? null,
    recipient: recipient?.type === 'ledger' ? (recipient.resource ?? null) : null,
    ...{ argument0, argument1, argument2, argument3 },
  };
}

/** Returns the argument if it is short enough to be an address. */
function addressAmong(argument: string): string | undefined {
  return argument.length >= 26 && argument.length <= 128 ? argument : undefined;
}

/**
 * SQL for the name that a user gave to the contract. If nobody named the contract (its name is its id), the result is
 * the name of its template, or null.
 */
const givenName = `CASE WHEN contract.name <> contract.contract_id THEN contract.name ELSE
  (SELECT template.name FROM specification JOIN template ON template.uid = specification.template_uid
    WHERE specification.uid = contract.specification_uid) END`;

const contractNames = [
  `SELECT j.id AS id, 'contract' AS kind, ${givenName} AS name FROM $rows
    JOIN contract ON contract.project_id = j.project AND contract.contract_id = j.contract`,
  `SELECT j.id AS id, 'contract' AS kind, ${givenName} AS name FROM $rows
    JOIN contract ON contract.project_id = j.project AND lower(contract.native_reference) = lower(j.address)
    AND contract.ledger_uid = j.ledger`,
];

const templateNames = `SELECT j.id AS id, 'template' AS kind, template.name AS name FROM $rows
  JOIN template ON template.project_id = j.project AND template.template_id = j.template`;

const walletColumns = [
  { kind: 'recipient', column: 'recipient' },
  { kind: 'argument 0', column: 'argument0' },
  { kind: 'argument 1', column: 'argument1' },
  { kind: 'argument 2', column: 'argument2' },
  { kind: 'argument 3', column: 'argument3' },
] as const;

const walletNames = ({ kind, column }: (typeof walletColumns)[number]) =>
  `SELECT j.id AS id, '${kind}' AS kind, wallet.wallet_id AS name FROM $rows
    JOIN wallet ON wallet.project_id = j.project AND lower(wallet.address) = lower(j.${column})
    AND wallet.ledger_uid = j.ledger`;

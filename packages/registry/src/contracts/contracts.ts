import { type Auth, addDocument, checkName, chosenId } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { forUpdate, nextId, type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { registerNew } from '../register-new.ts';
import type { ContractGroupRecord, ContractRecord, NewContract, NewContractGroup } from '../types.ts';

/** Dependencies of creating contracts and groups. */
export interface ContractContext {
  auth: Pick<Auth, 'isTaken' | 'registerResource'>;
  now: () => number;
}

const maxInterface = 1_048_576;
const maxReference = 512;

/** Creates a contract group with a generated id. */
export async function addGroup(
  tx: Tx,
  input: NewContractGroup,
  { auth, now }: ContractContext,
): Promise<ContractGroupRecord> {
  const groupId = uuidv7();
  const name = checkName(input.name, '/name');
  const row = { groupId, projectId: input.projectUid, name, createdAt: now() };
  await tx.db.insert(tx.t.contractGroup).values(row);
  await auth.registerResource(tx, {
    uid: groupId,
    resourceId: groupId,
    type: 'contract-group',
    parentUid: input.projectUid,
    ...(input.owner === undefined ? {} : { owner: input.owner }),
  });
  return groupRecord(row);
}

/**
 * Returns the id of the group for contracts that a project registers with the deprecated operations, which have no
 * groups. Creates the group if needed.
 */
export async function ensureOlderGroup(
  tx: Tx,
  projectUid: string,
  context: ContractContext,
): Promise<string> {
  const group = { groupId: `older-${projectUid}`, projectUid, name: 'Older contract registry' };
  return await ensureGroup(tx, group, context);
}

/** Creates a group with the given id unless it exists, and locks it until the transaction ends. Returns its id. */
export async function ensureGroup(
  tx: Tx,
  { groupId, projectUid, name }: Pick<ContractGroupRecord, 'groupId' | 'projectUid' | 'name'>,
  { auth, now }: ContractContext,
): Promise<string> {
  const { contractGroup } = tx.t;
  const added = await tx.db
    .insert(contractGroup)
    .values({ groupId, projectId: projectUid, name, createdAt: now() })
    .onConflictDoNothing({ target: contractGroup.groupId })
    .returning({ groupId: contractGroup.groupId });
  if (added.length > 0) {
    const type = 'contract-group';
    await auth.registerResource(tx, { uid: groupId, resourceId: groupId, type, parentUid: projectUid });
  } else {
    await forUpdate(tx, tx.db.select().from(contractGroup).where(eq(contractGroup.groupId, groupId)));
  }
  return groupId;
}

export async function readGroup(queries: Queries, groupId: string): Promise<ContractGroupRecord | null> {
  const { contractGroup } = queries.t;
  const [row] = await queries.db.select().from(contractGroup).where(eq(contractGroup.groupId, groupId));
  return row === undefined ? null : groupRecord(row);
}

/** Registers a contract in its group. */
export async function addContract(
  tx: Tx,
  input: NewContract,
  { auth, now }: ContractContext,
): Promise<ContractRecord> {
  const contractId = chosenId(input.contractId, '/contractId');
  const name = input.name === null ? contractId : checkName(input.name, '/name');
  checkInterface(input.interface);
  if (input.nativeReference.length === 0 || input.nativeReference.length > maxReference) {
    const detail = `must have 1 to ${maxReference} characters`;
    throw invalidRequest([{ pointer: '/ledgerReference/nativeReference', detail }]);
  }
  const group = await readGroup(tx, input.groupId);
  if (group === null) throw new Problem('not-found', `The contract group ${input.groupId} does not exist.`);
  const ledgerId = await usableLedger(tx, input.ledgerUid, group.projectUid);
  const { contract } = tx.t;
  const row = {
    // A generated id is also used as the uid.
    uid: input.contractId === undefined ? contractId : uuidv7(),
    id: await nextId(tx, 'contract'),
    contractId,
    groupId: group.groupId,
    projectId: group.projectUid,
    name,
    interface: input.interface,
    parsedInterface: input.parsedInterface,
    ledgerUid: input.ledgerUid,
    ledgerId,
    nativeReference: input.nativeReference,
    specificationUid: input.specificationUid ?? null,
    types: JSON.stringify(input.types ?? []),
    createdAt: now(),
  };
  const added = await tx.db
    .insert(contract)
    .values(row)
    .onConflictDoNothing({ target: [contract.projectId, contract.contractId] })
    .returning({ uid: contract.uid });
  await registerNew(auth, tx, added, {
    uid: row.uid,
    resourceId: contractId,
    type: 'smart-contract-instance',
    pointer: '/contractId',
    parentUid: group.groupId,
    owner: input.owner,
  });
  await addDocument(tx, row.uid, Buffer.byteLength(row.interface) + Buffer.byteLength(row.parsedInterface));
  return contractRecord(row);
}

export async function readContract(
  queries: Queries,
  projectUid: string,
  contractId: string,
): Promise<ContractRecord | null> {
  const { contract } = queries.t;
  const [row] = await queries.db
    .select()
    .from(contract)
    .where(and(eq(contract.projectId, projectUid), eq(contract.contractId, contractId)));
  return row === undefined ? null : contractRecord(row);
}

/** @throws Problem `invalid-request` when the interface is too long */
export function checkInterface(text: string): void {
  if (text.length <= maxInterface) return;
  throw invalidRequest([{ pointer: '/interface', detail: `must have at most ${maxInterface} characters` }]);
}

/** Returns the ledger's id, if the ledger belongs to the project or the deployer. */
async function usableLedger(tx: Tx, ledgerUid: string, projectUid: string): Promise<string> {
  const { ledger } = tx.t;
  const [row] = await tx.db
    .select({ ledgerId: ledger.ledgerId, projectId: ledger.projectId })
    .from(ledger)
    .where(eq(ledger.uid, ledgerUid));
  if (row === undefined || (row.projectId !== null && row.projectId !== projectUid)) {
    const detail = "must be a ledger of the group's project or a ledger of the deployer";
    throw invalidRequest([{ pointer: '/ledgerReference/ledgerId', detail }]);
  }
  return row.ledgerId;
}

export function groupRecord({
  projectId,
  ...rest
}: Tx['t']['contractGroup']['$inferSelect']): ContractGroupRecord {
  return { ...rest, projectUid: projectId };
}

type ContractRow = Tx['t']['contract']['$inferSelect'];

/** A contract as listings return it. */
export interface ListedContract extends Omit<ContractRecord, 'parsedInterface'> {
  /** True if `interface` was omitted, because the page would be too long. Absent if it is complete. */
  readonly interfaceOmitted?: true;
}

export function contractRecord({ parsedInterface, ...row }: ContractRow): ContractRecord {
  return { ...listedContract(row), parsedInterface };
}

export function listedContract(
  row: Omit<ContractRow, 'parsedInterface'>,
  isShortened = false,
): ListedContract {
  const { projectId, specificationUid: _specification, types: _types, ...rest } = row;
  return { ...rest, projectUid: projectId, ...(isShortened ? { interfaceOmitted: true } : {}) };
}

/** Maximum number of bytes of interfaces, sources or compiled output in one list. */
export const mostListedBytes = 32 * 1_048_576;

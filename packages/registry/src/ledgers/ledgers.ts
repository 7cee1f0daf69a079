import { type Auth, checkName, chosenId } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { nextId, type Queries, readJson, type Tx, uuidv7 } from '@ledger-ops/store';
import { asc, eq, max } from 'drizzle-orm';
import { registerNew } from '../register-new.ts';
import { bumpRevision } from '../revision.ts';
import { scopeOf } from '../scope.ts';
import type {
  LedgerChange,
  LedgerProperties,
  LedgerRecord,
  NewLedger,
  NewNode,
  NodeRecord,
} from '../types.ts';
import { openNode, sealNode } from './nodes/node-secrets.ts';
import { checkNodeUri } from './nodes/node-uri.ts';
import { chainProperty } from './properties/ledger-properties.ts';
import type { SecretBox } from './properties/secrets.ts';

/** Dependencies of changes to ledgers. */
export interface LedgerContext {
  auth: Pick<Auth, 'isTaken' | 'registerResource' | 'removeResource'>;
  now: () => number;
  secrets: SecretBox;
}

/** Default kind of a ledger. */
const defaultLedgerType = 'blockchain';
const chainPointer = (name: string) => `/properties/${name}`;

/** Creates a ledger with its nodes. */
export async function addLedger(tx: Tx, input: NewLedger, context: LedgerContext): Promise<LedgerRecord> {
  const ledgerId = chosenId(input.ledgerId, '/ledgerId');
  const name = checkName(input.name, '/name');
  const now = context.now();
  const { ledger } = tx.t;
  const uid = uuidv7();
  const added = await tx.db
    .insert(ledger)
    .values({
      uid,
      id: await nextId(tx, 'ledger'),
      ledgerId,
      projectId: input.projectUid,
      scope: scopeOf(input.projectUid),
      name,
      type: input.type === undefined ? defaultLedgerType : checkName(input.type, '/type'),
      featured: input.featured ?? false,
      technology: input.technology,
      active: input.active ?? true,
      properties: JSON.stringify(input.properties),
      secrets: context.secrets.seal(uid, input.secrets ?? {}),
      revision: await bumpRevision(tx),
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing({ target: [ledger.scope, ledger.ledgerId] })
    .returning({ uid: ledger.uid });
  await registerNew(context.auth, tx, added, {
    uid,
    resourceId: ledgerId,
    type: 'ledger',
    parentUid: input.parentResourceUid,
    pointer: '/ledgerId',
    owner: input.owner,
  });
  for (const [position, node] of input.nodes.entries()) {
    await insertNode(tx, uid, node, position, `/nodes/${position}`, context);
  }
  return await ledgerInside(tx, uid, context.secrets);
}

/** Changes a ledger: its name, type, properties, or whether it is active or featured. */
export async function changeLedger(
  tx: Tx,
  uid: string,
  change: LedgerChange,
  { now, secrets: box }: LedgerContext,
): Promise<LedgerRecord> {
  // Locks the counter's row first, so that concurrent changes to the registry wait here.
  const revision = await bumpRevision(tx);
  const record = await ledgerInside(tx, uid, box);
  const { ledger } = tx.t;
  const { properties } = change;
  const chain = record.properties.chain_id;
  if (properties !== undefined && chain !== undefined && properties.chain_id !== chain) {
    throw new Problem(
      'conflict',
      `The ledger ${record.ledgerId} is on chain ${String(chain)}, and its wallets and nonces belong to that chain. Create another ledger for another chain.`,
      {
        errors: [
          {
            pointer: (change.pointerOf ?? chainPointer)('chain_id'),
            detail: 'cannot change once it is set',
          },
        ],
      },
    );
  }
  await tx.db
    .update(ledger)
    .set({
      name: change.name === undefined ? record.name : checkName(change.name, '/name'),
      active: change.active ?? record.active,
      ...(change.type === undefined ? {} : { type: checkName(change.type, '/type') }),
      ...(change.featured === undefined ? {} : { featured: change.featured }),
      ...(properties === undefined
        ? {}
        : { properties: JSON.stringify(properties), secrets: box.seal(uid, change.secrets ?? {}) }),
      revision,
      updatedAt: now(),
    })
    .where(eq(ledger.uid, uid));
  return await ledgerInside(tx, uid, box);
}

/** Sets a ledger's chain id to the id that its first node reported, unless the ledger already has one. */
export async function learnChain(
  tx: Tx,
  uid: string,
  chainId: string,
  { now }: Pick<LedgerContext, 'now'>,
): Promise<void> {
  const revision = await bumpRevision(tx);
  const { ledger } = tx.t;
  const [row] = await tx.db.select({ properties: ledger.properties }).from(ledger).where(eq(ledger.uid, uid));
  const held = readJson<LedgerProperties>(row?.properties ?? '{}');
  if (held.chain_id !== undefined) return;
  const properties = JSON.stringify({ ...held, ...chainProperty(chainId) });
  await tx.db.update(ledger).set({ properties, revision, updatedAt: now() }).where(eq(ledger.uid, uid));
}

/** Adds a node after the ledger's existing nodes. */
export async function addNode(
  tx: Tx,
  ledgerUid: string,
  input: NewNode,
  context: LedgerContext,
): Promise<NodeRecord> {
  await touchLedger(tx, ledgerUid, context);
  const { node } = tx.t;
  const [row] = await tx.db
    .select({ last: max(node.position) })
    .from(node)
    .where(eq(node.ledgerUid, ledgerUid));
  return await insertNode(tx, ledgerUid, input, (row?.last ?? -1) + 1, '', context);
}

/**
 * Removes a node, so that open sessions on its ledger are replaced.
 * @throws Problem `not-found`
 */
export async function dropNode(tx: Tx, nodeUid: string, context: LedgerContext): Promise<void> {
  const { node } = tx.t;
  const [row] = await tx.db
    .delete(node)
    .where(eq(node.uid, nodeUid))
    .returning({ ledgerUid: node.ledgerUid });
  if (row === undefined) throw new Problem('not-found', 'The node does not exist.');
  await touchLedger(tx, row.ledgerUid, context);
  await context.auth.removeResource(tx, nodeUid);
}

/** Returns all ledgers with their nodes, oldest first. */
export async function readLedgers(queries: Queries, secrets: SecretBox): Promise<LedgerRecord[]> {
  const { ledger, node } = queries.t;
  const rows = await queries.db.select().from(ledger).orderBy(asc(ledger.id));
  const nodes = await queries.db.select().from(node).orderBy(asc(node.position), asc(node.id));
  const byLedger = Map.groupBy(nodes, ({ ledgerUid }) => ledgerUid);
  return rows.map((row) => ledgerRecord(row, byLedger.get(row.uid) ?? [], secrets));
}

/**
 * Reads a ledger in a transaction.
 * @throws Problem `not-found`
 */
export async function ledgerInside(tx: Tx, uid: string, secrets: SecretBox): Promise<LedgerRecord> {
  const { ledger, node } = tx.t;
  const [row] = await tx.db.select().from(ledger).where(eq(ledger.uid, uid));
  if (row === undefined) throw new Problem('not-found', 'The ledger does not exist.');
  const nodes = await tx.db
    .select()
    .from(node)
    .where(eq(node.ledgerUid, uid))
    .orderBy(asc(node.position), asc(node.id));
  return ledgerRecord(row, nodes, secrets);
}

/**
 * Call this with every change to a node, so that open sessions on the node's ledger are replaced.
 * @throws Problem `not-found`
 */
export async function touchLedger(tx: Tx, uid: string, { now }: Pick<LedgerContext, 'now'>): Promise<void> {
  const revision = await bumpRevision(tx);
  const { ledger } = tx.t;
  const touched = await tx.db
    .update(ledger)
    .set({ revision, updatedAt: now() })
    .where(eq(ledger.uid, uid))
    .returning({ uid: ledger.uid });
  if (touched.length === 0) throw new Problem('not-found', 'The ledger does not exist.');
}

async function insertNode(
  tx: Tx,
  ledgerUid: string,
  input: NewNode,
  position: number,
  pointer: string,
  { auth, now, secrets: box }: LedgerContext,
): Promise<NodeRecord> {
  const nodeId = chosenId(input.nodeId, `${pointer}/nodeId`);
  const name = input.name === undefined ? nodeId : checkName(input.name, `${pointer}/name`);
  checkNodeUri(input.uri, `${pointer}/uri`);
  const { node, ledger } = tx.t;
  const [owner] = await tx.db.select({ scope: ledger.scope }).from(ledger).where(eq(ledger.uid, ledgerUid));
  if (owner === undefined) throw new Problem('not-found', 'The ledger does not exist.');
  const record = { uid: uuidv7(), nodeId, name, uri: input.uri, client: input.client ?? null };
  const secrets = input.secrets ?? {};
  const added = await tx.db
    .insert(node)
    .values({
      ...record,
      ...sealNode(box, record.uid, { uri: input.uri, properties: secrets }),
      id: await nextId(tx, 'node'),
      scope: owner.scope,
      ledgerUid,
      properties: JSON.stringify(input.properties ?? {}),
      position,
      createdAt: now(),
    })
    .onConflictDoNothing({ target: [node.scope, node.nodeId] })
    .returning({ uid: node.uid });
  await registerNew(auth, tx, added, {
    uid: record.uid,
    resourceId: nodeId,
    type: 'node',
    parentUid: ledgerUid,
    pointer: `${pointer}/nodeId`,
  });
  return { ...record, properties: { ...input.properties, ...secrets } };
}

type LedgerRow = Tx['t']['ledger']['$inferSelect'];
type NodeRow = Tx['t']['node']['$inferSelect'];

function nodeRecord(node: NodeRow, box: SecretBox): NodeRecord {
  const { uid, nodeId, name, client } = node;
  const { uri, properties } = openNode(box, node);
  const plain = readJson<LedgerProperties>(node.properties);
  return { uid, nodeId, name, uri, client, properties: { ...plain, ...properties } };
}

/** Returns the record used by the runtime, with its secret properties opened. */
export function ledgerRecord(row: LedgerRow, nodes: readonly NodeRow[], box: SecretBox): LedgerRecord {
  const { uid, id, ledgerId, projectId, name, active, properties, technology, revision, secrets } = row;
  return {
    uid,
    id,
    ledgerId,
    projectUid: projectId,
    name,
    active,
    revision,
    technology,
    properties: { ...readJson<LedgerProperties>(properties), ...box.open(uid, secrets) },
    nodes: nodes.map((node) => nodeRecord(node, box)),
  };
}

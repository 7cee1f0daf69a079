import { createHash } from 'node:crypto';
import { type Auth, addDocument, checkName, chosenId } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { nextId, type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { compilerLanguage } from '../compile/types.ts';
import { registerNew } from '../register-new.ts';
import type {
  NewSourceSpecification,
  NewSpecification,
  NewTemplate,
  SpecificationRecord,
  TemplateRecord,
} from '../types.ts';

/** Dependencies of creating templates. */
export interface TemplateContext {
  auth: Pick<Auth, 'registerResource'>;
  now: () => number;
}

/** Creates a template without versions. */
export async function addTemplate(
  tx: Tx,
  input: NewTemplate,
  { auth, now }: TemplateContext,
): Promise<TemplateRecord> {
  const templateId = chosenId(input.templateId, '/templateId');
  const name = checkName(input.name, '/name');
  const { template } = tx.t;
  const row = {
    uid: uuidv7(),
    id: await nextId(tx, 'template'),
    templateId,
    projectId: input.projectUid,
    name,
    description: input.description ?? null,
    createdAt: now(),
  };
  const added = await tx.db
    .insert(template)
    .values(row)
    .onConflictDoNothing({ target: [template.projectId, template.templateId] })
    .returning({ uid: template.uid });
  await registerNew(auth, tx, added, {
    uid: row.uid,
    resourceId: templateId,
    type: 'smart-contract-template',
    pointer: '/templateId',
    parentUid: input.projectUid,
    owner: input.owner,
  });
  return templateRecord(row);
}

export async function readTemplate(
  queries: Queries,
  projectUid: string,
  templateId: string,
): Promise<TemplateRecord | null> {
  const { template } = queries.t;
  const [row] = await queries.db
    .select()
    .from(template)
    .where(and(eq(template.projectId, projectUid), eq(template.templateId, templateId)));
  return row === undefined ? null : templateRecord(row);
}

/** Adds a version with compiled code, which is ready to deploy. */
export async function addSpecification(
  tx: Tx,
  input: NewSpecification,
  { now }: Pick<TemplateContext, 'now'>,
): Promise<SpecificationRecord> {
  checkVersion(input);
  return await insertSpecification(tx, input, now(), {
    language: input.language ?? null,
    compilerVersion: input.compilerVersion ?? null,
    compilation: input.compilation,
    status: 'COMPILED',
    interface: input.interface,
    code: input.code,
    checksum: specificationChecksum(input.code, input.interface),
    source: null,
    target: null,
  });
}

/** Adds a version with sources, which is PENDING until they are compiled. */
export async function addSourceSpecification(
  tx: Tx,
  input: NewSourceSpecification,
  { now }: Pick<TemplateContext, 'now'>,
): Promise<SpecificationRecord> {
  checkVersion(input);
  return await insertSpecification(tx, input, now(), {
    language: compilerLanguage,
    compilerVersion: null,
    compilation: '',
    status: 'PENDING',
    interface: '',
    code: '',
    checksum: '',
    source: input.source,
    target: input.target,
  });
}

function checkVersion({ tag }: Pick<NewSpecification, 'tag'>): void {
  if (!/^[A-Za-z0-9._+-]{1,64}$/.test(tag)) {
    throw invalidRequest([
      { pointer: '/version', detail: 'must be 1 to 64 characters from A-Z a-z 0-9 . _ + -' },
    ]);
  }
}

type SpecificationRow = Tx['t']['specification']['$inferSelect'];
type Compiled = Pick<
  SpecificationRow,
  | 'language'
  | 'compilerVersion'
  | 'compilation'
  | 'status'
  | 'interface'
  | 'code'
  | 'checksum'
  | 'source'
  | 'target'
>;

async function insertSpecification(
  tx: Tx,
  input: Pick<NewSpecification, 'templateUid' | 'tag' | 'description' | 'technology'>,
  at: number,
  compiled: Compiled,
): Promise<SpecificationRecord> {
  const { template, specification } = tx.t;
  const [parent] = await tx.db
    .select({ templateId: template.templateId })
    .from(template)
    .where(eq(template.uid, input.templateUid));
  if (parent === undefined) throw new Problem('not-found', 'The template does not exist.');
  const row: SpecificationRow = {
    uid: uuidv7(),
    id: await nextId(tx, 'specification'),
    templateUid: input.templateUid,
    tag: input.tag,
    description: input.description ?? null,
    technology: input.technology,
    ...compiled,
    messages: '[]',
    hasPreprocessing: compiled.source !== null,
    attempts: 0,
    dueAt: 0,
    createdAt: at,
    updatedAt: at,
  };
  const added = await tx.db
    .insert(specification)
    .values(row)
    .onConflictDoNothing({ target: [specification.templateUid, specification.tag] })
    .returning({ uid: specification.uid });
  if (added.length === 0) {
    throw new Problem(
      'already-exists',
      `The version ${input.tag} of the template ${parent.templateId} already exists, and versions cannot change. Use a new version.`,
      { errors: [{ pointer: '/version', detail: 'already exists' }] },
    );
  }
  const texts = [row.compilation, row.interface, row.code, row.source ?? '', row.messages];
  await addDocument(tx, row.templateUid, Buffer.byteLength(texts.join('')));
  return specificationRecord(row);
}

export async function readSpecification(
  queries: Queries,
  templateUid: string,
  tag: string,
): Promise<SpecificationRecord | null> {
  const { specification } = queries.t;
  const [row] = await queries.db
    .select()
    .from(specification)
    .where(and(eq(specification.templateUid, templateUid), eq(specification.tag, tag)));
  return row === undefined ? null : specificationRecord(row);
}

/** SHA-256 of code and interface, hex. */
export function specificationChecksum(code: string, parsedInterface: string): string {
  return createHash('sha256').update(`${code}\n${parsedInterface}`).digest('hex');
}

function templateRecord({ projectId, ...rest }: Tx['t']['template']['$inferSelect']): TemplateRecord {
  return { ...rest, projectUid: projectId };
}

function specificationRecord(row: Tx['t']['specification']['$inferSelect']): SpecificationRecord {
  const { attempts: _attempts, dueAt: _dueAt, ...rest } = row;
  return {
    ...rest,
    // The cast is safe, because this file checked the value before writing it.
    status: row.status as SpecificationRecord['status'],
  };
}

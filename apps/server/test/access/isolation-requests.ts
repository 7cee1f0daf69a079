// Generates requests from the OpenAPI document: any parameter or body member that names a record can name
// another tenant's record.
import { randomUUID } from 'node:crypto';

/** An operation as described by the document. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: {
    readonly operationId: string;
    readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
    readonly requestBody?: {
      readonly content: Record<string, { readonly schema?: Schema; readonly example?: unknown }>;
    };
    readonly security: readonly object[];
  };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
export type Schemas = Readonly<Record<string, Schema>>;

/** Ids of records by the names of parameters and members. */
export type Ids = Readonly<Record<string, string>>;

/**
 * A request with placeholders: `{name}` for an id, `{#name}` for a numeric id, and `{fresh}` for an id chosen by the
 * caller.
 */
export interface RequestTemplate {
  readonly target: string;
  readonly body: unknown;
  /** Names of the placeholders, in order. A placeholder may occur several times. */
  readonly places: readonly string[];
}

/** Parameters that name no record, with the value for every request. */
const neutral: Readonly<Record<string, string>> = {
  status: 'ENABLED',
  filter_by: 'SERVICE_ID',
  lookupTermStrategy: 'OR',
  permission: 'project:read',
  permissions: 'project:read',
  invitationState: 'PENDING',
  authType: 'apiToken',
  resourceType: 'project',
  type: 'project',
  name: 'owner',
  role: 'owner',
  roleType: 'IDENTITY',
  names: 'owner',
  tag: '1',
  tags: '1',
  tagName: '1',
  limit: 'projects',
  version: '1',
  method: 'anything',
  saml: 'false',
  all: 'true',
  assignAuthenticatedUser: 'true',
  withReceipt: 'false',
  idempotencyKey: 'order-1',
  service: 'ledger-operations',
  action: 'send',
  from: '2026-01-01T00:00:00Z',
  to: '2126-01-01T00:00:00Z',
};
/** Parameters of paging and of listings, which requests omit. */
const unused = new Set(['page', 'size', 'sort', 'lookupTerm', 'resourceId?']);

/** Members that look like ids of records but are not. */
const noRecord: Readonly<Record<string, string>> = {
  eventId: 'an event id, searched only in the webhook’s project',
  bearerToken: 'a secret',
  chainId: 'a chain',
  client_id: 'a client id of the token endpoint',
  initToken: 'a secret',
  ledgerTechnologyID: 'a technology',
  roleId: 'a role, which everyone can list',
  tokenID: 'the chosen id of the new record',
  tokenId: 'the chosen id of the new record',
};

const looksLikeId = /(?:^i|[a-z_]I)d$|ID$|UUID$|Token$/;

/** The kind of record that an operation's body names by a number. */
const numbers: Readonly<Record<string, string>> = {
  registerSmartContract: 'specificationId',
  respondToInvitation: 'invitationId',
};

const service = { lookup_service: { type: 'service', value: 'service' } };
const glo = (type: string, options: object) => ({ version: '0.1.0', type, options });
/** GLOs that together contain each kind of reference. */
const operations = [
  glo('transfer', { recipient: { ...service, resource: '{walletId}' }, amount: '1' }),
  ...['{contractId}', 'action:{actionId}'].map((resource) =>
    glo('contract_call', {
      ...{ contract_instance: { ...service, resource }, method_name: 'transfer(address,uint256)', args: [] },
    }),
  ),
  glo('contract_deploy', { contract_source: { ...service, resource: '{templateId}:1' }, args: [] }),
];

/** Parameters whose name differs from the kind of record. */
const inParameters: Readonly<Record<string, string>> = { tokenId: 'apiToken', q: 'actionId' };

/** Members that contain ids, but whose name is not the name of the record: lists of ids, and synonyms. */
const alias: Readonly<Record<string, string>> = {
  actionIds: 'actionId',
  dependencies: 'actionId',
  intents: 'intent',
};

/** Bodies for operations whose example names no record, or is refused for another reason. */
const bodies: Readonly<Record<string, unknown>> = {
  registerSmartContract: {
    ledgerID: 'chain',
    contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: '' } },
    properties: [{ type: { name: 'address' }, value: '0x00000000000000000000000000000000000000aa' }],
  },
  searchActions: { actionIds: ['{actionId}'] },
  searchIntents: { intents: ['{intent}'] },
  createResource: { type: 'billing-account', parentId: '' },
  createApp: { name: 'x', projectId: '' },
  createServiceAccount: { name: 'x', project: '' },
  createContractGroup: { name: 'x', projectId: '' },
  createContractTemplate: { name: 'x', projectId: '' },
  createLedger: { name: 'x', projectId: '', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
  createNode: { ledgerID: '', options: { uri: 'http://127.0.0.1:9' } },
  createExplorer: { ledgerID: '', name: 'x' },
  adminCreateLedger: { name: 'x', projectId: '', technology: 'ethereum' },
  adminCreateNode: { ledgerId: '', uri: 'http://127.0.0.1:9' },
  adminCreateExplorer: { ledgerId: '', name: 'x' },
  createPlugin: { name: 'x', projectId: '', url: 'npm:@ledger-ops/plugin-ethereum' },
  respondToInvitation: { id: 1, invitationState: 'CANCELED', resource: '' },
};

/** Returns request templates for an operation: one per GLO, and one per id that the body could contain in addition. */
export function templatesOf(one: DocumentedOperation, known: Ids, schemas: Schemas): RequestTemplate[] {
  const { operationId, parameters = [], requestBody } = one.operation;
  const value = (name: string) => {
    if (known[name] !== undefined) return `{${name}}`;
    const found = neutral[name];
    if (found === undefined) throw new Error(`${operationId}: declare the possible values of ${name}.`);
    return encodeURIComponent(found);
  };
  let target = one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(inParameters[name] ?? name));
  const query = parameters
    .filter(({ name, in: where }) => where === 'query' && !unused.has(name))
    .filter(({ name, required }) => required === true || known[name] !== undefined)
    .map(({ name }) => `${name}=${value(inParameters[name] ?? name)}`);
  if (query.length > 0) target += `?${query.join('&')}`;
  const content = requestBody?.content['application/json'];
  const example = bodies[operationId] ?? content?.example;
  const made = bodiesOf(operationId, example, content?.schema, known, schemas);
  return made.map((body) => ({ target, body, places: placesIn(target + JSON.stringify(body ?? null)) }));
}

/**
 * Returns the example with placeholders for its ids. Repeats it for each other id that a member could
 * contain, and with other GLOs.
 */
function bodiesOf(
  operationId: string,
  example: unknown,
  schema: Schema | undefined,
  known: Ids,
  schemas: Schemas,
): unknown[] {
  if (example === undefined) return [undefined];
  const marks = marked(example, known);
  const base =
    operationId === 'sendTransaction' && isObject(marks) ? { ...marks, actionId: '{fresh}' } : marks;
  const paths = schema === undefined ? [] : idPaths(operationId, schema, known, schemas);
  const more = paths.flatMap((path) => {
    const body = structuredClone(base);
    return setAt(body, path) ? [body] : [];
  });
  const glos = isObject(base) && 'glo' in base ? operations.map((each) => ({ ...base, glo: each })) : [];
  const seen = new Set<string>();
  return [base, ...more, ...glos].filter((body) => {
    const text = JSON.stringify(body);
    return seen.has(text) ? false : seen.add(text);
  });
}

function marked(value: unknown, known: Ids): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => {
      if (known[key] === undefined) return member;
      if (typeof member === 'string') return `{${key}}`;
      return typeof member === 'number' && /^[0-9]+$/.test(known[key]) ? `{#${key}}` : member;
    }),
  );
}

interface IdPath {
  readonly steps: readonly (string | 0)[];
  readonly mark: string;
}

/** Returns every member of a schema, at any depth, that names a record. */
function idPaths(operationId: string, schema: Schema, known: Ids, schemas: Schemas): IdPath[] {
  const found: IdPath[] = [];
  const walk = (given: Schema, steps: readonly (string | 0)[], depth: number): void => {
    if (depth > 8 || given.$ref?.endsWith('/Glo') === true) return;
    const named = given.$ref === undefined ? given : schemas[given.$ref.split('/').at(-1) ?? ''];
    if (named === undefined) throw new Error(`${operationId}: the document lacks ${given.$ref}.`);
    for (const part of [...(named.anyOf ?? []), ...(named.oneOf ?? []), ...(named.allOf ?? [])]) {
      walk(part, steps, depth + 1);
    }
    const types = [named.type ?? []].flat();
    const last = steps.findLast((step) => typeof step === 'string') ?? '';
    const name =
      operationId === 'sendTransaction' && last === 'actionId' ? 'its own id' : (alias[last] ?? last);
    const isScalar = types.includes('string') || types.includes('integer') || types.includes('number');
    if (isScalar) {
      const number = numbers[operationId];
      if (types.includes('string') && known[name] !== undefined) found.push({ steps, mark: `{${name}}` });
      else if (
        !types.includes('string') &&
        number !== undefined &&
        ['id', 'contractSpecification'].includes(name)
      ) {
        found.push({ steps, mark: `{#${number}}` });
      } else if (types.includes('string') && looksLikeId.test(name) && noRecord[name] === undefined) {
        throw new Error(`${operationId}: declare whose record ${steps.join('/')} names.`);
      }
    }
    for (const [member, its] of Object.entries(named.properties ?? {}))
      walk(its, [...steps, member], depth + 1);
    if (named.items !== undefined) walk(named.items, [...steps, 0], depth + 1);
  };
  walk(schema, [], 0);
  return found;
}

/** Sets a placeholder at a path; false if the path is blocked by another value. */
function setAt(body: unknown, { steps, mark }: IdPath): boolean {
  let at = body;
  for (const [index, step] of steps.entries()) {
    if (step === 0 ? !Array.isArray(at) : !isObject(at)) return false;
    const holder = at as Record<string | number, unknown>;
    const next = steps[index + 1];
    if (next === undefined) holder[step] = mark;
    else if (!isObject(holder[step]) && !Array.isArray(holder[step])) holder[step] = next === 0 ? [] : {};
    at = holder[step];
  }
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const mark = /\{(#?)(\w+)\}/g;

function placesIn(text: string): string[] {
  return [...text.matchAll(mark)].map(([, , name = '']) => name).filter((name) => name !== 'fresh');
}

/** Returns a request with ids; `pick` chooses the id of each placeholder, in order. */
export function fill({ target, body }: RequestTemplate, pick: (name: string, place: number) => string) {
  let place = 0;
  const filled = target.replaceAll(mark, (_, _number, name: string) => {
    place += 1;
    return encodeURIComponent(pick(name, place - 1));
  });
  if (body === undefined) return { target: filled, body: undefined };
  const text = JSON.stringify(body).replaceAll(/"\{#(\w+)\}"|\{(\w+)\}/g, (_, number, name) => {
    if (name === 'fresh') return randomUUID();
    place += 1;
    const id = pick(number ?? name, place - 1);
    return number === undefined ? JSON.stringify(id).slice(1, -1) : id;
  });
  return { target: filled, body: JSON.parse(text) as unknown };
}

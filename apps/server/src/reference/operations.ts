import type { ApiDocument } from '../openapi/openapi.ts';
import { isJson, type Json } from '../openapi/portable.ts';

/** An operation in the reference; its id is the name of its page. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly service: string;
  readonly deprecated: boolean;
  readonly permission: string | undefined;
  /** The operation that replaces a deprecated one. */
  readonly successor: string | undefined;
  /** The authentication headers that the operation requires: ApplicationToken, and Authorization. */
  readonly needs: { readonly application: boolean; readonly caller: boolean };
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly answers: readonly Answer[];
  /** Whether the service sends this request to webhook receivers. */
  readonly isSent: boolean;
}

/** A parameter in path, query or header. */
export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Json;
}

export interface Body {
  readonly type: string;
  readonly schema: Json;
  readonly example: unknown;
  readonly description: string;
  readonly required: boolean;
}

/** One response. Without `type`, it has no body. */
export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly type: string | undefined;
  readonly schema: Json;
  readonly example: unknown;
}

export interface Service {
  readonly title: string;
  readonly version: string | undefined;
  readonly operations: readonly Operation[];
}

/** The data of the whole reference. */
export interface Reference {
  readonly title: string;
  readonly version: string;
  readonly services: readonly Service[];
  readonly operations: readonly Operation[];
  /** Whether a server serves the pages, so that forms can send requests to it. */
  readonly isServed: boolean;
  /** Named schemas, the targets of references. */
  readonly schemas: Json;
}

/** Converts the OpenAPI document to the data of the pages. */
export function readReference(document: ApiDocument, isServed: boolean): Reference {
  const sent = readAll(document.webhooks ?? {}, true);
  const operations = [...readAll(document.paths ?? {}, false), ...sent];
  const services = (document.tags ?? []).map((tag) => ({
    title: tag.description ?? tag.name,
    version: textOf(tag, 'x-component-version') || undefined,
    operations: operations.filter(({ service }) => service === tag.name),
  }));
  const schemas = partOf(document.components ?? {}, 'schemas');
  const { title, version } = document.info;
  return { title, version, services, operations, isServed, schemas };
}

function readAll(paths: object, isSent: boolean): Operation[] {
  const found = Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'delete'].flatMap((method) => {
      const operation = partOf(item, method);
      return typeof operation.operationId === 'string' ? [{ path, method, operation }] : [];
    }),
  );
  const successorOf = ({ method, operation }: (typeof found)[number]) => {
    const there = found.filter(({ path }) => path === operation['x-successor']);
    const best = there.find((one) => one.method === method) ?? there[0];
    return best === undefined ? undefined : textOf(best.operation, 'operationId');
  };
  return found.map((one) => readOperation(one, successorOf(one), isSent));
}

function readOperation(
  { path, method, operation }: { path: string; method: string; operation: Json },
  successor: string | undefined,
  isSent: boolean,
): Operation {
  const security = listOf(operation.security);
  return {
    id: textOf(operation, 'operationId'),
    method: method.toUpperCase(),
    path,
    summary: textOf(operation, 'summary') || path,
    description: textOf(operation, 'description'),
    service: String(Array.isArray(operation.tags) ? operation.tags[0] : ''),
    deprecated: operation.deprecated === true,
    permission: textOf(operation, 'x-permission') || undefined,
    successor,
    needs: {
      application: security.some((one) => 'ApplicationToken' in one),
      caller: security.some((one) => 'AccessToken' in one),
    },
    parameters: listOf(operation.parameters).map((parameter) => ({
      name: textOf(parameter, 'name'),
      place: textOf(parameter, 'in'),
      required: parameter.required === true,
      schema: partOf(parameter, 'schema'),
    })),
    body: readBody(partOf(operation, 'requestBody')),
    answers: Object.entries(partOf(operation, 'responses')).map(([status, answer]) => ({
      status,
      description: textOf(answer, 'description'),
      ...contentOf(answer),
    })),
    isSent,
  };
}

function readBody(body: Json): Body | undefined {
  const { type, schema, example } = contentOf(body);
  if (type === undefined) return undefined;
  return {
    type,
    schema,
    example,
    description: textOf(body, 'description'),
    required: body.required === true,
  };
}

function contentOf(value: unknown): Pick<Answer, 'type' | 'schema' | 'example'> {
  const [first] = Object.entries(partOf(value, 'content'));
  if (first === undefined) return { type: undefined, schema: {}, example: undefined };
  const [type, media] = first;
  return { type, schema: partOf(media, 'schema'), example: isJson(media) ? media.example : undefined };
}

const partOf = (value: unknown, name: string): Json => {
  const part = isJson(value) ? value[name] : undefined;
  return isJson(part) ? part : {};
};

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

const textOf = (value: unknown, name: string): string => {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof member === 'string' ? member : '';
};

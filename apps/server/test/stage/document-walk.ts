/** A schema of the document, as JSON. */
export type Schema = Readonly<Record<string, unknown>>;

/** The parts of an operation in the document that tests read. */
export interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly tags?: readonly string[];
  readonly 'x-permission'?: string;
  readonly 'x-successor'?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { required: boolean; content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}
export interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { $ref?: string }>>;
  readonly links?: Readonly<Record<string, { operationId: string; parameters: Record<string, string> }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** The parts of the server's OpenAPI document that tests read. */
export interface ServedDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

/** Returns every operation with its name, such as `GET /v1/things`. */
export function operationsOf(document: ServedDocument): { name: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Yields every schema of the document, including nested ones, with its pointer. */
export function* schemasOf(document: ServedDocument): Generator<[pointer: string, schema: Schema]> {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    yield* withinSchema(schema, `/components/schemas/${name}`);
  }
  for (const { name, operation } of operationsOf(document)) {
    for (const one of operation.parameters ?? []) yield* withinSchema(one.schema, `${name} ${one.name}`);
    const contents = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map((r) => r.content),
    ];
    for (const content of contents) {
      for (const { schema } of Object.values(content ?? {})) yield* withinSchema(schema, name);
    }
  }
}

function* withinSchema(value: unknown, at: string): Generator<[string, Schema]> {
  if (!isObject(value)) return;
  yield [at, value];
  for (const keyword of ['items', 'additionalProperties', 'propertyNames', 'not'] as const) {
    yield* withinSchema(value[keyword], `${at}/${keyword}`);
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const) {
    for (const [index, one] of listOf(value[keyword]).entries())
      yield* withinSchema(one, `${at}/${keyword}/${index}`);
  }
  const { properties } = value;
  if (!isObject(properties)) return;
  for (const [name, one] of Object.entries(properties)) yield* withinSchema(one, `${at}/properties/${name}`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

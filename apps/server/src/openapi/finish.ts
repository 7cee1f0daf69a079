import { pause } from '../http/pause.ts';
import type { Route } from '../http/route.ts';
import { exampleOf, textExamples } from './examples.ts';
import { headerComponents, headersOf } from './headers.ts';
import { type LinkTarget, linksOf, linkTargetsOf } from './links.ts';
import { isJson, type Json, portableSchema } from './portable.ts';

/** Number of operations that are processed in one turn of the event loop. */
const atOnce = 16;

interface Draft {
  paths: Record<string, Record<string, DraftOperation>>;
  components: { schemas: Record<string, Json>; headers: Json };
}
interface DraftOperation {
  parameters?: { schema: Json; required?: boolean }[];
  requestBody?: { content: Record<string, DraftContent> };
  responses: Record<string, DraftResponse>;
}
interface DraftResponse {
  content?: Record<string, DraftContent>;
  headers?: Json;
  links?: Json;
}
interface DraftContent {
  schema: Json;
  example?: unknown;
}

/**
 * Completes a generated document from the route table and makes it portable: schemas that every generator supports,
 * names for body and response shapes, headers, links, and an example of every success.
 */
export async function finishDocument<Document extends object>(
  generated: Document,
  routes: readonly Route[],
): Promise<Document> {
  await pause();
  // A copy as plain JSON, without undefined members and shared parts.
  const copy = JSON.parse(JSON.stringify(generated)) as Document & Draft;
  const { components, paths } = copy;
  await pause();
  for (const [name, schema] of Object.entries(components.schemas)) {
    components.schemas[name] = portableSchema(schema);
  }
  components.headers = headerComponents();
  const operations = routes.flatMap((route) => {
    const operation = paths[route.path]?.[route.method];
    return operation === undefined ? [] : [{ route, operation }];
  });
  for (const { route, operation } of operations) nameShapes(route, operation, components.schemas);
  const targets = linkTargetsOf(routes);
  for (const [at, { route, operation }] of operations.entries()) {
    if (at % atOnce === 0) await pause();
    for (const [status, response] of Object.entries(operation.responses)) {
      response.headers = headersOf(route, Number(status));
      for (const [type, content] of Object.entries(response.content ?? {})) {
        content.example ??= textExamples[type] ?? exampleOf(content.schema, components.schemas);
      }
      if (Number(status) < 300) addLinks(route, response, components.schemas, targets);
    }
  }
  // Sorted, because the order of module loading would change the files generated from the document.
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
  return copy;
}

function nameShapes(route: Route, operation: DraftOperation, schemas: Record<string, Json>): void {
  for (const parameter of operation.parameters ?? []) {
    parameter.schema = portableSchema(parameter.schema);
    // A parameter with a default is optional.
    if ('default' in parameter.schema) parameter.required = false;
  }
  const base = route.operationId.charAt(0).toUpperCase() + route.operationId.slice(1);
  for (const content of Object.values(operation.requestBody?.content ?? {})) {
    content.schema = named(portableSchema(content.schema), `${base}Body`, schemas);
  }
  for (const response of Object.values(operation.responses)) {
    for (const content of Object.values(response.content ?? {})) {
      content.schema = named(portableSchema(content.schema), `${base}Answer`, schemas);
    }
  }
}

/** Moves an object schema to the components and returns a reference; other schemas stay inline. */
function named(schema: Json, name: string, schemas: Record<string, Json>): Json {
  if (isJson(schema.items)) return { ...schema, items: named(schema.items, `${name}Item`, schemas) };
  if (schema.properties === undefined && schema.anyOf === undefined) return schema;
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

function addLinks(
  route: Route,
  response: DraftResponse,
  schemas: Json,
  targets: readonly LinkTarget[],
): void {
  for (const content of Object.values(response.content ?? {})) {
    const links = linksOf(route, resolved(content.schema, schemas), targets);
    if (Object.keys(links).length > 0) response.links = links;
  }
}

function resolved(schema: Json, schemas: Json): Json {
  const target = typeof schema.$ref === 'string' ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return isJson(target) ? target : {};
}

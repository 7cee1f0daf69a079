import { type OpenAPIHono, z } from '@hono/zod-openapi';

type Registry = OpenAPIHono['openAPIRegistry'];
type RegisterSchema = typeof OpenAPIHono.prototype.openAPIRegistry.registerComponent<'schemas'>;
type SchemaObject = Parameters<RegisterSchema>[2];

/**
 * Converts a schema to the form that the document's generator accepts. Schemas of packages without OpenAPI support are
 * converted to JSON Schema; their parts with an `id` become named schemas of the document.
 */
export function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  registry: Registry,
): z.ZodType | SchemaObject {
  if ('openapi' in schema && typeof schema.openapi === 'function') return schema;
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const name = z.globalRegistry.get(schema)?.id;
  const own = registerSchemas(name, made, registry);
  return name === undefined ? located(own) : { $ref: `#/components/schemas/${name}` };
}

/** Registers a JSON Schema under its name, if any, and its definitions as named schemas of the document. */
export function registerSchemas(name: string | undefined, schema: object, registry: Registry): object {
  const { $schema: _, $defs = {}, ...own }: { $schema?: unknown; $defs?: object } = schema;
  for (const [part, definition] of Object.entries($defs)) register(part, definition, registry);
  if (name !== undefined) register(name, own, registry);
  return own;
}

function register(name: string, definition: object, registry: Registry): void {
  const known = registry.definitions.some((one) => one.type === 'component' && one.name === name);
  if (!known) registry.registerComponent('schemas', name, located(definition));
}

/** Rewrites references to the document's schema locations, and removes the ids. */
function located(schema: object): SchemaObject {
  // OpenAPI 3.1 accepts JSON Schema unchanged.
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === 'id' && typeof value === 'string') return undefined;
      if (key === '$ref' && typeof value === 'string')
        return value.replace('#/$defs/', '#/components/schemas/');
      return value;
    }),
  );
}

import { type OpenAPIHono, z } from '@hono/zod-openapi';

type Registry = OpenAPIHono['openAPIRegistry'];
type RegisterSchema = typeof OpenAPIHono.prototype.openAPIRegistry.registerComponent<'schemas'>;
type SchemaObject = Parameters<RegisterSchema>[2];

/**
 * A schema as the document's generator takes it. Those of packages that know nothing of OpenAPI become JSON Schema
 * here; their parts with an `id` become the document's named schemas.
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

/** Makes named schemas of the document of a JSON Schema, when it is to have a name, and of its definitions. */
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

/** With references to where the document has its schemas, and without the ids that made them. */
function located(schema: object): SchemaObject {
  // The schema comes from JSON and is JSON; its shape is that of JSON Schema, which OpenAPI 3.1 takes as it is.
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === 'id' && typeof value === 'string') return undefined;
      if (key === '$ref' && typeof value === 'string')
        return value.replace('#/$defs/', '#/components/schemas/');
      return value;
    }),
  );
}

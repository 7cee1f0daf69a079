import { z } from '@hono/zod-openapi';
import { invalidRequest, pagingParameters } from '@ledger-ops/base';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { text } from '../../http/schemas.ts';
import { stableNumber } from './stable-number.ts';

/** Id and name of a type or scope. */
export const idAndNameSchema = z.object({ id: z.int(), name: z.string() }).openapi('IdAndName');

/** Definition of a property type. */
export const propertyTypeSchema = z
  .object({ id: z.int(), name: z.string(), scope: idAndNameSchema.optional() })
  .openapi('RecordPropertyType');

/** A property in a deprecated record. */
export const propertySchema = z
  .object({
    id: z.int(),
    type: propertyTypeSchema,
    value: z.unknown().openapi({ description: 'Of any type; null for a secret, which is never returned.' }),
  })
  .openapi('RecordProperty');

/** Properties in a request body. Also accepts the form in responses. */
export const givenProperties = z
  .array(
    z
      .object({
        type: z.object({ name: text(64) }),
        value: z.unknown().openapi({
          description: 'A secret that was returned as null remains unchanged if null is sent back.',
        }),
      })
      .openapi('GivenProperty'),
  )
  .max(256);

type PropertyList = z.infer<typeof givenProperties>;

/** Converts a list of properties to an object. @throws Problem `invalid-request` if a name occurs twice */
export function propertiesByName(
  list: PropertyList,
  at = '',
  detail = (name: string) => `the property ${name} appears twice`,
): Record<string, unknown> {
  const names = list.map(({ type }) => type.name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) {
    const pointer = `${at}/properties/${twice}/type/name`;
    throw invalidRequest([{ pointer, detail: detail(names[twice] ?? '') }]);
  }
  return Object.fromEntries(list.map(({ type, value }) => [type.name, value]));
}

/** Maps pointers of {@link propertiesByName} to the list. */
export function propertyPointers(
  list: PropertyList | null | undefined,
  at = '',
  memberOf: (name: string) => 'value' | 'type/name' = () => 'value',
): PointerMap {
  return (list ?? []).map(({ type: { name } }, index) => [
    `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    `${at}/properties/${index}/${memberOf(name)}`,
  ]);
}

/**
 * Returns the properties of a record as a list. Numeric ids of properties and their types are derived from their names.
 */
export function propertyList(
  recordNumber: number,
  properties: Readonly<Record<string, unknown>>,
  scopeOf?: (name: string) => string,
) {
  const named = (name: string) => ({ id: stableNumber(name), name });
  return Object.entries(properties).map(([name, value]) => ({
    id: stableNumber(`${recordNumber}/${name}`),
    type: { ...named(name), ...(scopeOf === undefined ? {} : { scope: named(scopeOf(name)) }) },
    value,
  }));
}

/** Path and query parameters of deprecated lists of a project. */
export function listingOfProject(sortable: readonly string[] | Readonly<Record<string, string>>) {
  return {
    project: text(64).openapi({ description: 'Id of the project.' }),
    resourceId: text(256, 0)
      .optional()
      .openapi({ description: 'Only the record with this id; if empty, all records.' }),
    ...pagingParameters(sortable),
  };
}

/** Query of deprecated lists of a project; default: the caller's project. */
export function projectQuery(sortable: readonly string[] | Readonly<Record<string, string>>) {
  return z.object({
    ...listingOfProject(sortable),
    project: text(64).optional().openapi({
      description: 'Id of the project; default: that of the caller’s application.',
    }),
  });
}

import { z } from '@hono/zod-openapi';
import { pagingParameters } from '@ledger-ops/base';
import { text } from '../../http/schemas.ts';

/** An id of a kind of things, and its name. */
export const idAndNameSchema = z.object({ id: z.int(), name: z.string() }).openapi('IdAndName');

/** Definition of a property. */
export const propertyTypeSchema = z
  .object({ id: z.int(), name: z.string(), scope: idAndNameSchema.optional() })
  .openapi('RecordPropertyType');

/** A property as deprecated records show it. */
export const propertySchema = z
  .object({
    id: z.int(),
    type: propertyTypeSchema,
    value: z.unknown().openapi({ description: 'Of any type; null for a secret, which is never answered.' }),
  })
  .openapi('RecordProperty');

/** Properties as a body gives them; also as they were answered. */
export const givenProperties = z
  .array(
    z
      .object({
        type: z.object({ name: text(64) }),
        value: z.unknown().openapi({
          description: 'A secret that was answered as null stays when it is put back as null.',
        }),
      })
      .openapi('GivenProperty'),
  )
  .max(256);

/** A name given by people. */
export const recordName = text(256);

/** An id that the client chooses. */
export const chosenId = z
  .string()
  .max(64, { abort: true })
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores')
  .openapi({ description: 'Generated when absent.' });

/** The project that a new record is to stand in. */
export const ofProject = text(64).openapi({
  description: 'Id of the project; absent: that of the caller’s application. `system`: of the deployer.',
});

/** Parameters of deprecated listings of a project. */
export function listingOfProject(sortable: readonly string[]) {
  return {
    project: text(64).openapi({ description: 'Id of the project.' }),
    resourceId: text(256, 0).optional().openapi({ description: 'Exactly this record; empty: all.' }),
    ...pagingParameters(sortable),
  };
}

/** Query of deprecated listings of a project, by default the caller's. */
export function projectQuery(sortable: readonly string[]) {
  return z.object({
    ...listingOfProject(sortable),
    project: text(64).optional().openapi({
      description: 'Id of the project; absent: that of the caller’s application.',
    }),
  });
}

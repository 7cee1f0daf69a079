// Checks the old records of section 2.9: they have every field with its type, and no other field.
import { z } from '@hono/zod-openapi';

export const oldTemplate = z.strictObject({
  contractTemplateID: z.string(),
  description: z.string().nullable(),
  id: z.int(),
  name: z.string(),
  resourceId: z.string(),
});

export const oldSpecification = z.strictObject({
  checksum: z.string(),
  compilationLanguage: z.string().nullable(),
  compilationSpecification: z.string().nullable(),
  compilationStatus: z.enum(['PENDING', 'COMPILED', 'FAILED']),
  contractTemplate: oldTemplate,
  dateCreated: z.int(),
  dateUpdated: z.int(),
  description: z.string().nullable(),
  hasPreprocessing: z.boolean(),
  id: z.int(),
  ledgerTechnology: z.strictObject({ id: z.int(), ledgerTechnologyID: z.string() }),
  preCompilationSpecification: z.string().nullable(),
  tag: z.string(),
  targetCompilationVersion: z.string().nullable(),
  // Not part of the specification.
  compilationMessages: z.array(
    z.strictObject({
      severity: z.string(),
      file: z.string().nullable(),
      line: z.int().nullable(),
      column: z.int().nullable(),
      message: z.string(),
    }),
  ),
});

export const oldContract = z.strictObject({
  compilationDetails: z.string().nullable(),
  compileVersion: z.string().nullable(),
  contractInstanceID: z.string(),
  contractSpecification: oldSpecification.nullable(),
  id: z.int(),
  ledgerID: z.string(),
  name: z.string(),
  properties: z.array(
    z.strictObject({
      id: z.int(),
      type: z.strictObject({
        id: z.int(),
        name: z.string(),
        scope: z.strictObject({ id: z.int(), name: z.string() }),
      }),
      value: z.unknown(),
    }),
  ),
  resourceId: z.string(),
  types: z.array(z.strictObject({ id: z.int(), name: z.string() })),
});

export const oldToken = z.strictObject({
  contractInstance: oldContract,
  id: z.int(),
  name: z.string(),
  resourceId: z.string(),
  ticker: z.string(),
  tokenID: z.string(),
});

/** Returns the page envelope of section 2.3. */
export function pageOf<Item extends z.ZodType>(contentType: string, item: Item) {
  return z.strictObject({
    contentType: z.literal(contentType),
    pageElements: z.int(),
    pageNumber: z.int(),
    totalElements: z.int(),
    totalPages: z.int(),
    pageContent: z.array(item),
  });
}

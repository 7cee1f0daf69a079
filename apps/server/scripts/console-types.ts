import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** The document's schemas as types, for the console. */
export async function consoleTypes(): Promise<string> {
  // Its imports are written by the same command, before this is called.
  const { documentOf } = await import('../test/document-of-routes.ts');
  const { openapi, components } = await documentOf();
  const info = { title: 'Ledger Operations', version: '' };
  // The document has them in the order in which modules were loaded.
  const schemas = Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  // It is the served document, whose shape here is that of tests.
  const document = { openapi, info, paths: {}, components: { schemas } } as OpenAPI3;
  return astToString(await openapiTypescript(document));
}

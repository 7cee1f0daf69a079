import { problemCatalogue } from '@ledger-ops/base';
import openapiTS, { astToString } from 'openapi-typescript';
import type { ApiDocument } from '../src/openapi/openapi.ts';

/** Files of the client that are generated from the document, by name in its folder `src`. */
export async function clientFiles(document: ApiDocument): Promise<ReadonlyMap<string, string>> {
  const keyed = Object.entries(document.paths ?? {})
    .filter(([, path]) => JSON.stringify(path?.post?.parameters ?? []).includes('"Idempotency-Key"'))
    .map(([path]) => path)
    .sort();
  const names = Object.keys(problemCatalogue).sort();
  const note = '// Generated from the served document; see apps/server/scripts/generate-client.ts.';
  return new Map([
    [
      'schema.generated.ts',
      `${note}\n${astToString(await openapiTS(JSON.stringify(withoutFailures(document)), { defaultNonNullable: false }))}`,
    ],
    [
      'served.generated.ts',
      `${note}
/** Problems of the catalogue. */
export type ProblemName =
${names.map((name) => `  | '${name}'`).join('\n')};

/** Paths whose POST takes an \`Idempotency-Key\`. */
export const keyedPaths: ReadonlySet<string> = new Set([
${keyed.map((path) => `  '${path}',`).join('\n')}
]);
`,
    ],
  ]);
}

/**
 * Keeps the success responses of each operation, and one shape for all failures, because the client throws them. Omits
 * headers and links, which would be nine tenths of the types.
 */
function withoutFailures(document: ApiDocument): unknown {
  const problem = {
    description: 'A problem.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  const ofOperation = (operation: { responses?: object }) => {
    const successes = Object.entries(operation.responses ?? {})
      .filter(([status]) => Number(status) < 400)
      .map(([status, { headers: _, links: __, ...response }]) => [status, response]);
    return { ...operation, responses: { ...Object.fromEntries(successes), default: problem } };
  };
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item ?? {}).map(([method, operation]) => [method, ofOperation(operation)]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

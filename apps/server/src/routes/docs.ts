import { z } from '@hono/zod-openapi';
import { Problem } from '@ledger-ops/base';
import { type EncodedText, encodedText } from '../http/encoded.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { ApiDocument } from '../openapi/openapi.ts';
import { folder } from '../reference/frame.ts';
import { type ReferenceFile, referenceFiles } from '../reference/pages.ts';

/**
 * The OpenAPI document and the API reference, each generated once. `document` is called after all routes exist.
 * @param font path of the console's font on this server
 */
export function docsRoutes(document: () => Promise<ApiDocument>, font: string | undefined): Route[] {
  const made = once(document);
  const files = once(async () => referenceFiles(await made(), { isServed: true, font }));
  const texts = new Map<string, EncodedText>();
  const textOf = async (path: string) => {
    const file = (await files()).get(path);
    if (file === undefined)
      throw new Problem('not-found', `The page does not exist. See ${folder} for the index.`);
    const text = texts.get(path) ?? encodedText(file.make, headersOf(file));
    texts.set(path, text);
    return text;
  };
  const text = encodedText(async () => JSON.stringify(await made()), {
    ...cached,
    'Content-Type': 'application/json',
  });
  const wanted = (header: (name: string) => string | undefined) => ({
    encodings: header('accept-encoding'),
    known: header('if-none-match'),
  });
  const notModified = { description: 'Unchanged since the version in If-None-Match.', headers };
  return [
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      operationId: 'openApiDocument',
      summary: 'Get this reference as an OpenAPI 3.1 document',
      service: 'operations',
      permission: 'public',
      answers: {
        200: {
          description: 'The document.',
          schema: z.looseObject({ openapi: z.literal('3.1.0') }).openapi('OpenApiDocument'),
          headers,
        },
        304: notModified,
      },
      handle: ({ header }) => text.answer(wanted(header)),
    }),
    defineRoute({
      method: 'get',
      path: folder,
      operationId: 'referencePage',
      summary: 'Show this reference as web pages',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'The first page.', contentType: 'text/html', headers },
        304: notModified,
      },
      handle: async ({ header }) => (await textOf(folder)).answer(wanted(header)),
    }),
    defineRoute({
      method: 'get',
      path: `${folder}/{page}`,
      operationId: 'referencePart',
      summary: 'Show a page of this reference, or a file that its pages load',
      description: 'An operation’s page is named by its operationId.',
      service: 'operations',
      permission: 'public',
      params: z.object({ page: z.string().max(100) }),
      answers: {
        200: {
          description: 'The page or file.',
          contentType: ['text/html', 'text/css', 'text/javascript', 'image/svg+xml'],
          headers,
        },
        304: notModified,
      },
      handle: async ({ header, params }) => (await textOf(`${folder}/${params.page}`)).answer(wanted(header)),
    }),
  ];
}

const headers = ['ETag', 'Vary'] as const;
const cached = { 'Cache-Control': 'public, max-age=300' };

/** Content Security Policy: pages load files only from this server, and send requests only to it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const headersOf = ({ type }: ReferenceFile) => ({
  ...cached,
  'Content-Type': type,
  'Content-Security-Policy': policy,
});

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

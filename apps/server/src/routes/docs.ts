import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { encodedText } from '../http/encoded.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { ApiDocument } from '../openapi.ts';
import { referencePage, referenceStyle } from '../present/reference-page.ts';

/** The OpenAPI document and the reference page; both are made once. `document` is called after all routes exist. */
export function docsRoutes(document: () => ApiDocument): Route[] {
  let made: ApiDocument | undefined;
  const once = () => {
    made ??= document();
    return made;
  };
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64');
  const cached = { 'Cache-Control': 'public, max-age=300' };
  const text = encodedText(() => JSON.stringify(once()), { ...cached, 'Content-Type': 'application/json' });
  const page = encodedText(() => referencePage(once()), {
    ...cached,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  });
  const wanted = (header: (name: string) => string | undefined) => ({
    encodings: header('accept-encoding'),
    known: header('if-none-match'),
  });
  const notModified = { description: 'What If-None-Match names is still it.', headers };
  return [
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      operationId: 'openApiDocument',
      summary: 'This reference as an OpenAPI 3.1 document',
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
      path: '/docs',
      operationId: 'referencePage',
      summary: 'This reference as a page',
      service: 'operations',
      permission: 'public',
      answers: {
        200: { description: 'The page.', contentType: 'text/html', headers },
        304: notModified,
      },
      handle: ({ header }) => page.answer(wanted(header)),
    }),
  ];
}

const headers = ['ETag', 'Vary'] as const;

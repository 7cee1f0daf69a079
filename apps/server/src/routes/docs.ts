import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { defineRoute, type Route } from '../http/route.ts';
import type { ApiDocument } from '../openapi.ts';
import { referencePage, referenceStyle } from '../present/reference-page.ts';

/** The OpenAPI document and the reference page; both are made once. `document` is called after all routes exist. */
export function docsRoutes(document: () => ApiDocument): Route[] {
  let text: string | undefined;
  let page: string | undefined;
  const styleHash = createHash('sha256').update(referenceStyle).digest('base64');
  const pageHeaders = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  };
  return [
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      operationId: 'openApiDocument',
      summary: 'This reference as an OpenAPI 3.1 document',
      service: 'operations',
      permission: 'public',
      answers: { 200: { description: 'The document.', schema: z.looseObject({ openapi: z.string() }) } },
      async handle() {
        text ??= JSON.stringify(document());
        return {
          status: 200,
          raw: text,
          headers: { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=300' },
        };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/docs',
      operationId: 'referencePage',
      summary: 'This reference as a page',
      service: 'operations',
      permission: 'public',
      answers: { 200: { description: 'The page.', contentType: 'text/html' } },
      async handle() {
        page ??= referencePage(document());
        return { status: 200, raw: page, headers: pageHeaders };
      },
    }),
  ];
}

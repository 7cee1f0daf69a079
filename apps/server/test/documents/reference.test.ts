// Pages of the API reference, their links, and that they load nothing from other servers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { html as escapeHtml } from '../../src/present/html.ts';
import { operationPage } from '../../src/reference/operation-page.ts';
import type { Operation } from '../../src/reference/operations.ts';
import { schemaView } from '../../src/reference/schema-view.ts';
import { documentOf } from '../stage/document-of-routes.ts';
import { operationsOf } from '../stage/document-walk.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
let routes: ReturnType<typeof makeServer>['routes'];
const pages = new Map<string, string>();
beforeAll(async () => {
  ground = await openGround();
  const made = makeServer(ground);
  routes = made.routes;
  const open = ['/docs'];
  for (const path of open) {
    const response = await made.app.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    const text = await response.text();
    pages.set(path, text);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const [, target = ''] of text.matchAll(/ (?:href|src)="(\/docs[^"#]*)[^"]*"/g))
      if (!open.includes(target)) open.push(target);
  }
});
afterAll(() => ground.close());

const html = () => [...pages].filter(([path]) => !/\.\w+$/.test(path));
const pageOf = (path: string) => pages.get(path) ?? '';

test('the API reference has a page for every operation, and an anchor for it on the first page', () => {
  for (const { operationId, path } of routes) {
    expect(pageOf(`/docs/${operationId}`)).toContain(`<code>${path}</code>`);
    expect(pageOf('/docs')).toContain(` id="${operationId}"`);
  }
  expect(pageOf('/docs/receiveEvent')).toContain('to your URL');
});

test('the reference page of an operation shows its parameters, members, permission, statuses and replacement', async () => {
  const document = await documentOf();
  const missing = operationsOf(document).flatMap(({ name, operation }) => {
    const page = pageOf(`/docs/${operation.operationId}`);
    const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {};
    const named = document.components.schemas[String(body.$ref).split('/').at(-1) ?? ''] ?? body;
    const wanted = [
      ...(operation.parameters ?? []).map((one) => `<code>${one.name}</code>`),
      ...Object.keys(Object(named.properties)).map((member) => `<code>${member}</code>`),
      ...(operation['x-permission'] === undefined
        ? []
        : [`<code>${escapeHtml(operation['x-permission'])}</code>`]),
      ...Object.keys(operation.responses).map((status) => `">${status}</b>`),
      ...(operation.deprecated === true ? ['Deprecated.'] : []),
      ...(operation['x-successor'] === undefined ? [] : [` ${operation['x-successor']}</code>`]),
    ];
    return wanted.filter((one) => !page.includes(one)).map((one) => `${name}: ${one}`);
  });
  expect(missing).toEqual([]);
});

test('the reference page of an operation lists each problem that the operation may return', () => {
  for (const { problems = [], operationId } of routes)
    for (const name of problems)
      expect(pageOf(`/docs/${operationId}`), operationId).toContain(`urn:ledger-ops:problem:${name}`);
});

test('pages of the API reference have no inline scripts, inline styles or external addresses, and all links work', () => {
  for (const [path, text] of html()) {
    expect(text, path).not.toMatch(
      /<style|<script(?! type="module" src="\/docs\/reference.js"><)| style=| on\w+=/i,
    );
    for (const [, name, target = ''] of text.matchAll(/ (href|src)="([^"]*)"/g)) {
      const isOfGuide = name === 'href' && path.startsWith('/docs/guide-') && target.startsWith('https://');
      const isOnPage = target.startsWith('#') && text.includes(` id="${target.slice(1)}"`);
      expect([
        path,
        target,
        isOfGuide || pages.has(target) || target === '/openapi.json' || isOnPage,
      ]).toEqual([path, target, true]);
    }
  }
});

test('pages of the API reference show no unresolved references or undefined values, and their ids are unique', () => {
  for (const [path, text] of html()) {
    expect(text, path).not.toMatch(/\$ref|undefined|\[object Object\]/);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect([path, ids.length]).toEqual([path, new Set(ids).size]);
  }
});

test('each page of the API reference is smaller than 300,000 characters', () => {
  for (const [path, text] of html()) expect([path, text.length < 300_000]).toEqual([path, true]);
});

test('the reference page of a deprecated operation links to its replacement', () => {
  expect(pageOf('/docs/createApp')).toContain('Replaced by <a href="/docs/adminCreateApp">');
  // If there is no replacement, the page says what to do instead.
  for (const path of ['/docs/getAppByToken', '/docs']) {
    expect(pageOf(path)).toContain('<code>GET /v1/admin/apps</code> finds applications by their ids');
  }
  expect(pageOf('/docs/setAppRole')).toContain('Replaced by <a href="/docs/adminSetAppRole">');
});

test('a reference page that does not exist gets 404 with a problem document', async () => {
  const response = await makeServer(ground).app.request('/docs/nothing');
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { type: 'urn:ledger-ops:problem:not-found' },
  ]);
});

describe('a reference page with text from users', () => {
  const evil = '"><script>alert(1)</script>';
  const operation: Operation = {
    id: evil,
    method: 'POST',
    path: `/v1/${evil}`,
    summary: evil,
    description: evil,
    service: evil,
    deprecated: false,
    permission: evil,
    successor: undefined,
    needs: { application: true, caller: true },
    parameters: [
      { name: evil, place: 'query', required: true, schema: { enum: [evil, 'b'], description: evil } },
    ],
    body: {
      type: evil,
      schema: { properties: { [evil]: { default: evil, pattern: evil } } },
      example: evil,
      description: evil,
      required: true,
    },
    answers: [{ status: evil, description: evil, type: evil, schema: {}, example: { [evil]: evil } }],
    isSent: false,
  };

  test('a reference page escapes HTML in names and descriptions', () => {
    const reference = {
      title: evil,
      version: evil,
      services: [{ title: evil, version: evil, operations: [operation] }],
      operations: [operation],
      isServed: true,
      schemas: {},
    };
    expect(operationPage(operation, reference)).not.toContain(evil);
  });
});

test('the API reference shows a schema that contains itself once', () => {
  const schemas = { Tree: { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' } } } };
  const view = schemaView({ $ref: '#/components/schemas/Tree' }, schemas);
  expect(view.match(/<code>left<\/code>/g)).toHaveLength(2);
  expect(view).toContain('Same members as <code>Tree</code> above.');
});

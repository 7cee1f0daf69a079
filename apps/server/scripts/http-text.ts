import { problemCatalogue } from '@ledger-ops/base';
import type { Route } from '../src/http/route.ts';
import { services } from '../src/http/services.ts';
import { headerComponents } from '../src/openapi/headers.ts';
import { type ApiDocument, kindProblems } from '../src/openapi/openapi.ts';
import { isJson, type Json } from '../src/openapi/portable.ts';
import { type Answer, type Operation, readReference } from '../src/reference/operations.ts';
import { requestExample } from '../src/reference/request-example.ts';
import { boundsOf, typeWords } from '../src/reference/schema-view.ts';
import { withoutSuccessor } from '../src/routes/administration/successors.ts';
import { neededText } from './docs-text.ts';

/** A service with its page. */
interface Page {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly Operation[];
}

/** Everything that pages are made of. */
interface Book {
  readonly pages: readonly Page[];
  readonly operations: readonly Operation[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly schemas: Json;
}

const made = 'from the served document by `pnpm --filter @ledger-ops/server generate`; a test finds drift.';

/** The HTTP reference by its files in `docs`: `http.md`, and a page for each service. */
export function httpPages(document: ApiDocument, routes: readonly Route[]): ReadonlyMap<string, string> {
  const { operations, schemas } = readReference(document);
  const book: Book = {
    pages: Object.entries(services).map(([name, { title }]) => ({
      name,
      title: title.replace(' (deprecated)', ''),
      operations: operations.filter(({ service }) => service === name).toSorted(inOrder),
    })),
    operations,
    routes: new Map(routes.map((route) => [route.operationId, route])),
    schemas,
  };
  return new Map([
    ['http.md', contentsPage(book)],
    ...book.pages.map((page) => [`http/${page.name}.md`, servicePage(page, book)] as const),
  ]);
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** Current ones first, then by path. */
function inOrder(a: Operation, b: Operation): number {
  const byPath = a.path < b.path ? -1 : Number(a.path > b.path);
  return (
    Number(a.deprecated) - Number(b.deprecated) ||
    Number(a.isSent) - Number(b.isSent) ||
    byPath ||
    methods.indexOf(a.method) - methods.indexOf(b.method)
  );
}

function contentsPage({ pages }: Book): string {
  const ofKinds = kindProblems.flatMap(({ of, names }) =>
    names.map((name) => {
      const { status, title } = problemCatalogue[name];
      return `| ${status} | \`${name}\` | ${`every operation ${of}`.trimEnd()} | ${title} |`;
    }),
  );
  const headers = Object.entries(headerComponents()).map(
    ([name, header]) => `| \`${name}\` | ${text(isJson(header) ? header.description : '', true)} |`,
  );
  const sections = pages.map(
    (page) =>
      `### [${page.title}](http/${page.name}.md)\n\n${operationTable(page.operations, `http/${page.name}.md`)}`,
  );
  return `# HTTP reference

Every operation with its parameters, members and bounds, an example of its request and its answer, what it needs and how it can be refused. A running server has the same at \`$BASE/docs\`, with forms to try each operation, and for programs as OpenAPI 3.1 at \`$BASE/openapi.json\`. How to get there from nothing: [Getting started](guide/getting-started.md).

## How to read it

- **Needs** names the permission, and on which record; [Permissions](permissions.md) says who has it. Nearly every operation takes two headers, the \`ApplicationToken\` and \`Authorization: Bearer …\`, which \`api\` of the [guide](guide/tokens.md) sends in the examples; operations that need nothing take neither.
- Bodies and answers are JSON unless another type is named. Members of a body that are not **required** can be left out, and those of an answer can be absent. Members that an operation does not know are refused, and ignored by deprecated ones; answers may get further members at any time.
- In the name of a member \`…\` stands for any name, and \`[]\` for each item of a list.
- Text of a time is RFC 3339 (\`date-time\`), amounts are whole numbers as text.
- Lists come in [pages](guide/pages.md). What creates something takes an [\`Idempotency-Key\`](guide/idempotency.md).
- Refusals are [problem documents](guide/errors.md); each operation names those of its own.

## Problems of every operation

| Status | Problem | Of | Title |
| --- | --- | --- | --- |
${ofKinds.join('\n')}

All problems: [Problems](problems.md).

## Headers of answers

| Header | What it says |
| --- | --- |
${headers.join('\n')}

## Operations

${sections.join('\n\n')}

These pages are made ${made}
`;
}

function servicePage({ title, operations }: Page, book: Book): string {
  const sections = operations.map((one) => operationSection(one, book));
  const shapes = shapesOf(operations, book.schemas);
  const shapeSections = [...shapes].toSorted().map((name) => shapeSection(name, book.schemas));
  const shapesPart = shapes.size === 0 ? '' : `\n\n## Shapes\n\n${shapeSections.join('\n\n')}`;
  return `---
outline: 2
pageClass: operations
---

# HTTP: ${title}

${operationTable(operations, '')}

How to read this, and what holds for every operation: [HTTP reference](../http.md).

${sections.join('\n\n')}${shapesPart}

Made ${made}
`;
}

function operationTable(operations: readonly Operation[], page: string): string {
  const rows = operations.map(
    (one) => `| [${headingOf(one)}](${page}#${anchorOf(headingOf(one))}) | ${requestLine(one)} |`,
  );
  return `| Operation | Request |\n| --- | --- |\n${rows.join('\n')}`;
}

const headingOf = ({ summary, deprecated }: Operation) => `${summary}${deprecated ? ' (deprecated)' : ''}`;

const requestLine = ({ method, path, isSent }: Operation) => `\`${method} ${isSent ? 'to your URL' : path}\``;

/** As the site names headings. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

function operationSection(operation: Operation, book: Book): string {
  const { description, body, isSent, parameters, answers } = operation;
  const route = book.routes.get(operation.id);
  const listed = parameters.filter(({ name }) => name !== 'Idempotency-Key');
  const parts = [
    `## ${headingOf(operation)}`,
    requestLine(operation),
    deprecationOf(operation, book),
    text(description),
    route === undefined ? '' : `**Needs** ${neededText(route.permission)}.`,
    listed.length === 0
      ? ''
      : table(
          'Parameter',
          listed.map(({ name, place, required, schema }) => [
            `\`${name}\` in the ${place}`,
            required,
            schema,
          ]),
        ),
    listed.length === parameters.length ? '' : 'Takes an [`Idempotency-Key`](../guide/idempotency.md).',
    body === undefined
      ? ''
      : `**Body** \`${body.type}\`${body.required || isSent ? '' : ', can be left out'}. ${text(body.description)}`,
    body === undefined ? '' : schemaText(body.schema, book.schemas, true),
    isSent ? block('json', body?.example) : block('sh', requestExample(operation)),
    ...answers
      .filter(({ status, type }) => status < '400' || type !== 'application/problem+json')
      .map((one) => answerText(one)),
    problemsText(route),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function deprecationOf({ id, deprecated, successor }: Operation, { operations, pages }: Book): string {
  if (!deprecated) return '';
  const next = operations.find((one) => one.id === successor);
  if (next === undefined) return `**Deprecated.** ${withoutSuccessor[id] ?? ''}`;
  const page = pages.find((one) => one.operations.includes(next))?.name;
  return `**Deprecated.** In its place stands [${next.summary}](${page}.md#${anchorOf(headingOf(next))}), ${requestLine(next)}.`;
}

function answerText({ status, description, type, schema, example }: Answer): string {
  const ofType = type === undefined || type === 'application/json' ? '' : ` \`${type}\``;
  const shape =
    Object.keys(schema).length === 0 || type !== 'application/json' ? '' : ` ${typeText(schema)}.`;
  const head = `**Answer ${status}**${ofType}${shape} ${text(description)}`;
  return [head.trimEnd(), block(type === 'application/json' ? 'json' : 'text', example)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function problemsText(route: Route | undefined): string {
  if (route === undefined) return '';
  const byStatus = new Map<number, string[]>();
  for (const name of route.problems ?? []) {
    const { status } = problemCatalogue[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${name}\``]);
  }
  const own = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, names]) => `${status} ${names.join(', ')}`);
  const every = 'those of [every operation](../http.md#problems-of-every-operation)';
  return own.length === 0 ? `**Problems**: ${every}.` : `**Problems** ${own.join('; ')}; and ${every}.`;
}

/** Names of the schemas to which something on the page leads; bodies are shown where they are sent. */
function shapesOf(operations: readonly Operation[], schemas: Json): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isJson(value)) return;
    const name = nameOf(value);
    if (name === undefined) {
      for (const one of Object.values(value)) visit(one);
    } else if (!names.has(name)) {
      names.add(name);
      visit(schemas[name]);
    }
  };
  for (const { parameters, body, answers } of operations) {
    for (const { schema } of parameters) visit(schema);
    visit(body === undefined ? undefined : resolve(body.schema, schemas));
    for (const { status, schema, type } of answers)
      if ((status < '400' || type !== 'application/problem+json') && type === 'application/json')
        visit(schema);
  }
  return names;
}

const nameOf = ({ $ref }: Json) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);

function resolve(schema: Json, schemas: Json): Json {
  const name = nameOf(schema);
  const target = name === undefined ? schema : schemas[name];
  return isJson(target) ? target : {};
}

function shapeSection(name: string, schemas: Json): string {
  return `### ${name}\n\n${schemaText(resolve({ $ref: `/${name}` }, schemas), schemas, false)}`;
}

/** A schema in words, with a table of its members where it has any. */
function schemaText(given: Json, schemas: Json, isBody: boolean): string {
  const schema = resolve(given, schemas);
  const rows = memberRows(schema, '');
  const isPlain = schema.type === 'object' && rows.length > 0;
  const parts = [
    isPlain ? '' : sentence(schema),
    typeof schema.description === 'string' && !isBody ? text(schema.description) : '',
    rows.length === 0 ? '' : table('Member', rows),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

type Row = readonly [name: string, required: boolean, schema: Json];

/** Members of a schema and of what has no name of its own in it, by their paths. */
function memberRows(schema: Json, prefix: string): Row[] {
  const { properties, items, additionalProperties, anyOf, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const own = Object.entries(isJson(properties) ? properties : {})
    .toSorted(([a], [b]) => Number(needed.includes(b)) - Number(needed.includes(a)))
    .flatMap(([name, part]): Row[] => {
      const member = isJson(part) ? part : {};
      return [
        [`\`${prefix}${name}\``, needed.includes(name), member],
        ...memberRows(member, `${prefix}${name}.`),
      ];
    });
  return [
    ...own,
    ...(isJson(items) ? memberRows(items, `${prefix.replace(/\.$/, '')}[].`) : []),
    ...(isJson(additionalProperties) && Object.keys(additionalProperties).length > 0
      ? [
          [`\`${prefix}…\``, false, additionalProperties] as const,
          ...memberRows(additionalProperties, `${prefix}….`),
        ]
      : []),
    ...(Array.isArray(anyOf) ? anyOf.filter(isJson).flatMap((form) => memberRows(form, prefix)) : []),
  ];
}

function table(what: string, rows: readonly Row[]): string {
  const lines = rows.map(([name, required, schema]) => {
    const told = typeof schema.description === 'string' ? `. ${text(schema.description, true)}` : '';
    return `| ${name} | ${required ? '**required** ' : ''}${sentence(schema, true)}${told} |`;
  });
  return `| ${what} | What it is |\n| --- | --- |\n${lines.join('\n')}`;
}

/** Type and bounds. */
function sentence(schema: Json, inTable = false): string {
  return [typeText(schema, inTable), ...boundsIn(schema, inTable)].join(', ');
}

function typeText(schema: Json, inTable = false): string {
  const name = nameOf(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  return typeWords(schema, (part) => {
    const bounds = boundsIn(part, inTable);
    return `${typeText(part, inTable)}${bounds.length === 0 ? '' : ` (${bounds.join(', ')})`}`;
  });
}

const boundsIn = (schema: Json, inTable: boolean) => boundsOf(schema, (value) => code(value, inTable));

const code = (value: string, inTable: boolean) => {
  const mark = value.includes('`') ? '``' : '`';
  return `${mark}${inTable ? value.replaceAll('|', '\\|') : value}${mark}`;
};

/** A text of the document in Markdown: it has code between backticks, and no other marks. */
function text(value: unknown, inTable = false): string {
  const parts = String(value).split(/(`[^`]+`)/);
  return parts
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<*_[\]]/g, '\\$&')))
    .join('')
    .replaceAll('|', inTable ? '\\|' : '|');
}

function block(language: string, value: unknown): string {
  if (value === undefined) return '';
  const shown = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return `\`\`\`${language}\n${shown.trimEnd()}\n\`\`\``;
}

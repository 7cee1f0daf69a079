import type { ApiDocument } from '../openapi.ts';
import { html } from './html.ts';

/** The page's style; its hash stands in the page's Content-Security-Policy. */
export const referenceStyle = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);--soft:color-mix(in srgb,currentColor 6%,transparent)}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:minmax(14rem,20rem) minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);font-size:.85rem}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav a{color:inherit;text-decoration:none;display:block;padding:.15rem 0;overflow-wrap:anywhere}
nav a:hover,nav a:focus{text-decoration:underline}
main{padding:1.5rem 2rem;max-width:60rem}
section{border-top:1px solid var(--line);padding:1rem 0}
h3{margin:.2rem 0;overflow-wrap:anywhere}
code,pre{font:.85em/1.45 ui-monospace,monospace}
pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:.4rem}
.method{font-weight:700;text-transform:uppercase;margin-right:.5rem}
.old{opacity:.6;text-decoration:line-through}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{text-align:left;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid var(--line)}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}}
`;

/** A reference page made from the document: no script, nothing from elsewhere. */
export function referencePage(document: ApiDocument): string {
  const operations = listOperations(document);
  const tags = document.tags ?? [];
  const schemas = Object.entries(document.components?.schemas ?? {});
  const of = (tag: string) => operations.filter((operation) => operation.tags.includes(tag));
  const version = (tag: object) =>
    'x-component-version' in tag ? ` ${String(tag['x-component-version'])}` : '';
  const navigation = tags.map(
    (tag) =>
      `<h4>${html(tag.description ?? tag.name)}</h4><ul>${of(tag.name)
        .map(
          (one) =>
            `<li><a${one.deprecated ? ' class="old"' : ''} href="#${html(one.id)}">${html(one.summary)}</a></li>`,
        )
        .join('')}</ul>`,
  );
  const body = tags.map(
    (tag) =>
      `<h2>${html(tag.description ?? tag.name)}${html(version(tag))}</h2>${of(tag.name).map(renderOperation).join('')}`,
  );
  const models = schemas.map(
    ([name, schema]) => `<section id="schema-${html(name)}"><h3>${html(name)}</h3>${pre(schema)}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${html(document.info.title)}</title><style>${referenceStyle}</style></head><body><nav aria-label="Operations"><p><a href="#top">${html(document.info.title)} ${html(document.info.version)}</a></p>${navigation.join('')}<h4>Schemas</h4><ul>${schemas.map(([name]) => `<li><a href="#schema-${html(name)}">${html(name)}</a></li>`).join('')}</ul></nav><main id="top"><h1>${html(document.info.title)}</h1><p>${html(document.info.description ?? '')}</p><p>As OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a>.</p><h2>Headers</h2><p>Protected operations need <code>ApplicationToken: &lt;application token&gt;</code> and <code>Authorization: Bearer &lt;access token&gt;</code>; bodies need <code>Content-Type: application/json</code>. Every answer carries <code>X-Request-Id</code>.</p><h2 id="deprecated">Deprecated operations</h2><p>They answer with <code>Deprecation</code> and <code>Link</code> headers, ignore members that they do not know, and go with the next major version. In the list they are struck through.</p>${body.join('')}<h2>Schemas</h2>${models.join('')}</main></body></html>`;
}

interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated: boolean;
  permission: string | undefined;
  parameters: unknown[];
  body: unknown;
  responses: [string, unknown][];
}

function listOperations(document: ApiDocument): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = item[method];
      if (operation === undefined) continue;
      operations.push({
        id: operation.operationId ?? `${method}-${path}`,
        method,
        path,
        summary: operation.summary ?? path,
        description: operation.description ?? '',
        tags: operation.tags ?? [],
        deprecated: operation.deprecated === true,
        permission: 'x-permission' in operation ? String(operation['x-permission']) : undefined,
        parameters: operation.parameters ?? [],
        body: operation.requestBody,
        responses: Object.entries(operation.responses ?? {}),
      });
    }
  }
  return operations;
}

function renderOperation(operation: Operation): string {
  const { id, method, path, summary, description, permission, parameters, body, responses, deprecated } =
    operation;
  const needs = permission === undefined ? '' : `<p>Permission: <code>${html(permission)}</code></p>`;
  const rows = responses
    .map(
      ([status, response]) =>
        `<tr><td>${html(status)}</td><td>${html(textOf(response, 'description'))}</td></tr>`,
    )
    .join('');
  return `<section id="${html(id)}"><h3><span class="method">${html(method)}</span><code${deprecated ? ' class="old"' : ''}>${html(path)}</code></h3><p><strong>${html(summary)}.</strong> ${html(description)}</p>${needs}${parameters.length === 0 ? '' : `<h4>Parameters</h4>${renderParameters(parameters)}`}${body === undefined ? '' : `<h4>Body</h4>${pre(body)}`}<h4>Answers</h4><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

function renderParameters(parameters: readonly unknown[]): string {
  const rows = parameters.map((parameter) => {
    const schema = memberOf(parameter, 'schema');
    return `<tr><td><code>${html(textOf(parameter, 'name'))}</code></td><td>${html(textOf(parameter, 'in'))}</td><td>${html(textOf(schema, 'type'))}</td><td>${html(textOf(schema, 'description') || textOf(parameter, 'description'))}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return member === undefined ? '' : Array.isArray(member) ? member.join(' or ') : String(member);
}

function pre(value: unknown): string {
  return `<pre>${html(JSON.stringify(value, undefined, 2))}</pre>`;
}
